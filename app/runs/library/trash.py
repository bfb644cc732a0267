"""The trash: restores what was deleted, or deletes it for good. `upkeep.py` deletes what has been there too long.

    entry = (await list_trash(wb, LOCAL_OWNER, limit=1)).entries[0]
    await restore(wb, LOCAL_OWNER, entry.id)

How things get there: `commands.delete_conversation`, `mark_commands.mark_pairs`, `delete_prompt` and resending. The
ledger stays as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from app.domain.conversation.marks import Marks, PairMarks
from app.domain.errors import NotFoundError
from app.runs.library.mark_commands import mark_pairs
from app.runs.library.prompt_commands import restore_prompt
from app.runs.process.shielded import shielded
from app.runs.workbench import Workbench
from app.store.conversation import conversations
from app.store.organise import trash
from app.store.organise.prompts import forget_prompt
from app.store.organise.trash import TrashEntry, TrashPlace
from app.store.settings import preferences

BATCH = 500
"""Pairs deleted for good at once: others get to write in between."""


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
    """Bring back a conversation, a prompt, or the pairs that were deleted together with this one; what that was.

    Raises:
        NotFoundError: nothing of that id is in the trash.
        ConflictError: another prompt has its name now, or there are too many.
    """
    async with wb.store.write() as session:
        entry = await trash.find_entry(session, owner, entry_id)
        if is_conversation := entry.kind == "conversation":
            await trash.take_conversation(session, entry)
        pair_ids = await trash.load_pair_ids(session, entry) if entry.kind == "pairs" else ()
    if entry.kind == "prompt":
        await restore_prompt(wb, owner, entry.id)
        return entry
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
            if entry.kind == "prompt":
                return await forget_prompt(session, owner, entry.id)
            # The first is deleted last: it is what the entry is found by.
            pair_ids = (await trash.load_pair_ids(session, entry))[::-1]
            await trash.delete_pairs(session, pair_ids[:BATCH])
        if len(pair_ids) <= BATCH:
            return None
