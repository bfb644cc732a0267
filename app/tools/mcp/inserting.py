"""Converts a server's prompt or resource to text that the user can insert into a draft.

A draft is text, so only text is accepted: a prompt or resource with other content is refused with an error that names
the content. A link to a resource stays a link: Inview never fetches an address just because a server named it.
"""

from __future__ import annotations

import base64
import binascii
from typing import Final

import mcp_types as types

from app.domain.attachments.attachments import look_at
from app.domain.tools.insertions import MAX_INSERTED, as_typed, join_spoken, quote_resource
from app.domain.tools.tools import ToolFailedError, ToolFault

MAX_PIECES: Final = 200
"""Maximum number of messages in an MCP server's prompt, or of contents in a resource."""


def write_prompt(server: str, name: str, result: types.GetPromptResult) -> str:
    """Join the messages of an MCP server's prompt to one text. `server` and `name` are for the error message.

    Raises:
        ToolFailedError: the prompt has content other than text, is empty, or is too large.
    """
    what = f'The prompt "{name}" of "{server}"'
    _see_few(what, len(result.messages))
    return _see_fit(what, join_spoken((one.role, _write(what, server, one.content)) for one in result.messages))


def write_resource(server: str, uri: str, result: types.ReadResourceResult) -> str:
    """Return the content of a resource, below a line with its source.

    Raises:
        ToolFailedError: the content is no text, is empty, or is too large.
    """
    what = f'{uri} of "{server}"'
    _see_few(what, len(result.contents))
    if not any(_size(one) for one in result.contents):
        raise _empty(what)
    return _see_fit(what, "\n\n".join(_quote(what, server, one) for one in result.contents))


def _write(what: str, server: str, content: types.ContentBlock) -> str:
    match content:
        case types.TextContent():
            return content.text
        case types.EmbeddedResource():
            return _quote(what, server, content.resource)
        case types.ResourceLink():
            return f"[{content.title or content.name}]({content.uri})"
        case types.ImageContent():
            raise _no_text(what, f"a picture ({content.mime_type})")
        case types.AudioContent():
            raise _no_text(what, f"a sound ({content.mime_type})")


def _quote(what: str, server: str, one: types.TextResourceContents | types.BlobResourceContents) -> str:
    media_type = one.mime_type or ""
    text = one.text if isinstance(one, types.TextResourceContents) else _read_text(what, one.blob, media_type)
    return quote_resource(server, str(one.uri), media_type, text)


def _size(one: types.TextResourceContents | types.BlobResourceContents) -> int:
    return len(one.text.strip() if isinstance(one, types.TextResourceContents) else one.blob)


def _read_text(what: str, blob: str, media_type: str) -> str:
    """Decode bytes to text, because some servers send every file as bytes."""
    try:
        data = base64.b64decode(blob, validate=True)
    except binascii.Error as error:
        raise ToolFailedError(
            ToolFault.PROTOCOL, f"{what} has bytes that are not base64.", "Report it to the author of the server."
        ) from error
    if picture := look_at(data):
        raise _no_text(what, f"a picture ({picture.media_type})")
    other = _no_text(what, f"bytes that are not text ({media_type or 'unknown type'})")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise other from error
    if "\0" in text:
        raise other
    return text


def _see_few(what: str, count: int) -> None:
    if count > MAX_PIECES:
        raise _too_much(what, "too many pieces", f"{MAX_PIECES}")


def _see_fit(what: str, text: str) -> str:
    if not text.strip():
        raise _empty(what)
    if len(text) > MAX_INSERTED:
        raise _too_much(what, f"{len(text):,} characters", f"{MAX_INSERTED:,}")
    return as_typed(text)


def _no_text(what: str, kind: str) -> ToolFailedError:
    return ToolFailedError(
        ToolFault.REFUSED,
        f"{what} contains {kind}. A message can only have text, so nothing was inserted.",
        "A tool of the server may be able to show it to the model.",
    )


def _empty(what: str) -> ToolFailedError:
    return ToolFailedError(ToolFault.PROTOCOL, f"{what} is empty.", "There is nothing to insert.")


def _too_much(what: str, size: str, most: str) -> ToolFailedError:
    return ToolFailedError(
        ToolFault.TOO_LARGE, f"{what} has {size}. The maximum is {most}.", "Ask the server for a part of it."
    )
