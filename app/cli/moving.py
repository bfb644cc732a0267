"""`inview copy-database`: all of an installation's database into an empty one, of SQLite or PostgreSQL.

How rows are copied and compared: `app/store/backup/moving.py`. The key file and the data folder stay where they are.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from sqlalchemy import make_url

from app.cli.backup import count_rows
from app.domain.errors import StoreError
from app.settings import SQLITE, check_database_url, mask_password
from app.store.backup.moving import Copied, copy_database
from app.store.backup.working_folder import publish, working_folder
from app.store.database.claim import claim
from app.store.database.database import kind_of
from app.store.database.migrations import check, exists, is_new, upgrade

Say = Callable[[str], None]


async def copy(source: str, target: str, say: Say) -> list[str]:
    """Copy a database. Returns what a person is told.

    Raises:
        SettingsError: one of the two is no URL of a database.
        StoreError: Inview runs on one of them, the target is not empty, or the copy is not the same.
        BackupError: there is a file of the target's name.
    """
    for url in (source, target):
        check_database_url("The URL", url)
    if not exists(source):
        raise StoreError(f"There is no database {make_url(source).database}, so there is nothing to copy.")
    check(source)
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(_nobody_on(source))
        if kind_of(target).is_file:
            copied = await asyncio.to_thread(_copy_to_file, source, target, say)
        else:
            copied = await _fill(source, target, say)
    return _describe(copied, target)


def _copy_to_file(source: str, target: str, say: Say) -> Copied:
    path = Path(make_url(target).database or "").absolute()
    if path.exists():
        raise StoreError(f"{path} exists, and is left as it is. Choose another name.")
    if not path.parent.is_dir():
        raise StoreError(f"There is no folder {path.parent}. Make it, or choose another one.")
    with working_folder(path.parent) as work:
        draft = f"{SQLITE}{work / path.name}"
        upgrade(draft)
        copied = copy_database(source, draft, count_rows(say))
        publish(work / path.name, path)
    return copied


async def _fill(source: str, target: str, say: Say) -> Copied:
    if await asyncio.to_thread(is_new, target):
        await asyncio.to_thread(upgrade, target)
    check(target)
    async with _nobody_on(target):
        return await asyncio.to_thread(copy_database, source, target, count_rows(say))


@asynccontextmanager
async def _nobody_on(url: str) -> AsyncGenerator[None]:
    async with claim(url) as alone:
        if not alone:
            raise StoreError(f"Inview runs on the database {make_url(url).database}. Stop it, then copy.")
        yield


def _describe(copied: Copied, target: str) -> list[str]:
    lines = [f"Copied {copied.rows:,} rows to {mask_password(target)}."]
    if copied.changed:
        lines.append(f"{copied.changed:,} of them had a NUL character, which PostgreSQL cannot hold: it became “�”.")
    return [
        *lines,
        f"Digest: {copied.digest}, that of the original.",
        "Set INVIEW_DATABASE_URL to the copy and leave the data folder where it is.",
    ]
