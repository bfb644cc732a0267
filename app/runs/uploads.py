"""Uploads: files that a person attaches to a message to be.

    upload = await attach_file(wb, LOCAL_OWNER, data, "photo.jpg")
    attached = await load_attached(wb, LOCAL_OWNER, [upload.attachment.id])
    await start_reply(wb, LOCAL_OWNER, conversation_id, "What is this?", attached=attached)

An upload is kept until it is dropped, or for a week. What a message took of it stays with the conversation.
"""

from __future__ import annotations

from collections.abc import Sequence

from app.domain.conversation.attachments import Attachment, Picture, list_named
from app.domain.conversation.documents import plan_document
from app.domain.conversation.parts import Part
from app.domain.conversation.uploads import (
    KEPT,
    MAX_ATTACHED,
    MAX_TEXTS_BYTES,
    Pdf,
    Upload,
    UploadKind,
    clean_name,
    read_upload,
)
from app.domain.errors import InputError, NotFoundError
from app.media.documents import read_pdf
from app.media.pictures import convert_picture
from app.runs.process.ids import now
from app.runs.process.shielded import shielded
from app.runs.request.attachments import NOTHING_ATTACHED, Attached
from app.runs.temporary import find_attachment, open_beside
from app.runs.workbench import Workbench
from app.store.conversation import uploads


@shielded
async def attach_file(wb: Workbench, owner: str, data: bytes, name: str, *, temporary: bool = False) -> Upload:
    """Keep a file for a later message. Pictures are encoded again: upright, scaled down, with nothing but pixels.

    A PDF is kept as the file and as text by page, as far as it can be sent so; the answer is the first of them, and
    says the other's id. `temporary`: for a temporary conversation, so that nothing of it is written to the disk.

    Raises:
        InputError: it is no file that can be sent, it is too large, or too much waits already.
    """
    name = clean_name(name)
    forms = await _prepare(data, name)
    store = (await open_beside(wb)).store if temporary else wb.store
    at = now()
    async with store.write() as session:
        await uploads.forget_old_uploads(session, at - KEPT)
        for one in forms:
            await uploads.keep_upload(session, owner, one, at)
    return forms[0]


async def _prepare(data: bytes, name: str) -> tuple[Upload, ...]:
    """The forms in which these bytes can be sent, the best first."""
    read = read_upload(data, name)
    if isinstance(read, Pdf):
        return plan_document(data, name, await read_pdf(data, name))
    if isinstance(read, Picture):
        made = await convert_picture(data, name)
        attachment = Attachment(made.media_type, made.data, name)
        return (Upload(attachment, UploadKind.IMAGE, made.width, made.height, made.full_width, made.full_height),)
    return (Upload(Attachment("text/plain", read.text.encode(), read.name), UploadKind.TEXT),)


async def find_uploads(wb: Workbench, owner: str, ids: Sequence[str]) -> tuple[Upload, ...]:
    """Those of these uploads that are kept, in this order."""
    found: dict[str, Upload] = {}
    for store in wb.stores:
        async with store.read() as session:
            found |= {one.attachment.id: one for one in await uploads.load_uploads(session, owner, ids)}
    return tuple(found[one] for one in dict.fromkeys(ids) if one in found)


@shielded
async def drop_upload(wb: Workbench, owner: str, attachment_id: str) -> None:
    """Keep a file no longer for a message to be. Messages that took it keep what they took.

    Raises:
        NotFoundError: it is not kept.
    """
    found = False
    for store in wb.stores:
        async with store.write() as session:
            found |= await uploads.forget_upload(session, owner, attachment_id)
    if not found:
        raise NotFoundError("upload", attachment_id)


async def load_attached(wb: Workbench, owner: str, ids: Sequence[str]) -> Attached:
    """What goes with a text: uploads, and images and files of messages, by their ids.

    Raises:
        InputError: one of them is not there, or they are too many, or too large together.
    """
    if not ids:
        return NOTHING_ATTACHED
    if len(ids) > MAX_ATTACHED:
        raise InputError("attachments", f"are {len(ids)} files; {MAX_ATTACHED} are the most for one message.")
    found = {one.attachment.id: one for one in await find_uploads(wb, owner, ids)}
    parts: list[Part] = []
    files: list[Attachment] = []
    for one in dict.fromkeys(ids):
        upload = found.get(one)
        attachment = await _find(wb, owner, one) if upload is None else upload.attachment
        parts.append(attachment.part() if upload is None else upload.part)
        if upload is None or upload.kind is not UploadKind.TEXT:
            files.append(attachment)
    _require_room([one for one in found.values() if one.kind is UploadKind.TEXT])
    return Attached(tuple(parts), tuple(files))


async def load_bytes(wb: Workbench, owner: str, parts: tuple[Part, ...]) -> Attached:
    """These parts with the bytes that they name.

    Raises:
        InputError: some are not there.
    """
    return Attached(parts, tuple([await _find(wb, owner, one) for one in dict.fromkeys(list_named(parts))]))


async def _find(wb: Workbench, owner: str, attachment_id: str) -> Attachment:
    try:
        return await find_attachment(wb, owner, attachment_id)
    except NotFoundError:
        raise InputError("attachments", f"{attachment_id[:12]}… is not kept any more. Attach the file again.") from None


def _require_room(texts: Sequence[Upload]) -> None:
    total = sum(len(one.attachment.data) for one in texts)
    if total > MAX_TEXTS_BYTES:
        most = MAX_TEXTS_BYTES // 2**20
        raise InputError("attachments", f"have {total / 2**20:.1f} MiB of text; {most} are the most for one message.")
