"""Metadata: a free JSON object of a program, stored with a conversation or a message. Models never get it.

The object is kept as JSON text, "" for none.

    >>> encode_metadata("metadata", {"ticket": 7, "labels": ["a"]})
    '{"ticket":7,"labels":["a"]}'
    >>> decode_metadata('{"ticket":7}'), decode_metadata("")
    ({'ticket': 7}, {})
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, Final, cast

from app.domain.errors import InputError, StoreError

MAX_METADATA_BYTES: Final = 16_384
"""The maximum size of the JSON text in bytes."""
MAX_METADATA_DEPTH: Final = 8
"""The maximum depth of nested objects and lists."""
MAX_METADATA_INTEGER: Final = 2**53
"""The largest absolute value of an integer. Programs read larger ones differently (RFC 8259, section 6)."""


def encode_metadata(field: str, value: Mapping[str, Any]) -> str:
    """Return the JSON text of metadata, "" for an empty object.

    Raises:
        InputError: the object is too large, or has a value that is not allowed. The error names `field`.
    """
    if not value:
        return ""
    _require_plain(field, value, MAX_METADATA_DEPTH)
    encoded = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    try:
        size = len(encoded.encode())
    except UnicodeEncodeError:
        raise InputError(field, "has an incomplete character (a lone surrogate). Correct it.") from None
    if size > MAX_METADATA_BYTES:
        raise InputError(field, f"has {size:,} bytes as JSON. The maximum is {MAX_METADATA_BYTES:,}.")
    return encoded


def decode_metadata(text: str) -> dict[str, Any]:
    """Return the metadata in a JSON text, an empty object for "".

    Raises:
        StoreError: the text is not a JSON object.
    """
    if not text:
        return {}
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise StoreError("it is not a JSON object")
    return cast("dict[str, Any]", value)


def _require_plain(field: str, value: object, depth: int) -> None:
    """Refuse values that JSON cannot carry unchanged, and objects and lists that are nested too deeply."""
    match value:
        case bool() | str() | None:
            return
        case int() if abs(value) <= MAX_METADATA_INTEGER:
            return
        case float() if math.isfinite(value):
            return
        case dict() | list() if depth > 0:
            inner = cast("Mapping[object, object] | list[object]", value)
            for one in inner.values() if isinstance(inner, Mapping) else inner:
                _require_plain(field, one, depth - 1)
        case dict() | list():
            raise InputError(field, f"has more than {MAX_METADATA_DEPTH} levels of objects and lists.")
        case int():
            raise InputError(field, f"has an integer beyond ±{MAX_METADATA_INTEGER:,}. Write it as a text.")
        case _:
            raise InputError(field, "has a value that is not JSON.")
