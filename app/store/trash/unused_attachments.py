"""Deletes attachments that a conversation no longer uses after pairs were deleted or a queued text was removed.

    ids = await list_pair_attachments(session, pair_ids)       # before the pairs are deleted
    await release_attachments(session, owner, conversation_id, ids)

`conversations.delete_conversation_forever` deletes the attachments of a conversation that is deleted.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Text, delete, func, or_, select, type_coerce
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.attachments.attachments import id_of, list_named
from app.domain.conversation.parts import Part, TextFile
from app.store.attachments.attachments import MAX_IDS, delete_unused
from app.store.attachments.rows_attachment import ATTACHMENT_USE
from app.store.attachments.rows_upload import UPLOAD
from app.store.conversation.conversations import list_derived
from app.store.conversation.rows import MESSAGE, RUN
from app.store.database.damage import Reading
from app.store.database.parts_json import read_parts
from app.store.run.rows_queue import QUEUED
from app.store.tools.rows_tools import TOOL_CALL


async def list_pair_attachments(session: AsyncSession, pair_ids: Sequence[str]) -> tuple[str, ...]:
    """Return the ids of the attachments of pairs, including text files: in messages, old versions and tool calls."""
    runs = select(RUN.c.id).where(RUN.c.pair_id.in_(pair_ids))
    places = (
        select(MESSAGE.c.parts).where(MESSAGE.c.pair_id.in_(pair_ids), _has_files(MESSAGE.c.parts)),
        select(TOOL_CALL.c.content).where(TOOL_CALL.c.run_id.in_(runs), _has_files(TOOL_CALL.c.content)),
    )
    found = dict[str, None]()
    for place in places:
        for stored in (await session.execute(place)).scalars():
            found |= dict.fromkeys(list_bytes(read_parts(stored, Reading("message", "of a deleted pair"))))
    return tuple(found)


def list_bytes(parts: Iterable[Part]) -> tuple[str, ...]:
    """Return the ids of the attachments that parts name, including those of text files."""
    kept = tuple(parts)
    return (*list_named(kept), *(id_of(part) for part in kept if isinstance(part, TextFile)))


async def release_attachments(session: AsyncSession, owner: str, conversation_id: str, ids: Collection[str]) -> None:
    """Record that a conversation no longer uses these attachments, except those that it still names.

    This also deletes the conversation's uploads of these attachments, and then bytes that are no longer used.
    """
    if not ids:
        return
    here = (conversation_id, *await list_derived(session, conversation_id))
    left = [one for one in ids if not await _is_named(session, here, one)]
    for start in range(0, len(left), MAX_IDS):
        some = left[start : start + MAX_IDS]
        uses = (ATTACHMENT_USE.c.conversation_id == conversation_id, ATTACHMENT_USE.c.attachment_id.in_(some))
        await session.execute(delete(ATTACHMENT_USE).where(*uses))
        taken = (UPLOAD.c.owner == owner, UPLOAD.c.taken_by == conversation_id, UPLOAD.c.attachment_id.in_(some))
        await session.execute(delete(UPLOAD).where(*taken))
    await delete_unused(session, owner, left)


async def _is_named(session: AsyncSession, conversation_ids: Sequence[str], attachment_id: str) -> bool:
    """Return True if a message, a queued text or a tool call of these conversations names an attachment.

    A text that happens to contain the id also counts: then the bytes are kept.
    """
    runs = select(RUN.c.id).where(RUN.c.conversation_id.in_(conversation_ids))
    places = (
        select(MESSAGE.c.id).where(
            MESSAGE.c.conversation_id.in_(conversation_ids), _has(MESSAGE.c.parts, attachment_id)
        ),
        select(QUEUED.c.id).where(
            QUEUED.c.conversation_id.in_(conversation_ids), _has(QUEUED.c.attached, attachment_id)
        ),
        select(TOOL_CALL.c.run_id).where(TOOL_CALL.c.run_id.in_(runs), _has(TOOL_CALL.c.content, attachment_id)),
    )
    for place in places:
        if (await session.execute(place.limit(1))).first() is not None:
            return True
    return False


def _has_files(column: ColumnElement[Any]) -> ColumnElement[bool]:
    return or_(_has(column, "attachment_id"), _has(column, "text_file"))


def _has(column: ColumnElement[Any], text: str) -> ColumnElement[bool]:
    return func.instr(type_coerce(column, Text()), text) > 0
