"""The automatic deletion of entries that were in the trash for longer than their owner's limit.

task = asyncio.create_task(keep_purging(ctx))       # every hour, while the process lives
"""

from __future__ import annotations

import asyncio
import time
from datetime import datetime, timedelta

import structlog

from app.domain.errors import StoreError
from app.runs.app_context import AppContext
from app.runs.runtime.ids import now
from app.runs.trash.trash import delete_entries
from app.store.settings import preferences
from app.store.trash import trash

FIRST_SECONDS = 600.0
"""Delay of the first purge after the start. By then a wrong clock is probably corrected."""
ROUND_SECONDS = 3600.0
TRUSTED_DRIFT = timedelta(hours=1)
"""Maximum deviation of the clock while the process runs.

After a larger jump forward, nothing is purged, because entries could seem older than they are.
"""

log = structlog.get_logger(__name__)


async def purge_expired(ctx: AppContext, at: datetime) -> int:
    """Permanently delete the entries that are older at the time `at` than their owner's limit. Return their number."""
    count = 0
    async with ctx.store.read() as session:
        owners = await trash.list_owners(session)
    for owner in owners:
        async with ctx.store.read() as session:
            days = (await preferences.load_preferences(session, owner)).trash_days
            if days is None:
                continue
            entries = await trash.list_entries(session, owner, before=at - timedelta(days=days))
        await delete_entries(ctx, owner, entries)
        count += len(entries)
    return count


async def keep_purging(ctx: AppContext) -> None:
    """Delete the expired entries of the trash every hour, as long as the process lives."""
    began, counted = now(), _count_seconds()
    await asyncio.sleep(FIRST_SECONDS)
    while True:
        at = now()
        drift = at - began - timedelta(seconds=_count_seconds() - counted)
        if drift > TRUSTED_DRIFT:
            log.warning("the clock jumped forward; nothing in the trash is deleted for its age", by=str(drift))
        else:
            try:
                if count := await purge_expired(ctx, at):
                    log.info("deleted old entries of the trash permanently", entries=count)
            except StoreError as error:
                log.warning("the trash could not be purged; Inview tries again", fault=str(error))
            except Exception:  # a defect of Inview with one entry must not end all purging
                log.exception("purging the trash failed because of a defect in Inview")
        await asyncio.sleep(ROUND_SECONDS)


def _count_seconds() -> float:
    """Return the seconds of a clock that cannot be set.

    The clock also runs while the computer sleeps, if the system has such a clock.
    """
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))
