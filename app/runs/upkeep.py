"""Upkeep: what the process deletes or moves every hour because it is too old.

    await keep_up(wb, now())        # one round

A task that fails is logged and tried again in the next round; the other tasks of the round continue.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import Final

import structlog

from app.domain.conversation.uploads import KEPT
from app.domain.errors import StoreError
from app.runs.library.retention import sweep_conversations
from app.runs.library.trash import purge_expired
from app.runs.process.ids import now
from app.runs.send.idempotency import KEPT as KEYS_KEPT
from app.runs.transfer.exports.bulk import sweep_bulk_exports
from app.runs.transfer.imports.staging import sweep_imports
from app.runs.workbench import Workbench
from app.store.conversation.uploads import forget_old_uploads
from app.store.organise.shares import delete_expired
from app.store.run.idempotency import forget_old_keys

FIRST_SECONDS = 600.0
"""From the start of the process to the first round; a clock that was wrong is right by then."""
ROUND_SECONDS = 3600.0
TRUSTED_DRIFT = timedelta(hours=1)
"""A clock that was put forward further than that while the process ran is not believed to make anything old."""

log = structlog.get_logger(__name__)


async def sweep_uploads(wb: Workbench, at: datetime) -> int:
    """Delete uploads that no message took within `KEPT`; how many that was."""
    count = 0
    for store in wb.stores:
        async with store.write() as session:
            count += await forget_old_uploads(session, at - KEPT)
    return count


async def sweep_shares(wb: Workbench, at: datetime) -> int:
    """Delete the shares that have expired; how many that was."""
    async with wb.store.write() as session:
        return await delete_expired(session, at)


async def sweep_keys(wb: Workbench, at: datetime) -> int:
    """Delete the expired idempotency keys; return how many."""
    count = 0
    for store in wb.stores:
        async with store.write() as session:
            count += await forget_old_keys(session, at - KEYS_KEPT)
    return count


TASKS: Final[tuple[tuple[str, Callable[[Workbench, datetime], Awaitable[int]]], ...]] = (
    ("delete what was in the trash long enough", purge_expired),
    ("move conversations that nobody uses into the trash", sweep_conversations),
    ("delete uploads that no message took", sweep_uploads),
    ("delete shares that have expired", sweep_shares),
    ("delete idempotency keys of yesterday", sweep_keys),
    ("delete files of imports that nobody went on with", sweep_imports),
    ("delete files of exports that were downloaded long enough", sweep_bulk_exports),
)
"""What a round does, in this order: a name for the log, and a function that returns how many things that were."""


async def keep_up(wb: Workbench, at: datetime) -> None:
    """Do one round."""
    for name, task in TASKS:
        try:
            if count := await task(wb, at):
                log.info("upkeep", task=name, count=count)
            wb.measures.note_sweep(name, count)
        except StoreError as error:
            wb.measures.note_sweep(name, None)
            log.warning("upkeep failed; it is tried again in an hour", task=name, fault=str(error))
        except Exception:  # a fault of ours in one task must not end the others
            wb.measures.note_sweep(name, None)
            log.exception("upkeep failed by a fault of Inview", task=name)


async def run_upkeep(wb: Workbench) -> None:
    """Do a round every hour as long as the process lives, in one process of several."""
    began, counted = now(), _count_seconds()
    await asyncio.sleep(FIRST_SECONDS)
    while True:
        at = now()
        drift = at - began - timedelta(seconds=_count_seconds() - counted)
        if drift > TRUSTED_DRIFT:
            log.warning("the clock was put forward; nothing is taken for old", by=str(drift))
        elif await _is_ours(wb):
            await keep_up(wb, at)
        await asyncio.sleep(ROUND_SECONDS)


async def _is_ours(wb: Workbench) -> bool:
    """Whether this process does the round that is due."""
    if wb.cluster is None:
        return True
    try:
        return await wb.cluster.link.claim("upkeep", ROUND_SECONDS / 2)
    except StoreError as error:
        log.warning("it could not be found out which process does the upkeep; it is tried again", fault=str(error))
        return False


def _count_seconds() -> float:
    """A clock that nobody sets; where there is one, also while the computer sleeps."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))
