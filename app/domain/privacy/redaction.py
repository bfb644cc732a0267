"""Redaction: replaces secrets of known forms in a request by placeholders before the request is sent.

Redaction is deterministic: an equal text is always replaced equally, so a cached prefix stays equal. Redacting twice
has the same result as redacting once. A placeholder names only the kind of the secret. It has no hash, which would
reveal something about the secret, and no number, which would change when a filter hides an earlier pair. `secrets.py`
finds the secrets.

    >>> redact_text("key=AKIAIOSFODNN7EXAMPLE").text
    'key=[redacted: AWS access key]'
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from operator import is_
from typing import Final, assert_never, cast

from app.domain.conversation.conversation import Pair, Replaced
from app.domain.conversation.parts import File, Image, Part, Text, TextFile, Thinking, ToolCall, ToolResult
from app.domain.privacy.secrets import find_secrets
from app.domain.request.request import Request, RequestMessage

MAX_REMEMBERED = 4096
"""Maximum number of texts whose redaction is cached. The texts of a history are sent unchanged many times."""
_READABLE: Final = frozenset({"text", "summary"})
"""The fields with readable text in a signature that is JSON. The other fields are opaque."""
SIGNED = "This thinking is left out: it contains a secret, and signed thinking cannot be changed."


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text with placeholders instead of its secrets, and the kinds of these secrets, in order."""

    text: str
    kinds: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RedactedRequest:
    """A request with placeholders instead of its secrets. `replaced` describes each of these secrets.

    `left_out` has an entry for each signed thinking that was left out because it contains a secret: the id of its pair,
    or None if it is in the draft.
    """

    request: Request
    replaced: tuple[Replaced, ...] = ()
    left_out: tuple[str | None, ...] = ()


def placeholder_of(kind: str) -> str:
    """Return the placeholder that replaces a secret of this kind."""
    return f"[redacted: {kind}]"


@lru_cache(maxsize=MAX_REMEMBERED)
def redact_text(text: str) -> Redacted:
    """Replace every secret of a known form by a placeholder. A text without secrets is returned unchanged."""
    found = find_secrets(text)
    if not found:
        return Redacted(text)
    pieces: list[str] = []
    end = 0
    for secret in found:
        pieces += (text[end : secret.start], placeholder_of(secret.kind))
        end = secret.end
    return Redacted("".join((*pieces, text[end:])), tuple(secret.kind for secret in found))


def redact_request(request: Request) -> RedactedRequest:
    """Return the request with placeholders instead of its secrets, with a list of the replaced secrets.

    Signed thinking with a secret is left out. Tools and parameters are not changed, because a person set them up.
    """
    replaced: list[Replaced] = []
    left_out: list[str | None] = []
    system = redact_text(request.system)
    replaced += [Replaced(kind, "system") for kind in system.kinds]
    messages: list[RequestMessage] = []
    for message in request.messages:
        parts = tuple(_redact_parts(message, replaced, left_out))
        same = len(parts) == len(message.parts) and all(map(is_, parts, message.parts))
        if same or parts:
            messages.append(message if same else replace(message, parts=parts))
    if not replaced and not left_out:
        return RedactedRequest(request)
    changed = replace(request, system=system.text, messages=tuple(messages))
    return RedactedRequest(changed, tuple(replaced), tuple(left_out))


def list_replaced(pair: Pair) -> tuple[Replaced, ...]:
    """Return the secrets in a pair that redaction would replace by placeholders when the pair is sent."""
    request = [Replaced(kind, "request", pair.id) for kind in _kinds_in(pair.request.parts)]
    if pair.reply is None:
        return tuple(request)
    found = [
        Replaced(kind, _place_of(part, "reply"), pair.id) for part in pair.reply.parts for kind in _kinds_in((part,))
    ]
    return (*request, *found)


def _redact_parts(message: RequestMessage, replaced: list[Replaced], left_out: list[str | None]) -> Iterable[Part]:
    for part in message.parts:
        kinds = _kinds_in((part,))
        if not kinds:
            yield part
        elif isinstance(part, Thinking) and part.signature is not None:
            left_out.append(message.pair_id)
        else:
            place = _place_of(part, "request" if message.role == "user" else "reply")
            replaced += [Replaced(kind, place, message.pair_id) for kind in kinds]
            yield _redact_part(part)


def _place_of(part: Part, otherwise: str) -> str:
    match part:
        case ToolCall():
            return "tool_call"
        case ToolResult():
            return "tool_result"
        case _:
            return otherwise


def _kinds_in(parts: Iterable[Part]) -> tuple[str, ...]:
    return tuple(kind for part in parts for text in _texts_of(part) for kind in redact_text(text).kinds)


def _texts_of(part: Part) -> tuple[str, ...]:
    match part:
        case Text() | TextFile():
            return (part.text,)
        case Thinking():
            text = () if part.redacted else (part.text,)
            return (*text, *_texts_in(part.signature or ""))
        case ToolCall():
            return (part.input_json,)
        case ToolResult():
            return tuple(piece.text for piece in part.content if isinstance(piece, Text))
        case Image() | File():
            return ()
        case _:
            assert_never(part)


def _texts_in(signature: str) -> tuple[str, ...]:
    """Return the readable texts of a signature that is JSON, such as OpenRouter's `reasoning_details`.

    A signature in another form has none.
    """
    if not signature.startswith("{"):
        return ()
    try:
        decoded: object = json.loads(signature)
    except (ValueError, RecursionError):
        return ()  # no vendor accepts such a signature
    return tuple(_find_texts(decoded))


def _find_texts(decoded: object) -> Iterator[str]:
    if isinstance(decoded, list):
        for item in cast("list[object]", decoded):
            yield from _find_texts(item)
    elif isinstance(decoded, dict):
        for name, value in cast("dict[str, object]", decoded).items():
            if isinstance(value, str) and name in _READABLE:
                yield value
            else:
                yield from _find_texts(value)


def _redact_part(part: Part) -> Part:
    match part:
        case Text():
            return Text(redact_text(part.text).text)
        case TextFile() | Thinking():
            return replace(part, text=redact_text(part.text).text)
        case ToolCall():
            return replace(part, input_json=redact_text(part.input_json).text)
        case ToolResult():
            pieces = (
                Text(redact_text(piece.text).text) if isinstance(piece, Text) else piece for piece in part.content
            )
            return replace(part, content=tuple(pieces))
        case Image() | File():
            return part
        case _:
            assert_never(part)
