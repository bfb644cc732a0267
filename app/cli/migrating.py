"""Migrate in a process of its own: what that imports is needed once and weighs 12 MB (docs/decisions/0050).

Not the steps (`alembic/versions`) and not what they start from (`app/store/database/migrations.py`).
"""

from __future__ import annotations

import asyncio
import sys
from multiprocessing import get_context

from app.domain.errors import StoreError
from app.store.database.claim import claim
from app.store.database.database import kind_of
from app.store.database.migrations import is_current, upgrade


def migrate_apart(url: str) -> None:
    """Bring the database up to this code, and keep nothing of it. Before this process has a second thread.

    Raises:
        StoreError: it cannot be opened, it is newer than this code, or somebody ended the other process.
        SystemExit: it could not be migrated; the other process said why.
    """
    if is_current(url):
        return
    # Forked, not started anew: what both need is imported already, and this takes some milliseconds.
    process = get_context("fork").Process(target=_upgrade, args=(url,))
    process.start()
    process.join()
    match process.exitcode:
        case 0:
            return
        case int(code) if code < 0:
            raise StoreError(f"Migrating the database was ended by signal {-code}. Nothing was changed. Start again.")
        case code:
            sys.exit(code)


def require_alone(url: str, *, shared: bool = False) -> None:
    """See that no other process serves from a server's database, before anything is migrated or built.

    `shared`: others may that are shared too.

    Raises:
        StoreError: one does, or the server cannot be reached.
    """
    if not kind_of(url).is_file:
        asyncio.run(_take_and_release(url, shared=shared))


async def _take_and_release(url: str, *, shared: bool) -> None:
    async with claim(url, shared=shared):
        pass


def _upgrade(url: str) -> None:
    try:
        upgrade(url)
    except StoreError as fault:
        sys.exit(f"inview: {fault}")
