"""The trash: bring back what was deleted, or delete it for good. What is in it too long is deleted by itself.

    entry = (await list_trash(wb, LOCAL_OWNER, limit=1)).entries[0]
    await restore(wb, LOCAL_OWNER, entry.id)

How things get there: `commands.delete_conversation`, `mark_commands.mark_pairs` and resending. The ledger stays as it
is.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog

from app.domain.conversation.marks import Marks, PairMarks
from app.domain.errors import NotFoundError, StoreError
from app.runs.library.mark_commands import mark_pairs
from app.runs.process.ids import now
from app.runs.process.shielded import shielded
from app.runs.workbench import Workbench
from app.store.conversation import conversations
from app.store.organise import trash
from app.store.organise.trash import TrashEntry, TrashPlace
from app.store.release import list_pair_attachments, release_attachments
from app.store.settings import preferences

BATCH = 500
"""Pairs deleted for good at once: others get to write in between."""
FIRST_SECONDS = 600.0
"""From the start of the process until what is too old is looked for; a clock that was wrong is right by then."""
ROUND_SECONDS = 3600.0
TRUSTED_DRIFT = timedelta(hours=1)
"""A clock that was put forward further than that while the process ran is not believed to make anything old."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Trash:
    """Entries, the newest first. `days`: how long each stays; None: until it is emptied."""

    entries: tuple[TrashEntry, ...]
    days: int | None


async def list_trash(
    wb: Workbench, owner: str, *, limit: int, place: TrashPlace | None = None, conversation_id: str | None = None
) -> Trash:
    """What can be brought back. `conversation_id`: only pairs that were deleted from it.

    Raises:
        NotFoundError: no such conversation of this owner.
    """
    async with wb.store.read() as session:
        if conversation_id is not None:
            await conversations.load_conversation(session, owner, conversation_id)
        entries = await trash.list_entries(session, owner, limit=limit, place=place, conversation_id=conversation_id)
        return Trash(entries, (await preferences.load_preferences(session, owner)).trash_days)


@shielded
async def restore(wb: Workbench, owner: str, entry_id: str) -> TrashEntry:
    """Bring back a conversation, or the pairs that were deleted together with this one; what that was.

    Raises:
        NotFoundError: nothing of that id is in the trash.
    """
    async with wb.store.write() as session:
        entry = await trash.find_entry(session, owner, entry_id)
        if is_conversation := entry.kind == "conversation":
            await trash.take_conversation(session, entry)
        pair_ids = () if is_conversation else await trash.load_pair_ids(session, entry)
    if is_conversation:
        wb.event_bus.publish_list(owner)
        return entry
    await mark_pairs(
        wb, owner, entry.conversation_id, [PairMarks(pair_id, Marks(deleted=False)) for pair_id in pair_ids]
    )
    return entry


@shielded
async def delete_for_good(wb: Workbench, owner: str, entry_id: str) -> None:
    """Delete something in the trash for good.

    Raises:
        NotFoundError: nothing of that id is in the trash.
    """
    async with wb.store.read() as session:
        entry = await trash.find_entry(session, owner, entry_id)
    await _delete(wb, owner, [entry])


@shielded
async def empty_trash(wb: Workbench, owner: str) -> int:
    """Delete all that is in the trash for good; how many entries that was."""
    async with wb.store.read() as session:
        entries = await trash.list_entries(session, owner)
    await _delete(wb, owner, entries)
    return len(entries)


async def purge_expired(wb: Workbench, at: datetime) -> int:
    """Delete for good what was in the trash longer than its owner wants by then; how many entries that was."""
    count = 0
    async with wb.store.read() as session:
        owners = await trash.list_owners(session)
    for owner in owners:
        async with wb.store.read() as session:
            days = (await preferences.load_preferences(session, owner)).trash_days
            if days is None:
                continue
            entries = await trash.list_entries(session, owner, before=at - timedelta(days=days))
        await _delete(wb, owner, entries)
        count += len(entries)
    return count


async def keep_purging(wb: Workbench) -> None:
    """Purge every hour as long as the process lives."""
    began, counted = now(), _count_seconds()
    await asyncio.sleep(FIRST_SECONDS)
    while True:
        at = now()
        drift = at - began - timedelta(seconds=_count_seconds() - counted)
        if drift > TRUSTED_DRIFT:
            log.warning("the clock was put forward; nothing in the trash is taken for old", by=str(drift))
        else:
            try:
                if count := await purge_expired(wb, at):
                    log.info("deleted for good what was in the trash long enough", entries=count)
            except StoreError as error:
                log.warning("the trash could not be gone through; it is tried again", fault=str(error))
            except Exception:  # a fault of ours with one entry must not be the end of all purging
                log.exception("going through the trash failed by a fault of Inview")
        await asyncio.sleep(ROUND_SECONDS)


async def _delete(wb: Workbench, owner: str, entries: Sequence[TrashEntry]) -> None:
    """Delete entries for good, as far as they are still in the trash when their turn comes."""
    for entry in entries:
        with suppress(NotFoundError):
            await _delete_one(wb, owner, entry)
        # Who asks next what changed would not be told of pairs that left without a trace.
        wb.sent_pairs.forget(entry.conversation_id)
        wb.sizes.forget(entry.conversation_id)


async def _delete_one(wb: Workbench, owner: str, seen: TrashEntry) -> None:
    while True:
        async with wb.store.write() as session:
            entry = await trash.find_entry(session, owner, seen.id)
            if entry.kind == "conversation":
                return await conversations.delete_conversation(session, owner, entry.id)
            # The first is deleted last: it is what the entry is found by.
            pair_ids = (await trash.load_pair_ids(session, entry))[::-1]
            named = await list_pair_attachments(session, pair_ids[:BATCH])
            await trash.delete_pairs(session, pair_ids[:BATCH])
            await release_attachments(session, owner, entry.conversation_id, named)
        if len(pair_ids) <= BATCH:
            return None


def _count_seconds() -> float:
    """A clock that nobody sets; where there is one, also while the computer sleeps."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))
