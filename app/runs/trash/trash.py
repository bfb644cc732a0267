"""The trash: restore deleted entries or delete them permanently.

    entry = (await list_trash(ctx, LOCAL_OWNER, limit=1)).entries[0]
    await restore(ctx, LOCAL_OWNER, entry.id)

Entries come from `conversation_commands.delete_conversation`, `mark_commands.mark_pairs` and resends. The ledger
does not change.
Not here: the automatic deletion of old entries (`purge.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from app.domain.audit import AuditAction
from app.domain.conversation.marks import Marks, PairMarks
from app.domain.errors import NotFoundError
from app.runs.app_context import AppContext
from app.runs.audit.audit import audit
from app.runs.conversation.mark_commands import mark_pairs
from app.runs.runtime.shielded import shielded
from app.store.conversation import conversations
from app.store.settings import preferences
from app.store.trash import trash
from app.store.trash.trash import TrashEntry, TrashPlace
from app.store.trash.unused_attachments import list_pair_attachments, release_attachments

BATCH = 500
"""Number of pairs deleted in one transaction, so that others can write in between."""


@dataclass(frozen=True, slots=True)
class Trash:
    """Entries of the trash, newest first. `days` is how long an entry is kept; None: until the trash is emptied."""

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
            await audit(session, owner, entry.id, AuditAction.RESTORED)
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
    await delete_entries(ctx, owner, [entry])


@shielded
async def empty_trash(ctx: AppContext, owner: str) -> int:
    """Delete all entries of the trash permanently. Return their number."""
    async with ctx.store.read() as session:
        entries = await trash.list_entries(session, owner)
    await delete_entries(ctx, owner, entries)
    return len(entries)


async def delete_entries(ctx: AppContext, owner: str, entries: Sequence[TrashEntry]) -> None:
    """Delete entries permanently, one after the other. Skip entries that are no longer in the trash."""
    for entry in entries:
        with suppress(NotFoundError):
            await _delete_one(ctx, owner, entry)
        # The caches compare revisions to notice changes. A permanent deletion leaves no revision, so empty them here.
        ctx.sent_pairs.forget(entry.conversation_id)
        ctx.sizes.forget(entry.conversation_id)


async def _delete_one(ctx: AppContext, owner: str, seen: TrashEntry) -> None:
    while True:
        async with ctx.store.write() as session:
            entry = await trash.find_entry(session, owner, seen.id)
            if entry.kind == "conversation":
                await conversations.delete_conversation_forever(session, owner, entry.id)
                return await audit(session, owner, entry.id, AuditAction.DELETED)
            # The first pair is deleted last, because it identifies the entry.
            pair_ids = (await trash.load_pair_ids(session, entry))[::-1]
            named = await list_pair_attachments(session, pair_ids[:BATCH])
            await trash.delete_pairs(session, pair_ids[:BATCH])
            await release_attachments(session, owner, entry.conversation_id, named)
            what, count = "pairs deleted permanently", len(pair_ids[:BATCH])
            await audit(session, owner, entry.conversation_id, AuditAction.CHANGED, what=what, pairs=count)
        if len(pair_ids) <= BATCH:
            return None
