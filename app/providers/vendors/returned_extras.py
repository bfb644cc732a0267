"""Extra data of a Chat Completions server that must be sent back together with a reply's text and tool calls.

Google signs calls in `extra_content` (https://ai.google.dev/gemini-api/docs/thought-signatures), OpenRouter signs its
reasoning in `reasoning_details` (https://openrouter.ai/docs/use-cases/reasoning-tokens). Both become the signature of
thinking, which is stored, exported and hashed with the reply, and which is sent to no other vendor.

    >>> sent = GoingBack()
    >>> sent.take_call(0, {"extra_content": {"google": {"thought_signature": "c2ln"}}})
    >>> signature = sent.release()
    >>> signature
    '{"calls":{"0":{"extra_content":{"google":{"thought_signature":"c2ln"}}}}}'
    >>> message = {"role": "assistant", "tool_calls": [{"id": "a"}]}
    >>> put_back(message, [signature])
    >>> message["tool_calls"]
    [{'id': 'a', 'extra_content': {'google': {'thought_signature': 'c2ln'}}}]
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, TypeGuard, cast

import orjson

from app.domain.errors import ErrorClass, ProviderError, failure
from app.providers.wire.json_values import fields_of, items_of

MAX_BYTES: Final = 4_000_000
"""Maximum bytes of extra data of one reply."""

_BESIDE: Final = "extra_content"
_DETAILS: Final = "reasoning_details"
_GROWING: Final = ("text", "summary", "data")
"""The fields of an item of `reasoning_details` whose texts arrive in pieces."""

Json = dict[str, Any]


class GoingBack:
    """The extra data of a streamed reply that the next request must send back to the server: mainly signatures.

    `release` returns the collected data as one text. This text is stored as the signature of the reply's thinking.
    """

    def __init__(self) -> None:
        self._size = 0
        self._details: list[Json] = []
        self._beside: Json = {}
        self._calls: dict[str, Json] = {}

    def take_message(self, delta: Json) -> None:
        """Collect the extra data of a delta of the message.

        Raises:
            ProviderError: the stream has too much extra data.
            FieldError: the extra data has an unexpected type.
        """
        details = delta.get(_DETAILS)
        for item in items_of(details, _DETAILS) if details else ():
            detail = fields_of(item, f"{_DETAILS}[]")
            self._count(detail)
            self._details.append(detail)
        if (beside := delta.get(_BESIDE)) and fields_of(beside, _BESIDE):
            self._count(beside)
            self._beside |= beside

    def take_call(self, number: int, call: Json) -> None:
        """Collect the extra data of the tool call with this number, from 0.

        Raises:
            ProviderError: the stream has too much extra data.
            FieldError: the extra data is no object.
        """
        if beside := fields_of(call.get(_BESIDE), f"tool_calls[].{_BESIDE}"):
            self._count(beside)
            self._calls[str(number)] = {_BESIDE: beside}

    def release(self) -> str | None:
        """Return the signature with all extra data since the last release, or None if there is none."""
        kept: Json = {}
        if self._details:
            kept[_DETAILS] = _join(self._details)
        if self._beside:
            kept[_BESIDE] = self._beside
        if self._calls:
            kept["calls"] = self._calls
        self._details, self._beside, self._calls = [], {}, {}
        return orjson.dumps(kept).decode() if kept else None

    def _count(self, taken: object) -> None:
        self._size += len(orjson.dumps(taken))
        if self._size > MAX_BYTES:
            words = f"The reply has more than {MAX_BYTES:,} bytes to send back."
            raise ProviderError(failure(ErrorClass.TOO_LONG, words))


def put_back(message: Json, signatures: Iterable[str]) -> None:
    """Add the extra data in `signatures` to a message that sends an earlier reply back to the server.

    `signatures` are texts that `GoingBack.release` returned. Other signatures, which have no extra data, are ignored.
    """
    calls: list[Json] = message.get("tool_calls", [])
    for signature in signatures:
        kept = _read(signature)
        if isinstance(details := kept.get(_DETAILS), list):
            message.setdefault(_DETAILS, []).extend(cast("list[object]", details))
        if _is_object(beside := kept.get(_BESIDE)):
            message[_BESIDE] = beside
        if _is_object(of_calls := kept.get("calls")):
            for number, call in enumerate(calls):
                if _is_object(beside := of_calls.get(str(number))) and _is_object(beside.get(_BESIDE)):
                    call[_BESIDE] = beside[_BESIDE]


def mark_unsigned(calls: list[Json]) -> None:
    """Add a substitute signature to the first tool call if no tool call has a signature.

    Google would refuse the message without it.
    """
    if calls and not any(_BESIDE in call for call in calls):
        calls[0][_BESIDE] = {"google": {"thought_signature": "skip_thought_signature_validator"}}


def _read(signature: str) -> Json:
    try:
        kept: object = orjson.loads(signature)
    except orjson.JSONDecodeError:
        return {}
    return cast("Json", kept) if isinstance(kept, dict) else {}


def _is_object(value: object) -> TypeGuard[Json]:
    return isinstance(value, dict) and bool(cast("Json", value))


def _join(details: list[Json]) -> list[Json]:
    """Join the pieces of each item of `reasoning_details`.

    The pieces of one item follow each other, and have the same `index` and `type`.
    """
    joined: list[Json] = []
    texts: dict[str, list[str]] = {}
    for detail in details:
        last = joined[-1] if joined else None
        same = last is not None and "index" in detail and _key(last) == _key(detail)
        if last is None or not same:
            _close(last, texts)
            joined.append(last := {**detail})
            texts = {}
        for name, value in detail.items():
            if name in _GROWING and isinstance(value, str):
                texts.setdefault(name, []).append(value)
            elif value is not None:
                last[name] = value
    _close(joined[-1] if joined else None, texts)
    return joined


def _key(detail: Json) -> tuple[object, object]:
    return detail.get("index"), detail.get("type")


def _close(detail: Json | None, texts: dict[str, list[str]]) -> None:
    if detail is not None:
        detail |= {name: "".join(pieces) for name, pieces in texts.items()}
