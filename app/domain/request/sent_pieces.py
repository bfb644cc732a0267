"""The pieces of a sent request: parameters, system text, tools and messages, each with its hash.

The record of a provider call is a list of pieces (`store/ledger/sent_calls.py`). The text of a piece is its canonical
form (`hashing.py`), except for the system text, which is stored unchanged. Equal texts have equal hashes in all
requests. (Content hashes are different: they also depend on the earlier messages.)

    >>> from app.domain.request.request import Request
    >>> from app.domain.conversation.parts import Text
    >>> request = Request("offline:demo", "Be brief.", (RequestMessage("user", (Text("Hello"),), "p1"),))
    >>> [(one.piece.role, one.piece.length, one.pair_id) for one in write_pieces(request)]
    [('system', 9, None), ('user', 5, 'p1')]
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Final, Literal, cast, get_args

from app.domain.conversation.parts import File, Image, SentPart, Text, Thinking, ToolCall, ToolResult
from app.domain.request.hashing import canonical_message, canonical_parameters, canonical_tools
from app.domain.request.request import Request, RequestMessage, ToolDefinition, WireRole, count_characters

PieceRole = Literal["parameters", "system", "tools", "user", "assistant", "tool"]
ROLES: Final = frozenset(get_args(PieceRole))
HEAD: Final = frozenset({"parameters", "system", "tools"})
"""The roles of the pieces before the messages."""


@dataclass(frozen=True, slots=True)
class SentPiece:
    """A piece of a request without its text.

    `hash` is the SHA-256 of its text in hex. `length` is the number of characters that a model reads in a message, and
    the length of the text for other pieces.
    """

    role: PieceRole
    hash: str
    length: int
    has_tool_calls: bool = False


@dataclass(frozen=True, slots=True)
class WrittenPiece:
    """A piece with its text in UTF-8, which takes less memory than a `str`.

    `pair_id` is the id of the message's pair; None: it is the draft, or no message.
    """

    piece: SentPiece
    text: bytes = field(repr=False)
    pair_id: str | None = None


@dataclass(frozen=True, slots=True)
class SentContent:
    """The content of a request. A field of None: the request did not have this part, or its text is not stored."""

    parameters: Mapping[str, Any] | None = None
    system: str | None = None
    tools: tuple[ToolDefinition, ...] | None = None
    messages: tuple[RequestMessage | None, ...] = ()


def write_pieces(request: Request, shared: int | None = None) -> Iterator[WrittenPiece]:
    """Yield the pieces of a request with their texts.

    `shared`: leave out the pieces before the messages, and this number of messages.
    """
    if shared is None:
        yield from _write_head(request)
    for message in request.messages[shared or 0 :]:
        text = canonical_message(message)
        has_tool_calls = any(isinstance(part, ToolCall) for part in message.parts)
        piece = SentPiece(message.role, _hash(text), count_characters(message.parts), has_tool_calls)
        yield WrittenPiece(piece, text, message.pair_id)


def read_pieces(pieces: tuple[SentPiece, ...], texts: Mapping[str, str]) -> SentContent:
    """Return the content of a request from the texts of its pieces, by hash. A text may be missing.

    Raises:
        ValueError, KeyError, TypeError: a text was not written by `write_pieces`.
    """
    head = {piece.role: texts.get(piece.hash) for piece in pieces if piece.role in HEAD}
    parameters, tools = head.get("parameters"), head.get("tools")
    return SentContent(
        parameters=None if parameters is None else json.loads(parameters),
        system=head.get("system"),
        tools=None if tools is None else _read_tools(tools),
        messages=tuple(
            None if (text := texts.get(piece.hash)) is None else _read_message(text)
            for piece in pieces
            if piece.role not in HEAD
        ),
    )


def check_text(role: PieceRole, text: str) -> str:
    """Return the text of a piece if it can be read.

    Raises:
        ValueError, KeyError, TypeError: `write_pieces` did not write it.
    """
    read_pieces((SentPiece(role, "", 0),), {"": text})
    return text


def _write_head(request: Request) -> Iterator[WrittenPiece]:
    parameters = canonical_parameters(request)
    if parameters != b"{}":
        yield _write("parameters", parameters)
    if request.system:
        yield _write("system", request.system.encode())
    if request.tools:
        yield _write("tools", canonical_tools(request))


def _write(role: PieceRole, text: bytes) -> WrittenPiece:
    return WrittenPiece(SentPiece(role, _hash(text), len(text.decode())), text)


def _hash(text: bytes) -> str:
    return sha256(text).hexdigest()


def _read_message(text: str) -> RequestMessage:
    fields = json.loads(text)
    role = cast("WireRole", fields["role"])
    return RequestMessage(role, tuple(_read_part(part) for part in fields["parts"]))


def _read_tools(text: str) -> tuple[ToolDefinition, ...]:
    return tuple(ToolDefinition(tool["name"], tool["description"], tool["input_schema"]) for tool in json.loads(text))


def _read_part(fields: Mapping[str, Any]) -> SentPart:
    match fields["type"]:
        case "text":
            return Text(fields["text"])
        case "thinking":
            return Thinking(fields["text"], fields["signature"], fields["vendor"], fields["redacted"])
        case "image":
            return Image(fields["sha256"], fields["media_type"])
        case "file":
            return File(fields["sha256"], fields["media_type"], fields["name"])
        case "tool_call":
            return ToolCall(fields["id"], fields["name"], fields["input"], complete=True)
        case "tool_result":
            content = cast("tuple[Text | Image | File, ...]", tuple(_read_part(one) for one in fields["content"]))
            return ToolResult(fields["id"], content, fields["is_error"])
        case other:
            raise ValueError(f"there is no part of the type {other!r}")
