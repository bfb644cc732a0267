"""Uploads: files that a person attaches to a draft.

    upload = await attach_file(ctx, LOCAL_OWNER, data, "photo.jpg")
    attached = await load_attached(ctx, LOCAL_OWNER, [upload.id])
    await start_reply(ctx, LOCAL_OWNER, conversation_id, SendRequest("What is this?", attached=attached))

An upload is deleted when a person drops it, when the message that took it is deleted permanently, or after a week if no
message took it. The bytes of a message stay with the conversation, even if the upload is deleted. If the same bytes are
attached twice, there are two uploads, each with its name.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from app.domain.attachments.attachments import Attachment, Picture, list_named
from app.domain.attachments.uploads import MAX_ATTACHED, MAX_TEXTS_BYTES, Upload, UploadKind, clean_name, read_upload
from app.domain.conversation.parts import Part
from app.domain.errors import InputError, NotFoundError
from app.media.pictures import convert_picture
from app.runs.app_context import AppContext
from app.runs.request.attachments import NOTHING_ATTACHED, AttachedParts
from app.runs.runtime.ids import new_id, now
from app.runs.runtime.shielded import shielded
from app.runs.temporary.temporary import find_attachment, open_temporary
from app.store.attachments import uploads
from app.store.database.database import Store

KEPT: Final = timedelta(days=7)
"""Maximum time that an upload without a message is stored."""


@shielded
async def attach_file(ctx: AppContext, owner: str, data: bytes, name: str, *, temporary: bool = False) -> Upload:
    """Store a file for a draft. Pictures are converted: upright, scaled down, without metadata.

    `temporary`: the draft is for a temporary conversation, so nothing is written to the disk.

    Raises:
        InputError: the file cannot be sent or is too large, or there are too many uploads.
    """
    read = read_upload(data, name)
    if isinstance(read, Picture):
        name = clean_name(name)
        made = await convert_picture(data, name)
        attachment = Attachment(made.media_type, made.data, name)
        upload = Upload(
            new_id(), attachment, UploadKind.IMAGE, made.width, made.height, made.full_width, made.full_height
        )
    else:
        upload = Upload(new_id(), Attachment("text/plain", read.text.encode(), read.name), UploadKind.TEXT)
    store = (await open_temporary(ctx)).store if temporary else ctx.store
    at = now()
    async with store.write() as session:
        await uploads.forget_old_uploads(session, at - KEPT)
        await uploads.keep_upload(session, owner, upload, at)
    return upload


async def find_uploads(ctx: AppContext, owner: str, ids: Sequence[str]) -> tuple[Upload, ...]:
    """Return the uploads with these ids, in the order of the ids. Ids of uploads that are not stored are ignored."""
    found = await _find_uploads(ctx, owner, ids)
    return tuple(found[one] for one in dict.fromkeys(ids) if one in found)


async def _find_uploads(ctx: AppContext, owner: str, ids: Sequence[str]) -> dict[str, Upload]:
    """Find uploads. Each id is that of an upload or of its bytes. Return the found uploads by these ids."""
    found: dict[str, Upload] = {}
    for store in _stores(ctx):
        async with store.read() as session:
            found |= await uploads.load_uploads(session, owner, ids)
    return found


@shielded
async def drop_upload(ctx: AppContext, owner: str, upload_id: str) -> None:
    """Delete an upload. If `upload_id` is the hash of bytes, delete all uploads with these bytes.

    Messages that took an upload keep their copy of the bytes.

    Raises:
        NotFoundError: there is no such upload.
    """
    found = False
    for store in _stores(ctx):
        async with store.write() as session:
            found |= await uploads.forget_upload(session, owner, upload_id)
    if not found:
        raise NotFoundError("upload", upload_id)


async def load_attached(ctx: AppContext, owner: str, ids: Sequence[str]) -> AttachedParts:
    """Load the attachments for a new message. Each id names an upload, or an image or a file in an earlier message.

    Raises:
        InputError: an attachment is missing, there are too many, or they are too large together.
    """
    if not ids:
        return NOTHING_ATTACHED
    if len(ids) > MAX_ATTACHED:
        raise InputError("attachments", f"are {len(ids)} files. The maximum for one message is {MAX_ATTACHED}.")
    found = await _find_uploads(ctx, owner, ids)
    parts: list[Part] = []
    files: list[Attachment] = []
    for one in dict.fromkeys(ids):
        upload = found.get(one)
        attachment = await _find(ctx, owner, one) if upload is None else upload.attachment
        parts.append(attachment.part() if upload is None else upload.part)
        if upload is None or upload.kind is UploadKind.IMAGE:
            files.append(attachment)
    _require_room([one for one in found.values() if one.kind is UploadKind.TEXT])
    return AttachedParts(tuple(parts), tuple(files), tuple(dict.fromkeys(one.id for one in found.values())))


async def load_bytes(ctx: AppContext, owner: str, parts: tuple[Part, ...]) -> AttachedParts:
    """Return these parts, together with the bytes of the attachments that they name.

    Raises:
        InputError: the bytes of some attachments are missing.
    """
    return AttachedParts(parts, tuple([await _find(ctx, owner, one) for one in dict.fromkeys(list_named(parts))]))


async def _find(ctx: AppContext, owner: str, attachment_id: str) -> Attachment:
    try:
        return await find_attachment(ctx, owner, attachment_id)
    except NotFoundError:
        raise InputError("attachments", f"{attachment_id[:12]}… is no longer stored. Attach the file again.") from None


def _require_room(texts: Sequence[Upload]) -> None:
    total = sum(len(one.attachment.data) for one in texts)
    if total > MAX_TEXTS_BYTES:
        most = MAX_TEXTS_BYTES // 2**20
        raise InputError("attachments", f"have {total / 2**20:.1f} MiB of text. The maximum for one message is {most}.")


def _stores(ctx: AppContext) -> tuple[Store, ...]:
    """Return the store of temporary conversations, if it is open, and the main store."""
    return (ctx.store,) if ctx.temporary.ctx is None else (ctx.temporary.ctx.store, ctx.store)
