"""Conversion of an import file to records for the store: tool results, records of tool calls, images and files.

Not here: the schema (`import_shapes.py`), pairs (`import_records.py`) and storing (`importing.py`).
"""

from __future__ import annotations

from base64 import b64decode
from binascii import Error as NotBase64
from collections.abc import Iterator, Sequence
from datetime import datetime

from app.domain.attachments.attachments import MAX_BYTES, Attachment
from app.domain.conversation.parts import File, Image, Text
from app.domain.tools.tool_records import CallFault, ToolCallRecord
from app.runs.transfer.import_part_shapes import FileShape, ImageShape, TextShape
from app.runs.transfer.import_scan import FaultError
from app.runs.transfer.import_shapes import AttachmentShape, ToolCallRecordShape


def read_content(shape: TextShape | ImageShape | FileShape) -> Text | Image | File:
    """Convert one part of a tool result in the import file to a part of a message."""
    match shape:
        case TextShape():
            return Text(shape.text)
        case ImageShape():
            return Image(shape.attachment_id, shape.media_type, shape.width, shape.height)
        case FileShape():
            return File(shape.attachment_id, shape.media_type, shape.name)


def read_tool_calls(
    shapes: Sequence[ToolCallRecordShape], place: str, died_at: datetime | None
) -> Iterator[ToolCallRecord]:
    """Convert the tool calls of a run in the import file to records for the store.

    `died_at` is set if the run was active when the file was written. Calls without an end then get this time as their
    end.

    Raises:
        FaultError: two calls have the same id or number.
    """
    ids, numbers = set[str](), set[int]()
    for index, shape in enumerate(shapes):
        if shape.tool_call_id in ids or shape.number in numbers:
            raise FaultError(f"{place}.tool_calls[{index}]", "has the id or the number of another call of this run.")
        ids.add(shape.tool_call_id)
        numbers.add(shape.number)
        died = died_at is not None and shape.ended_at is None
        yield ToolCallRecord(
            tool_call_id=shape.tool_call_id,
            number=shape.number,
            name=shape.name,
            asked_json=shape.asked_json,
            asked_at=shape.asked_at,
            server_id=shape.server_id,
            server_name=shape.server_name,
            tool_name=shape.tool_name,
            title=shape.title,
            run_json=shape.run_json,
            started_at=shape.started_at,
            ended_at=died_at if died else shape.ended_at,
            is_error=died or shape.is_error,
            fault=CallFault.INTERRUPTED if died else shape.fault,
            structured_json=shape.structured_json,
            content=None if shape.content is None else tuple(map(read_content, shape.content)),
        )


def read_attachment(shape: AttachmentShape, place: str) -> Attachment:
    """Convert an image or a file in the import file to an attachment for the store.

    Raises:
        FaultError: its id is not the hash of its bytes, or it is too large.
    """
    try:
        data = b64decode(shape.data_base64, validate=True)
    except (NotBase64, ValueError) as error:
        raise FaultError(f"{place}.data_base64", "is not base64.") from error
    attachment = Attachment(shape.media_type, data, shape.name)
    if attachment.id != shape.id:
        raise FaultError(f"{place}.data_base64", "does not match its id, which is the SHA-256 of the bytes.")
    if len(data) > MAX_BYTES:
        raise FaultError(f"{place}.data_base64", f"is larger than {MAX_BYTES // 2**20} MiB.")
    return attachment
