"""Queries of attachments: store bytes for a conversation, load them, and delete those that are no longer used.

    await keep_attachments(session, owner, conversation_id, [Attachment("image/png", data)], at)

Equal bytes are stored once per owner, however many conversations use them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, Select, delete, func, insert, literal, select, type_coerce
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.types import NullType

from app.domain.attachments.attachments import MAX_BYTES, MAX_BYTES_TOGETHER, Attachment, list_named
from app.domain.conversation.conversation import Message
from app.domain.conversation.parts import Part
from app.domain.errors import InputError, NotFoundError
from app.store.attachments.rows_attachment import ATTACHMENT, ATTACHMENT_USE
from app.store.attachments.rows_upload import UPLOAD
from app.store.database.damage import Reading, a_text

NOT_THERE: Final = "its message refers to it, but it is missing"
"""The reason of the damage if an attachment has no row."""
UNKNOWN_TYPE: Final = "application/octet-stream"
"""The media type of an attachment whose stored type cannot be read."""
MAX_IDS = 500
"""Maximum number of ids in one query, because SQLite limits the variables of a statement."""


async def keep_attachments(
    session: AsyncSession, owner: str, conversation_id: str, attachments: Iterable[Attachment], at: datetime
) -> None:
    """Store the bytes of attachments, and record that this conversation uses them.

    Raises:
        InputError: an attachment is too large, or all attachments of the conversation together would be too large.
    """
    by_id = {attachment.id: attachment for attachment in attachments}
    if not by_id:
        return
    for attachment in by_id.values():
        if len(attachment.data) > MAX_BYTES:
            size, most = len(attachment.data) / 2**20, MAX_BYTES // 2**20
            raise InputError("attachment", f"has {size:.1f} MiB. The maximum is {most}. Ask for a smaller one.")
    known = set((await session.execute(_uses(owner, conversation_id, by_id))).scalars())
    fresh = [by_id[one] for one in by_id if one not in known]
    if not fresh:
        return
    if await _size_of(session, owner, conversation_id) + sum(len(one.data) for one in fresh) > MAX_BYTES_TOGETHER:
        most = MAX_BYTES_TOGETHER // 2**20
        raise InputError(
            "attachment", f"is too much: this conversation already has {most} MiB. Start another conversation."
        )
    await insert_bytes(session, owner, fresh, at)
    await session.execute(insert(ATTACHMENT_USE), [_use(owner, conversation_id, one.id) for one in fresh])


async def insert_bytes(session: AsyncSession, owner: str, attachments: Sequence[Attachment], at: datetime) -> None:
    """Store the bytes of these attachments, if missing or incomplete.

    This does not record which conversation uses them.
    """
    ids = [one.id for one in attachments]
    stored, lost = await load_attachments(session, owner, ids), await find_lost(session, owner, ids)
    rows = [_encode(owner, one, at) for one in attachments if one.id in lost or stored[one.id] != one.data]
    if rows:
        here = (ATTACHMENT.c.owner == owner, ATTACHMENT.c.id.in_([row["id"] for row in rows]))
        await session.execute(delete(ATTACHMENT).where(*here))
        await session.execute(insert(ATTACHMENT), rows)


async def find_lost(session: AsyncSession, owner: str, ids: Collection[str]) -> dict[str, str]:
    """Return the ids of attachments that are missing or incomplete, each with the reason."""
    data: ColumnElement[bytes] = ATTACHMENT.c.data
    size: ColumnElement[Any] = type_coerce(ATTACHMENT.c.size, NullType())
    columns = (ATTACHMENT.c.id, size, func.typeof(data), func.length(data))
    lost = dict.fromkeys(ids, NOT_THERE)
    listed = list(lost)
    for start in range(0, len(listed), MAX_IDS):
        here = (ATTACHMENT.c.owner == owner, ATTACHMENT.c.id.in_(listed[start : start + MAX_IDS]))
        for stored, expected, kind, length in await session.execute(select(*columns).where(*here)):
            if kind != "blob":
                lost[stored] = "it is not bytes"
            elif not isinstance(expected, int):
                lost[stored] = "its size cannot be read"
            elif length != expected:
                lost[stored] = f"it has {length:,} of {expected:,} bytes"
            else:
                del lost[stored]
    return lost


async def use_attachments(
    session: AsyncSession, owner: str, conversation_id: str, messages: Iterable[Message | None]
) -> None:
    """Record that this conversation uses the attachments of new messages. Missing attachments are ignored."""
    await use_named(
        session, owner, conversation_id, [part for message in messages if message for part in message.parts]
    )


async def use_named(session: AsyncSession, owner: str, conversation_id: str, parts: Iterable[Part]) -> None:
    """Record that this conversation uses the attachments of these parts, which need not belong to a message yet."""
    named = list(dict.fromkeys(list_named(parts)))
    for start in range(0, len(named), MAX_IDS):
        some = named[start : start + MAX_IDS]
        chosen = select(literal(conversation_id), ATTACHMENT.c.id, literal(owner)).where(
            ATTACHMENT.c.owner == owner,
            ATTACHMENT.c.id.in_(some),
            ATTACHMENT.c.id.not_in(_uses(owner, conversation_id, some)),
        )
        columns = ["conversation_id", "attachment_id", "owner"]
        await session.execute(insert(ATTACHMENT_USE).from_select(columns, chosen))


async def load_attachment(session: AsyncSession, owner: str, attachment_id: str) -> Attachment:
    """Return one attachment.

    Raises:
        NotFoundError: no attachment of this owner has that id, or its bytes cannot be read.
    """
    columns = (ATTACHMENT.c.media_type, ATTACHMENT.c.data, ATTACHMENT.c.name)
    query = select(*columns).where(ATTACHMENT.c.owner == owner, ATTACHMENT.c.id == attachment_id)
    row = (await session.execute(query)).one_or_none()
    if row is None or not isinstance(row.data, bytes):
        raise NotFoundError("attachment", attachment_id)
    take = Reading("attachment", attachment_id).take
    media_type = take("media_type", row.media_type, a_text, UNKNOWN_TYPE)
    return Attachment(media_type, row.data, take("name", row.name, a_text, ""))


async def load_attachments(session: AsyncSession, owner: str, ids: Collection[str]) -> dict[str, bytes]:
    """Return the bytes of these attachments, by id. Missing ones are left out."""
    found: dict[str, bytes] = {}
    listed = list(ids)
    for start in range(0, len(listed), MAX_IDS):
        here = (ATTACHMENT.c.owner == owner, ATTACHMENT.c.id.in_(listed[start : start + MAX_IDS]))
        rows = await session.execute(select(ATTACHMENT.c.id, ATTACHMENT.c.data).where(*here))
        found |= {row.id: row.data for row in rows if isinstance(row.data, bytes)}
    return found


async def measure_attachments(session: AsyncSession, owner: str, ids: Sequence[str]) -> dict[str, int]:
    """Return the sizes in bytes of these attachments, in this order. Missing and incomplete ones are left out."""
    sizes: dict[str, int] = {}
    lost = await find_lost(session, owner, ids)
    ids = [one for one in ids if one not in lost]
    for start in range(0, len(ids), MAX_IDS):
        here = (ATTACHMENT.c.owner == owner, ATTACHMENT.c.id.in_(ids[start : start + MAX_IDS]))
        rows = await session.execute(select(ATTACHMENT.c.id, ATTACHMENT.c.size).where(*here))
        sizes |= {row.id: row.size for row in rows}
    return {one: sizes[one] for one in ids if one in sizes}


async def list_used(session: AsyncSession, conversation_ids: Sequence[str]) -> tuple[str, ...]:
    """Return the ids of the attachments that these conversations use. `delete_taken` needs them later."""
    query = select(ATTACHMENT_USE.c.attachment_id).where(ATTACHMENT_USE.c.conversation_id.in_(conversation_ids))
    return tuple((await session.execute(query.distinct())).scalars())


async def delete_taken(session: AsyncSession, owner: str, conversation_ids: Sequence[str], used: Sequence[str]) -> None:
    """Delete the uploads that deleted conversations took, and the bytes that are no longer used.

    `used` is the result of `list_used` before the conversations were deleted.
    """
    here = (UPLOAD.c.owner == owner, UPLOAD.c.taken_by.in_(conversation_ids))
    taken = (await session.execute(delete(UPLOAD).where(*here).returning(UPLOAD.c.attachment_id))).scalars()
    await delete_unused(session, owner, tuple({*used, *taken}))


async def delete_unused(session: AsyncSession, owner: str, ids: Sequence[str]) -> None:
    """Delete these attachments, except those that a conversation or an upload uses."""
    used = select(ATTACHMENT_USE.c.attachment_id).where(ATTACHMENT_USE.c.owner == owner)
    uploaded = select(UPLOAD.c.attachment_id).where(UPLOAD.c.owner == owner)
    for start in range(0, len(ids), MAX_IDS):
        some = ids[start : start + MAX_IDS]
        here = (ATTACHMENT.c.owner == owner, ATTACHMENT.c.id.in_(some))
        unused = (ATTACHMENT.c.id.not_in(used), ATTACHMENT.c.id.not_in(uploaded))
        await session.execute(delete(ATTACHMENT).where(*here, *unused))


def _uses(owner: str, conversation_id: str, ids: Collection[str]) -> Select[str]:
    return select(ATTACHMENT_USE.c.attachment_id).where(
        ATTACHMENT_USE.c.owner == owner,
        ATTACHMENT_USE.c.conversation_id == conversation_id,
        ATTACHMENT_USE.c.attachment_id.in_(ids),
    )


async def _size_of(session: AsyncSession, owner: str, conversation_id: str) -> int:
    used = select(ATTACHMENT_USE.c.attachment_id).where(ATTACHMENT_USE.c.conversation_id == conversation_id)
    query = select(func.coalesce(func.sum(ATTACHMENT.c.size), 0))
    return (await session.execute(query.where(ATTACHMENT.c.owner == owner, ATTACHMENT.c.id.in_(used)))).scalar_one()


def _encode(owner: str, attachment: Attachment, at: datetime) -> dict[str, object]:
    return {
        "owner": owner,
        "id": attachment.id,
        "media_type": attachment.media_type,
        "name": attachment.name,
        "size": len(attachment.data),
        "created_at": at,
        "data": attachment.data,
    }


def _use(owner: str, conversation_id: str, attachment_id: str) -> dict[str, str]:
    return {"conversation_id": conversation_id, "attachment_id": attachment_id, "owner": owner}
