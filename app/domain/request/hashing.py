"""Content hashes of a request. If two messages have equal hashes, their requests are equal up to these messages.

Every message of a request has a hash over the previous hash and the message's canonical form; the first hash is
computed from model, system text, tools and parameters. The canonical form is JSON in UTF-8 with a fixed order of keys
and without blanks. It does not depend on a vendor's wire format, so the hash of a stored request can be computed again
at any time.

    >>> from app.domain.request.request import Request
    >>> content_hash(Request("offline:demo", "", ()))[:16]
    '4f8a95fea4dcc301'
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from io import BytesIO
from typing import Final, assert_never

from app.domain.conversation.conversation import Parameters
from app.domain.conversation.parts import File, Image, SentPart, Text, Thinking, ToolCall, ToolResult
from app.domain.request.request import Request, RequestMessage, ToolDefinition

_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)
_quote = _ENCODER.encode
_PIECE: Final = 65_536
"""Maximum number of characters of a text that are encoded at once."""


@dataclass(frozen=True, slots=True)
class Hashed:
    """A request with its content hashes, from which the hashes of a longer request are computed faster."""

    request: Request
    hashes: tuple[str, ...]


def content_hashes(request: Request, known: Hashed | None = None) -> tuple[str, ...]:
    """Return the content hashes of a request, as hex SHA-256.

    Entry 0 is the hash of model, system text, tools and parameters. One entry per message follows. The hashes of the
    messages that `request` and `known` share at their beginning are taken from `known`.
    """
    seed = sha256(_canonical_seed(request).encode()).hexdigest()
    shared = _count_shared(request, known.request) if known is not None and known.hashes[0] == seed else 0
    hashes = list(known.hashes[: shared + 1]) if known is not None and shared else [seed]
    digest = bytes.fromhex(hashes[-1])
    for message in request.messages[shared:]:
        state = sha256(digest)
        for piece in _canonical_pieces(message):
            state.update(piece.encode())
        digest = state.digest()
        hashes.append(digest.hex())
    return tuple(hashes)


def content_hash(request: Request) -> str:
    """Return the hash of the whole request: the last of its content hashes."""
    return content_hashes(request)[-1]


def canonical_message(message: RequestMessage) -> bytes:
    """Return the canonical form of a message as JSON in UTF-8. It does not contain the id of the pair."""
    written = BytesIO()
    for piece in _canonical_pieces(message):
        written.write(piece.encode())
    return written.getvalue()


def _canonical_pieces(message: RequestMessage) -> Iterator[str]:
    """Yield the canonical form of a message in pieces, because the whole form takes much memory if files are large."""
    head = f'{{"role":{_quote(message.role)},"parts":['
    for part in message.parts:
        if not isinstance(part, Text):
            yield f"{head}{_quote(_part_fields(part))}"
        elif len(text := part.text) <= _PIECE:  # a fast path for nearly all parts, because a long history has thousands
            yield f'{head}{{"type":"text","text":{_quote(text)}}}'
        else:
            yield f'{head}{{"type":"text","text":"'
            for start in range(0, len(text), _PIECE):
                yield _quote(text[start : start + _PIECE])[1:-1]
            yield '"}'
        head = ","
    yield "]}" if message.parts else f"{head}]}}"


def canonical_tools(request: Request) -> bytes:
    """Return the canonical form of the tools of a request as JSON in UTF-8."""
    return _quote([_tool_fields(tool) for tool in request.tools]).encode()


def canonical_parameters(request: Request) -> bytes:
    """Return the canonical form of the parameters of a request as JSON in UTF-8, without those that are not set."""
    fields = _parameter_fields(request.parameters)
    return _quote({name: value for name, value in fields.items() if value is not None}).encode()


def _count_shared(request: Request, other: Request) -> int:
    """Count the equal messages at the beginning of both requests."""
    shared = 0
    for one, another in zip(request.messages, other.messages, strict=False):
        if one != another:
            break
        shared += 1
    return shared


def _canonical_seed(request: Request) -> str:
    return _quote(
        {
            "model": request.model,
            "system": request.system,
            "tools": [_tool_fields(tool) for tool in request.tools],
            "parameters": _parameter_fields(request.parameters),
        }
    )


def _tool_fields(tool: ToolDefinition) -> dict[str, str]:
    return {"name": tool.name, "description": tool.description, "input_schema": tool.input_schema_json}


def _parameter_fields(parameters: Parameters) -> dict[str, float | int | str | bool | None]:
    fields: dict[str, float | int | str | bool | None] = {
        "temperature": parameters.temperature,
        "top_p": parameters.top_p,
        "max_output_tokens": parameters.max_output_tokens,
        "seed": parameters.seed,
        "effort": parameters.effort,
        "thinking": parameters.thinking,
    }
    if parameters.reply_schema is not None:  # only if set, so that requests without a schema keep their earlier hashes
        fields["reply_schema"] = parameters.reply_schema
    return fields


def _part_fields(part: SentPart) -> dict[str, object]:
    match part:
        case Text():
            return {"type": "text", "text": part.text}
        case Thinking():
            return {
                "type": "thinking",
                "text": part.text,
                "signature": part.signature,
                "vendor": part.vendor,
                "redacted": part.redacted,
            }
        case Image():
            return {"type": "image", "sha256": part.attachment_id, "media_type": part.media_type}
        case File():
            return {
                "type": "file",
                "sha256": part.attachment_id,
                "media_type": part.media_type,
                "name": part.name,
            }
        case ToolCall():
            return {"type": "tool_call", "id": part.tool_call_id, "name": part.name, "input": part.input_json}
        case ToolResult():
            return {
                "type": "tool_result",
                "id": part.tool_call_id,
                "is_error": part.is_error,
                "content": [_part_fields(content) for content in part.content],
            }
        case _:
            assert_never(part)
