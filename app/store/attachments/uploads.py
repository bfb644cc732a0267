"""Queries of uploads: files for messages that are not sent yet. Their bytes stay stored while an upload uses them.

await keep_upload(session, owner, upload, at)
found = await load_uploads(session, owner, [upload.id])
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, delete, func, insert, or_, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.attachments.attachments import Attachment
from app.domain.attachments.uploads import Upload, UploadKind
from app.domain.errors import InputError
from app.store.attachments.attachments import delete_unused, insert_bytes
from app.store.attachments.rows_attachment import ATTACHMENT
from app.store.attachments.rows_upload import UPLOAD
from app.store.database.damage import a_blob, a_text, read_rows
from app.store.database.mapping import decode_word

MAX_KEPT_BYTES = 1024 * 1024 * 1024
"""Maximum bytes of all uploads of an owner."""


async def keep_upload(session: AsyncSession, owner: str, upload: Upload, at: datetime) -> None:
    """Store a file until `forget_upload` or `forget_old_uploads` deletes it.

    Raises:
        InputError: the owner's uploads together would be too large.
    """
    attachment = upload.attachment
    waiting = select(func.coalesce(func.sum(ATTACHMENT.c.size), 0)).where(
        ATTACHMENT.c.owner == owner,
        ATTACHMENT.c.id.in_(select(UPLOAD.c.attachment_id).where(UPLOAD.c.owner == owner)),
    )
    if (await session.execute(waiting)).scalar_one() + len(attachment.data) > MAX_KEPT_BYTES:
        most = MAX_KEPT_BYTES // 2**20
        raise InputError(
            "attachment", f"is too much: your drafts already have {most} MiB of files. Remove some from your drafts."
        )
    await insert_bytes(session, owner, [attachment], at)
    columns = {
        "owner": owner,
        "id": upload.id,
        "attachment_id": attachment.id,
        "kind": upload.kind,
        "name": attachment.name,
        "width": upload.width,
        "height": upload.height,
        "full_width": upload.full_width,
        "full_height": upload.full_height,
        "created_at": at,
    }
    await session.execute(insert(UPLOAD), columns)


async def load_uploads(session: AsyncSession, owner: str, ids: Sequence[str]) -> dict[str, Upload]:
    """Return these uploads, by the given ids. Missing and unreadable ones are left out. Pass at most a few hundred ids.

    If an id identifies an attachment, return the newest upload with these bytes.
    """
    same = (ATTACHMENT.c.owner == UPLOAD.c.owner) & (ATTACHMENT.c.id == UPLOAD.c.attachment_id)
    query = select(UPLOAD, ATTACHMENT.c.media_type, ATTACHMENT.c.data).join(ATTACHMENT, same)
    statement = query.where(*_conditions(owner, ids)).order_by(UPLOAD.c.created_at, UPLOAD.c.id)
    rows = (await session.execute(statement)).mappings()
    read = tuple(read_rows(UPLOAD, rows, _decode))
    found = {one.attachment.id: one for one in read} | {one.id: one for one in read}
    return {one: found[one] for one in ids if one in found}


def _conditions(owner: str, ids: Sequence[str]) -> tuple[ColumnElement[bool], ...]:
    """Return the condition for uploads with one of these ids: the id of the upload or of its bytes."""
    return UPLOAD.c.owner == owner, or_(UPLOAD.c.id.in_(ids), UPLOAD.c.attachment_id.in_(ids))


def _decode(row: Any) -> Upload:
    return Upload(
        row["id"],
        Attachment(a_text(row["media_type"]), a_blob(row["data"]), row["name"]),
        decode_word(UploadKind, row["kind"]),
        row["width"],
        row["height"],
        row["full_width"],
        row["full_height"],
    )


async def take_uploads(session: AsyncSession, owner: str, conversation_id: str, ids: Sequence[str]) -> None:
    """Record that a message or queued text of this conversation took these uploads."""
    if ids:
        here = (UPLOAD.c.owner == owner, UPLOAD.c.id.in_(ids))
        await session.execute(update(UPLOAD).where(*here).values(taken_by=conversation_id))


async def return_uploads(
    session: AsyncSession, owner: str, conversation_id: str, attachment_ids: Sequence[str]
) -> dict[str, str]:
    """Give uploads back to the draft: for each attachment, the newest upload that this conversation took.

    Return the ids of these uploads by the ids of their attachments.
    """
    here = (UPLOAD.c.owner == owner, UPLOAD.c.taken_by == conversation_id, UPLOAD.c.attachment_id.in_(attachment_ids))
    taken = select(UPLOAD.c.attachment_id, UPLOAD.c.id).where(*here).order_by(UPLOAD.c.created_at, UPLOAD.c.id)
    newest = {row.attachment_id: row.id for row in await session.execute(taken)}
    returned = (UPLOAD.c.owner == owner, UPLOAD.c.id.in_(newest.values()))
    await session.execute(update(UPLOAD).where(*returned).values(taken_by=None))
    return newest


async def forget_upload(session: AsyncSession, owner: str, upload_id: str) -> bool:
    """Delete the upload with this id, and bytes that are no longer used. Return False if there was no such upload.

    If the id identifies an attachment, all uploads with its bytes are deleted.
    """
    gone = await session.execute(
        delete(UPLOAD).where(*_conditions(owner, [upload_id])).returning(UPLOAD.c.attachment_id)
    )
    ids = tuple(set(gone.scalars()))
    await delete_unused(session, owner, ids)
    return bool(ids)


async def forget_old_uploads(session: AsyncSession, before: datetime) -> int:
    """Delete the uploads of all owners that were attached earlier than this time. Return their number."""
    old = UPLOAD.c.created_at < before
    ids = defaultdict[str, list[str]](list)
    found = await session.execute(select(UPLOAD.c.owner, UPLOAD.c.attachment_id).where(old))
    for owner, attachment_id in found.all():
        ids[owner].append(attachment_id)
    if ids:
        await session.execute(delete(UPLOAD).where(old))
    for owner, some in ids.items():
        await delete_unused(session, owner, some)
    return sum(map(len, ids.values()))
