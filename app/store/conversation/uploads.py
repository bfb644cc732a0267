"""Queries of uploads: files kept for messages to be. An upload holds its bytes as a conversation does.

await keep_upload(session, owner, upload, at)
found = await load_uploads(session, owner, [upload.attachment.id])
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import delete, func, insert, select
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.conversation.attachments import Attachment
from app.domain.conversation.uploads import Upload, UploadKind
from app.domain.errors import InputError
from app.store.conversation.attachments import delete_unused, insert_bytes
from app.store.conversation.rows_attachment import ATTACHMENT
from app.store.conversation.rows_upload import UPLOAD
from app.store.database.damage import a_blob, a_text, read_rows
from app.store.database.mapping import decode_word

MAX_KEPT_BYTES = 1024 * 1024 * 1024
"""Bytes of all uploads of an owner that wait for a message."""


async def keep_upload(session: AsyncSession, owner: str, upload: Upload, at: datetime) -> None:
    """Keep a file until `forget_upload`, or until it is too old; the same bytes under the newest name.

    Raises:
        InputError: too much waits already.
    """
    attachment = upload.attachment
    waiting = select(func.coalesce(func.sum(ATTACHMENT.c.size), 0)).where(
        ATTACHMENT.c.owner == owner,
        ATTACHMENT.c.id.in_(select(UPLOAD.c.attachment_id).where(UPLOAD.c.owner == owner)),
    )
    if (await session.execute(waiting)).scalar_one() + len(attachment.data) > MAX_KEPT_BYTES:
        most = MAX_KEPT_BYTES // 2**20
        raise InputError("attachment", f"is too much: {most} MiB wait to be sent. Remove some from your drafts.")
    await session.execute(delete(UPLOAD).where(UPLOAD.c.owner == owner, UPLOAD.c.attachment_id == attachment.id))
    await insert_bytes(session, owner, [attachment], at)
    columns = {
        "owner": owner,
        "attachment_id": attachment.id,
        "kind": upload.kind,
        "name": attachment.name,
        "width": upload.width,
        "height": upload.height,
        "full_width": upload.full_width,
        "full_height": upload.full_height,
        "created_at": at,
    }
    await session.execute(insert(UPLOAD).values(columns))


async def load_uploads(session: AsyncSession, owner: str, ids: Sequence[str]) -> tuple[Upload, ...]:
    """Those of these uploads that are kept and can be read, in this order. At most a few hundred."""
    same = (ATTACHMENT.c.owner == UPLOAD.c.owner) & (ATTACHMENT.c.id == UPLOAD.c.attachment_id)
    query = select(UPLOAD, ATTACHMENT.c.media_type, ATTACHMENT.c.data).join(ATTACHMENT, same)
    asked = query.where(UPLOAD.c.owner == owner, UPLOAD.c.attachment_id.in_(ids))
    rows = (await session.execute(asked)).mappings()
    found = dict(read_rows(UPLOAD, rows, lambda row: (row["attachment_id"], _decode(row))))
    return tuple(found[one] for one in dict.fromkeys(ids) if one in found)


def _decode(row: Any) -> Upload:
    return Upload(
        Attachment(a_text(row["media_type"]), a_blob(row["data"]), row["name"]),
        decode_word(UploadKind, row["kind"]),
        row["width"],
        row["height"],
        row["full_width"],
        row["full_height"],
    )


async def forget_upload(session: AsyncSession, owner: str, attachment_id: str) -> bool:
    """Let an upload go; its bytes too, unless a conversation uses them. Tells whether there was one."""
    here = (UPLOAD.c.owner == owner, UPLOAD.c.attachment_id == attachment_id)
    if (await session.execute(select(UPLOAD.c.attachment_id).where(*here))).one_or_none() is None:
        return False
    await session.execute(delete(UPLOAD).where(*here))
    await delete_unused(session, owner, [attachment_id])
    return True


async def forget_old_uploads(session: AsyncSession, before: datetime) -> int:
    """Let go of everybody's uploads that were attached before this instant. Returns how many."""
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
