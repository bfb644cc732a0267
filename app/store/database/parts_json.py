"""The stored form of parts: JSON objects with a `type` tag, decoded strictly.

    >>> encode_parts((Text("Hi"),))
    [{'type': 'text', 'text': 'Hi'}]
    >>> decode_parts([{"type": "text", "text": "Hi"}])
    (Text(text='Hi'),)

Unlike the canonical form of `domain/request/hashing.py` and the forms of providers, this form loses nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from types import MappingProxyType
from typing import Any, get_type_hints

import orjson

from app.domain.conversation.parts import Part, Text, ToolResult
from app.domain.errors import StoreError, words_of
from app.domain.run.run_log import PART_TYPES
from app.store.database.damage import Reading, a_list
from app.store.database.row import Json

_TYPES: Mapping[Any, type[Part]] = MappingProxyType({name: part for part, name in PART_TYPES.items()})
_HINTS: Mapping[str, dict[str, Any]] = MappingProxyType(
    {name: get_type_hints(part) for part, name in PART_TYPES.items()}
)


def encode_parts(parts: Iterable[Part]) -> list[Json]:
    """Encode parts as JSON values."""
    return [_encode(part) for part in parts]


def pack_parts(parts: Iterable[Part]) -> bytes:
    """Encode parts as the JSON text that is stored. The texts of files are decoded one after the other."""
    return b"[" + b",".join([orjson.dumps(_encode(part)) for part in parts]) + b"]"


def decode_parts(values: Iterable[Json]) -> tuple[Part, ...]:
    """Decode parts from JSON values.

    Raises:
        StoreError: this version does not know the type or a field of a part.
    """
    return tuple(map(_decode, values))


def read_parts(stored: Any, reading: Reading, *, release: bool = False) -> tuple[Part, ...]:
    """Decode the parts that can be read, and record damage for the others.

    `release`: remove each value from the list `stored` when it is read. This saves memory: otherwise each file of a
    message would be in memory twice, as a stored value and as a part.
    """
    values, parts = reading.take("parts", stored, a_list, []), list[Part]()
    for at, value in enumerate(values):
        if release:
            values[at] = None
        if (part := reading.take(f"parts[{at}]", value, _decode, None)) is not None:
            parts.append(part)
    return tuple(parts)


def _encode(part: Part) -> Json:
    if isinstance(part, Text):
        return {"type": "text", "text": part.text}
    if isinstance(part, ToolResult):
        content = encode_parts(part.content)
        result = {
            "type": "tool_result",
            "tool_call_id": part.tool_call_id,
            "content": content,
            "is_error": part.is_error,
        }
        seconds = {} if part.seconds is None else {"seconds": part.seconds}
        return result | seconds | ({"denied": True} if part.denied else {})
    return {"type": PART_TYPES[type(part)], **asdict(part)}


def _decode(value: Any) -> Part:
    try:
        kind = value["type"]
        if (
            kind == "text" and len(value) == 2 and type(value["text"]) is str
        ):  # nearly all parts are texts, and a history has thousands
            return Text(value["text"])
        fields = {name: field for name, field in value.items() if name != "type"}
        if kind == "tool_result":
            fields["content"] = decode_parts(fields["content"])
        _check_types(kind, fields)
        part = _TYPES[kind](**fields)
    except (KeyError, TypeError) as error:
        raise StoreError(
            f"A stored part cannot be read by this version of Inview ({words_of(error, 'no details')}). Another "
            "version wrote it, or it is damaged. Start that version, or restore a backup."
        ) from error
    return part


def _check_types(kind: str, fields: Mapping[str, Any]) -> None:
    hints = _HINTS[kind]
    for name, value in fields.items():
        if name in hints and name != "content" and not isinstance(value, hints[name]):
            raise TypeError(f"{kind}.{name} is not {hints[name]}")
