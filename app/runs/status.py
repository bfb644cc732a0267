"""How the installation does, for owners and admins: what runs, waits and is open, the database, the disk, versions.

    (await read_status(wb, person_id)).runs      # 2

The figures are those of this process (`runs/measures`). Whether model servers answer is asked on demand alone.
"""

from __future__ import annotations

import asyncio
import shutil
from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Final

from sqlalchemy import func, make_url, select

from app.domain.errors import ForbiddenError
from app.runs.measures.measures import FileChecked
from app.runs.people.administration import is_administrator
from app.runs.process.ids import now
from app.runs.workbench import Workbench
from app.store.checkup import check_file
from app.store.run.queues import count_all_waiting

PACKAGES: Final = ("inview", "reflex", "starlette", "uvicorn", "sqlalchemy", "openai", "anthropic", "mcp")
OFFLINE: Final = "offline"


@dataclass(frozen=True, slots=True)
class Status:
    """`turns` counts calls that wait for one; `lag` and `uptime` are seconds, sizes bytes.

    `checked` is None if the file was not checked since the start. `redis`: whether it answers; None: there is none.
    """

    runs: int
    turns: int
    waiting: int
    pages: int
    database: int
    free: int
    lag: float
    uptime: float
    began_at: datetime
    ended: int
    failed: int
    checked: FileChecked | None
    redis: bool | None
    versions: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class ServerStanding:
    """Whether a model server that is set up lists its models now. `failure` says why not; "": it does."""

    label: str
    models: int
    failure: str = ""


async def read_status(wb: Workbench, person_id: str) -> Status:
    """All figures as they are now.

    Raises:
        ForbiddenError: a member asks.
    """
    await _require(wb, person_id)
    async with wb.store.read() as session:
        waiting = await count_all_waiting(session)
    database, free = await asyncio.to_thread(_measure_disk, wb)
    if not wb.store.is_file:
        async with wb.store.read() as session:
            database = await session.scalar(select(func.pg_database_size(func.current_database()))) or 0
    seen = wb.measures
    return Status(
        runs=count_runs(wb),
        turns=len(wb.engine.turns.waiting),
        waiting=waiting,
        pages=count_pages(wb),
        database=database,
        free=free,
        lag=seen.lag,
        uptime=seen.uptime,
        began_at=seen.began_at,
        ended=sum(seen.runs.values()),
        failed=seen.runs["error"],
        checked=seen.checked,
        redis=None if wb.cluster is None else wb.cluster.reached,
        versions=tuple((name, version(name)) for name in PACKAGES),
    )


async def check_database(wb: Workbench, person_id: str) -> None:
    """Let SQLite look whether its file is whole. What it found is a part of the status.

    Raises:
        ForbiddenError: a member asks.
    """
    await _require(wb, person_id)
    wb.measures.checked = FileChecked(now(), await check_file(wb.store))


async def ask_servers(wb: Workbench, person_id: str) -> tuple[ServerStanding, ...]:
    """Ask every provider that this person has set up for its models. It costs nothing.

    Raises:
        ForbiddenError: a member asks.
    """
    await _require(wb, person_id)
    await wb.catalogue.look_around()
    async with wb.store.read() as session:
        providers = await wb.catalogue.providers(session, person_id)
    asked = {name: one for name, one in providers.items() if name != OFFLINE}
    return tuple(
        ServerStanding(
            offer.provider.row.label, len(offer.models), "" if offer.failure is None else offer.failure.message
        )
        for offer in await wb.catalogue.offers(asked, afresh=True)
    )


def count_runs(wb: Workbench) -> int:
    """How many replies run in this process, those of temporary conversations included."""
    return sum(len(one.engine.runs) for one in _benches(wb))


def count_pages(wb: Workbench) -> int:
    """How many pages and programs look at a conversation."""
    return sum(one.event_bus.count_watching() for one in _benches(wb))


def _benches(wb: Workbench) -> tuple[Workbench, ...]:
    return (wb,) if wb.beside.bench is None else (wb, wb.beside.bench)


def _measure_disk(wb: Workbench) -> tuple[int, int]:
    """Bytes of the database with its log, and those that are free beside it."""
    name = make_url(wb.settings.database_url).database or ""
    files = [path for end in ("", "-wal") if (path := Path(f"{name}{end}")).is_file()]
    return sum(path.stat().st_size for path in files), shutil.disk_usage(wb.settings.data_dir).free


async def _require(wb: Workbench, person_id: str) -> None:
    if not await is_administrator(wb, person_id):
        raise ForbiddenError("Only owners and admins see the status. Ask one of them.")
