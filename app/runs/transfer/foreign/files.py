"""The images and files that a conversation names, from the archive it came in or from the message itself.

Pictures are written anew, as uploads are; texts become text files; a PDF stays a file. Whatever else there is, and what
is not there, is left out, and its message says so (`writer.py`).
"""

from __future__ import annotations

import asyncio
from typing import Final

from app.domain.conversation.attachments import MAX_BYTES, Attachment, look_at
from app.domain.conversation.parts import File, Part, TextFile
from app.domain.conversation.uploads import MAX_TEXT_BYTES, clean_name, decode_text
from app.domain.errors import InputError
from app.domain.transfer.foreign import Asset, ForeignConversation
from app.media.pictures import convert_picture
from app.runs.transfer.foreign.archive import Archive
from app.runs.transfer.foreign.writer import Files

MAX_TOGETHER: Final = 40 * 1024 * 1024
"""Bytes of the images and files of one conversation that are brought."""
PDF: Final = "application/pdf"


async def find_files(conversation: ForeignConversation, archive: Archive) -> Files:
    """Those that are there, in the order in which they are named."""
    assets = dict.fromkeys(part for one in conversation.messages for part in one.parts if isinstance(part, Asset))
    parts: dict[Asset, Part] = {}
    attachments: dict[str, Attachment] = {}
    room = MAX_TOGETHER
    for asset in assets:
        data = asset.data or (await asyncio.to_thread(archive.read_asset, asset.key) if asset.key else None)
        if not data or len(data) > min(room, MAX_BYTES):
            continue
        read = await _read(asset, data)
        if read is None:
            continue
        part, attachment = read
        parts[asset] = part
        if attachment is not None and attachment.id not in attachments:
            attachments[attachment.id] = attachment
            room -= len(attachment.data)
    return Files(parts, tuple(attachments.values()))


async def _read(asset: Asset, data: bytes) -> tuple[Part, Attachment | None] | None:
    name = clean_name(asset.name) if asset.name else "image"
    if look_at(data) is not None:
        try:
            made = await convert_picture(data, name)
        except InputError:
            return None
        attachment = Attachment(made.media_type, made.data, name)
        return attachment.part(), attachment
    if data.startswith(b"%PDF-"):
        attachment = Attachment(PDF, data, name)
        return File(attachment.id, PDF, name), attachment
    text = decode_text(data) if len(data) <= MAX_TEXT_BYTES else None
    return None if text is None else (TextFile(name, text), None)
