"""The trash: restore deleted entries or delete them permanently. Old entries are deleted automatically.

    entry = (await list_trash(ctx, LOCAL_OWNER, limit=1)).entries[0]
    await restore(ctx, LOCAL_OWNER, entry.id)

Entries come from `commands.delete_conversation`, `mark_commands.mark_pairs` and resends. The ledger does not change.
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
from app.runs.app_context import AppContext
from app.runs.library.mark_commands import mark_pairs
from app.runs.runtime.ids import now
from app.runs.runtime.shielded import shielded
from app.store.conversation import conversations
from app.store.trash import trash
from app.store.trash.trash import TrashEntry, TrashPlace
from app.store.settings import preferences
from app.store.trash.unused_attachments import list_pair_attachments, release_attachments

BATCH = 500
"""Number of pairs deleted in one transaction, so that others can write in between."""
FIRST_SECONDS = 600.0
"""Delay of the first purge after the start. By then a wrong clock is probably corrected."""
ROUND_SECONDS = 3600.0
TRUSTED_DRIFT = timedelta(hours=1)
"""Maximum drift of the clock while the process runs.

After a larger jump forward, nothing is purged, because entries could seem older than they are.
"""

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Trash:
    """Entries of the trash, newest first. `days`: how long each entry is kept; None: until the trash is emptied."""

    entries: tuple[TrashEntry, ...]
    days: int | None


async def list_trash(
    ctx: AppContext, owner: str, *, limit: int, place: TrashPlace | None = None, conversation_id: str | None = None
) -> Trash:
    """List the entries that can be restored. `conversation_id`: only pairs that were deleted from it.

    Raises:
        NotFoundError: this owner has no such conversation.
    """
    async with ctx.store.read() as session:
        if conversation_id is not None:
            await conversations.load_conversation(session, owner, conversation_id)
        entries = await trash.list_entries(session, owner, limit=limit, place=place, conversation_id=conversation_id)
        return Trash(entries, (await preferences.load_preferences(session, owner)).trash_days)


@shielded
async def restore(ctx: AppContext, owner: str, entry_id: str) -> TrashEntry:
    """Restore an entry of the trash: a conversation, or pairs that were deleted together. Return the entry.

    Raises:
        NotFoundError: the trash has no entry with this id.
    """
    async with ctx.store.write() as session:
        entry = await trash.find_entry(session, owner, entry_id)
        if is_conversation := entry.kind == "conversation":
            await trash.take_conversation(session, entry)
        pair_ids = () if is_conversation else await trash.load_pair_ids(session, entry)
    if is_conversation:
        ctx.event_bus.publish_list(owner)
        return entry
    await mark_pairs(
        ctx, owner, entry.conversation_id, [PairMarks(pair_id, Marks(deleted=False)) for pair_id in pair_ids]
    )
    return entry


@shielded
async def delete_for_good(ctx: AppContext, owner: str, entry_id: str) -> None:
    """Delete an entry of the trash permanently.

    Raises:
        NotFoundError: the trash has no entry with this id.
    """
    async with ctx.store.read() as session:
        entry = await trash.find_entry(session, owner, entry_id)
    await _delete(ctx, owner, [entry])


@shielded
async def empty_trash(ctx: AppContext, owner: str) -> int:
    """Delete all entries of the trash permanently; return how many."""
    async with ctx.store.read() as session:
        entries = await trash.list_entries(session, owner)
    await _delete(ctx, owner, entries)
    return len(entries)


async def purge_expired(ctx: AppContext, at: datetime) -> int:
    """Permanently delete the entries that are older at the time `at` than their owner's limit; return how many."""
    count = 0
    async with ctx.store.read() as session:
        owners = await trash.list_owners(session)
    for owner in owners:
        async with ctx.store.read() as session:
            days = (await preferences.load_preferences(session, owner)).trash_days
            if days is None:
                continue
            entries = await trash.list_entries(session, owner, before=at - timedelta(days=days))
        await _delete(ctx, owner, entries)
        count += len(entries)
    return count


async def keep_purging(ctx: AppContext) -> None:
    """Purge every hour while the process lives."""
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


async def _delete(ctx: AppContext, owner: str, entries: Sequence[TrashEntry]) -> None:
    """Delete entries permanently, one after the other. Entries that have left the trash meanwhile are skipped."""
    for entry in entries:
        with suppress(NotFoundError):
            await _delete_one(ctx, owner, entry)
        # Caches follow changes by revision, and permanently deleted pairs leave no revision.
        ctx.sent_pairs.forget(entry.conversation_id)
        ctx.sizes.forget(entry.conversation_id)


async def _delete_one(ctx: AppContext, owner: str, seen: TrashEntry) -> None:
    while True:
        async with ctx.store.write() as session:
            entry = await trash.find_entry(session, owner, seen.id)
            if entry.kind == "conversation":
                return await conversations.delete_conversation(session, owner, entry.id)
            # The first pair is deleted last, because it identifies the entry.
            pair_ids = (await trash.load_pair_ids(session, entry))[::-1]
            named = await list_pair_attachments(session, pair_ids[:BATCH])
            await trash.delete_pairs(session, pair_ids[:BATCH])
            await release_attachments(session, owner, entry.conversation_id, named)
        if len(pair_ids) <= BATCH:
            return None


def _count_seconds() -> float:
    """Return the seconds of a clock that cannot be set.

    It also runs while the computer sleeps, if the system has such a clock.
    """
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))
