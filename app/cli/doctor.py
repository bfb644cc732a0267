"""`inview doctor`, on this machine alone: folder, disk, port, page, database, Redis and keys. What it asks others:
`doctor_online.py`.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import sys
import urllib.request
from http.client import HTTPException
from pathlib import Path
from typing import Final

from sqlalchemy import make_url, select

from app.cli import build, preflight
from app.cli.checks import Check, fault, is_well, ok, warning
from app.cli.doctor_redis import check_redis
from app.cli.doctor_server import check_server
from app.cli.stored_secrets import check_secrets
from app.domain.errors import StoreError
from app.runs.send.commands import LOCAL_OWNER
from app.runs.wiring import open_quietly
from app.runs.workbench import Workbench
from app.settings import Settings
from app.store.checkup import check_file, find_damage
from app.store.database.database import kind_of
from app.store.database.migrations import HEAD, exists, is_current
from app.store.settings.rows_settings import PROVIDER_SETTING

MB: Final = 1_000_000
SPARE: Final = 200 * MB
"""Bytes that should be free beside what a backup and a migration need."""
LEAST_FREE: Final = 20 * MB
LARGE_WAL: Final = 256 * MB
ANSWER_SECONDS: Final = 2.0
MAX_HEALTH: Final = 10_000
_OTHERS: Final = 0o077


async def check_installation(settings: Settings) -> list[Check]:
    """Look at everything here. The database is changed in nothing."""
    checks = [ok("settings", "All of them are known and can be used."), *_check_folder(settings)]
    if not is_well(checks):
        return checks
    port = await asyncio.to_thread(_check_port, settings)
    check_database = _check_database if kind_of(settings.database_url).is_file else check_server
    checks += [_check_disk(settings), port, _check_page(), *await asyncio.to_thread(check_database, settings)]
    checks += await check_redis(settings)
    if is_well(checks) and exists(settings.database_url) and is_current(settings.database_url):
        async with open_quietly(settings, offline=True) as wb:
            checks += await _check_content(wb)
            checks += await _check_keys(wb)
    return checks


def _check_folder(settings: Settings) -> list[Check]:
    try:
        preflight.check_data_dir(settings.data_dir)
    except preflight.NotReadyError as error:
        return [fault("folder", str(error))]
    files = [settings.data_dir, *sorted(settings.data_dir.glob("inview*"))]
    open_ones = [path for path in files if path.stat().st_mode & _OTHERS]
    if open_ones:
        names = ", ".join(str(path) for path in open_ones[:3])
        return [warning("folder", f"Others on this machine can read {names}.", "The next start of Inview corrects it.")]
    return [ok("folder", f"{settings.data_dir} can be written, and only by its owner.")]


def _check_disk(settings: Settings) -> Check:
    size = sum(path.stat().st_size for path in _files(settings))
    free = shutil.disk_usage(settings.data_dir).free
    said = f"{free / MB:,.0f} MB are free, the database has {size / MB:,.1f} MB."
    if not kind_of(settings.database_url).is_file:
        said = f"{free / MB:,.0f} MB are free. The database is on its server."
    if free < LEAST_FREE:
        return fault("disk", said, "Make room: what is received cannot be stored soon.")
    if free < 2 * size + SPARE:
        return warning("disk", said, "Make room: a backup or an update may need twice the size of the database.")
    return ok("disk", said)


def _check_port(settings: Settings) -> Check:
    try:
        preflight.bind_port(settings).close()
    except preflight.NotReadyError as error:
        if _answers(settings):
            return ok("port", f"Inview runs on {settings.host}:{settings.port}.")
        return fault("port", str(error))
    return ok("port", f"{settings.host}:{settings.port} is free: a server can start.")


def _answers(settings: Settings) -> bool:
    """Whether an Inview listens where ours would."""
    host = "127.0.0.1" if settings.host in {"0.0.0.0", "::"} else settings.host  # noqa: S104 - compared, not bound
    address = f"http://{f'[{host}]' if ':' in host else host}:{settings.port}/api/v1/health"
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with direct.open(address, timeout=ANSWER_SECONDS) as answer:
            told: object = json.loads(answer.read(MAX_HEALTH))
    except (OSError, HTTPException, ValueError):
        return False  # somebody else listens there
    return isinstance(told, dict) and {"status", "version"} <= told.keys()


def _check_page() -> Check:
    if build.is_built():
        return ok("page", "The page is built.")
    if not (Path(sys.executable).parent / "node").exists():
        return fault("page", "The page is not built, and what builds it is missing.", "Remove .venv and run make.")
    return warning("page", "The page is not built.", "The next start builds it, which takes half a minute.")


def _files(settings: Settings) -> list[Path]:
    if not kind_of(settings.database_url).is_file:
        return []
    database = make_url(settings.database_url).database or ""
    return [path for end in ("", "-wal") if (path := Path(f"{database}{end}")).is_file()]


def _check_database(settings: Settings) -> list[Check]:
    if not exists(settings.database_url):
        return [ok("database", "There is none yet. The first start makes it.")]
    try:
        current = is_current(settings.database_url)
    except StoreError as error:
        return [fault("database", str(error))]
    sizes = [f"{path.name} {path.stat().st_size / MB:,.1f} MB" for path in _files(settings)]
    if not current:
        advice = "The next start, or `inview migrate`, brings it up to date. Make a backup first."
        return [warning("database", f"It is older than revision {HEAD}; {', '.join(sizes)}.", advice)]
    checks = [ok("database", f"It has revision {HEAD}; {', '.join(sizes)}.")]
    if any(path.name.endswith("-wal") and path.stat().st_size > LARGE_WAL for path in _files(settings)):
        advice = "Restart Inview. If it stays large, another program keeps the database open: end that."
        checks.append(warning("database", "The write-ahead log is large.", advice))
    return checks


async def _check_content(wb: Workbench) -> list[Check]:
    try:
        wrong = await check_file(wb.store)
        found = await find_damage(wb.store)
    except StoreError as error:
        return [fault("integrity", str(error))]
    checks = (
        [fault("integrity", f"The file of the database is damaged: {wrong}.", "Put a backup back.")] if wrong else []
    )
    checks += [fault("integrity", one.message, one.advice) for one in found]
    if found:
        count = f"{len(found)} thing{'' if len(found) == 1 else 's'}"
        checks.append(fault("integrity", f"{count} in the database cannot be read. The rest can."))
    whole = "The file is whole, and all" if wb.store.is_file else "All"
    return checks or [ok("integrity", f"{whole} that is stored can be read.")]


async def list_owners_with_keys(wb: Workbench) -> tuple[str, ...]:
    """The local owner, and everybody who entered something for a provider."""
    async with wb.store.read() as session:
        entered = (await session.execute(select(PROVIDER_SETTING.c.owner).distinct())).scalars()
        return tuple(sorted({LOCAL_OWNER, *entered}))


async def _check_keys(wb: Workbench) -> list[Check]:
    """Look which keys there are, and whether those that are stored can be opened."""
    names = [*wb.settings.vendor_keys, *(f"{one.name} of INVIEW_COMPATIBLE" for one in wb.settings.compatible)]
    count, closed = await check_secrets(wb)
    if closed:
        return [fault("keys", one) for one in closed]
    if not names and not count:
        return [ok("keys", "There are none: the offline model and local servers need none.")]
    return [ok("keys", f"{count} stored, all can be opened; from the environment: {', '.join(names) or 'none'}.")]
