"""Converts the result of an MCP server's tool to parts that can be shown and sent to a model.

Texts stay texts. Images, sounds and other bytes become attachments. A link to a resource becomes a line with its
address: Inview never fetches an address just because a server named it.
"""

from __future__ import annotations

import binascii
from typing import Final

import mcp_types as types

from app.domain.attachments.attachments import MAX_BYTES, Attachment
from app.domain.conversation.parts import Text
from app.domain.tools.tools import ToolFailedError, ToolFault, ToolOutcome
from app.tools.mcp.json_text import write_json

MAX_PARTS: Final = 200


def read_outcome(result: types.CallToolResult) -> ToolOutcome:
    """Convert the result of a tool call from an MCP server.

    Raises:
        ToolFailedError: the result is too large, or its content does not have the declared form.
    """
    if len(result.content) > MAX_PARTS:
        raise _too_large("too many parts", f"{MAX_PARTS} are accepted")
    structured = None if result.structured_content is None else _write(result.structured_content)
    size = sum(map(_size, result.content)) + len(structured or "")
    if size > MAX_BYTES:
        raise _too_large(f"{size:,} bytes", f"{MAX_BYTES:,} are accepted")
    read = [_read(block) for block in result.content]
    return ToolOutcome(
        content=tuple(one.part() if isinstance(one, Attachment) else one for one in read),
        structured_json=structured,
        is_error=bool(result.is_error),
        attachments=tuple(one for one in read if isinstance(one, Attachment)),
    )


def _read(block: types.ContentBlock) -> Text | Attachment:
    match block:
        case types.TextContent():
            return Text(block.text)
        case types.ImageContent() | types.AudioContent():
            return Attachment(block.mime_type, _decode(block.data))
        case types.ResourceLink():
            about = f": {block.description}" if block.description else ""
            return Text(f"[{block.title or block.name}]({block.uri}){about}")
        case types.EmbeddedResource():
            return _read_resource(block.resource)


def _read_resource(resource: types.TextResourceContents | types.BlobResourceContents) -> Text | Attachment:
    if isinstance(resource, types.TextResourceContents):
        return Text(f"{resource.uri}\n{resource.text}")
    media_type = resource.mime_type or "application/octet-stream"
    return Attachment(media_type, _decode(resource.blob), str(resource.uri).rpartition("/")[2])


def _write(structured: object) -> str:
    try:
        return write_json(structured)
    except ValueError as error:
        raise ToolFailedError(
            ToolFault.PROTOCOL,
            f"The tool returned structured content that cannot be stored: {error}.",
            "Report it to the author of the server.",
        ) from error


def _decode(data: str) -> bytes:
    try:
        return binascii.a2b_base64(data, strict_mode=True)  # `base64.b64decode` would make a copy of the text
    except ValueError as error:  # the text is not base64, or not even ASCII
        raise ToolFailedError(
            ToolFault.PROTOCOL,
            "The tool returned bytes that are not base64.",
            "Report it to the author of the server.",
        ) from error


def _size(block: types.ContentBlock) -> int:
    match block:
        case types.TextContent():
            return len(block.text)
        case types.ImageContent() | types.AudioContent():
            return _size_within(block.data)
        case types.EmbeddedResource():
            inside = block.resource
            return len(inside.text) if isinstance(inside, types.TextResourceContents) else _size_within(inside.blob)
        case types.ResourceLink():
            return 0


def _size_within(data: str) -> int:
    """Return the number of bytes in a base64 text.

    >>> _size_within("R0lGODlh"), _size_within("R0k="), _size_within("")
    (6, 2, 0)
    """
    return len(data) * 3 // 4 - data[-2:].count("=")


def _too_large(what: str, most: str) -> ToolFailedError:
    return ToolFailedError(ToolFault.TOO_LARGE, f"The tool returned {what}. At most {most}.", "Request less at a time.")
