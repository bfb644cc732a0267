"""JSON for a browser: encoded by orjson if its output equals Reflex's, otherwise as Reflex does it.

    >>> to_json({"rows": (1, 2)}, fast=True, default=str)
    '{"rows":[1,2]}'

orjson writes NaN and the infinities as null, refuses integers over 64 bits and lone surrogates, and treats dictionaries
with keys other than strings differently. The caller passes `fast` for values that cannot change in place and contain
neither NaN nor an infinity. A value that orjson refuses is encoded by `json`, as Reflex does it. A text with a lone
surrogate is escaped as ASCII: it cannot be encoded as UTF-8, and sending it would end the connection.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Final

import orjson

# Dataclasses and dates are encoded by the framework, not by orjson.
_OPTIONS: Final = orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME
_LONE_SURROGATE: Final = re.compile("[\ud800-\udfff]")

Default = Callable[[Any], Any]
"""A function that converts a value that JSON cannot represent to a simpler one: Reflex's `serialize`."""


def to_json(value: Any, *, fast: bool, default: Default) -> str:
    """Return a value as JSON without blanks. `fast`: the value cannot change in place, and has no NaN or infinity.

    Raises:
        TypeError: `default` cannot convert the value either.
    """
    if fast:
        try:
            return orjson.dumps(value, default=default, option=_OPTIONS).decode()
        except TypeError:  # orjson refuses the value, or `default` does
            pass
    text = json.dumps(value, default=default, separators=(",", ":"), ensure_ascii=False)
    if _LONE_SURROGATE.search(text):
        return json.dumps(value, default=default, separators=(",", ":"))
    return text


def has_utf8(text: str) -> bool:
    """Return True if a text can be encoded as UTF-8: it has no lone surrogate."""
    return text.isascii() or _LONE_SURROGATE.search(text) is None


def to_object(members: Mapping[str, str]) -> str:
    """Return a JSON object with these members, whose values are JSON texts.

    >>> to_object({"a": "1", "b": "[]"})
    '{"a":1,"b":[]}'
    """
    return "{" + ",".join([f"{_written(name)}:{value}" for name, value in members.items()]) + "}"


@lru_cache(maxsize=4_096)
def _written(name: str) -> str:
    return json.dumps(name)
