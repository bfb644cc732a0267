"""JSON for a browser: by orjson where it writes what Reflex would write, else as Reflex writes it.

    >>> to_json({"rows": (1, 2)}, fast=True, default=str)
    '{"rows":[1,2]}'

orjson writes NaN and the infinities as null, refuses whole numbers over 64 bits and lone surrogates, and has an opinion
on dictionaries with other keys than strings. The caller says what is `fast`: lasting values without NaN. What orjson
then refuses is written by `json`, which is what Reflex uses. Text with a lone surrogate is escaped as ASCII there: it
cannot be encoded as UTF-8, and trying to send it would end the connection.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

import orjson

# Dates as the framework writes them, not as orjson would. Lasting dataclasses it writes as their fields, as that does.
_OPTIONS: Final = orjson.OPT_PASSTHROUGH_DATETIME
_LONE_SURROGATE: Final = re.compile("[\ud800-\udfff]")

Default = Callable[[Any], Any]
"""Makes something simpler of a value that JSON cannot hold: Reflex's `serialize`."""


def to_json(value: Any, *, fast: bool, default: Default) -> str:
    """Return JSON without blanks.

    Raises:
        TypeError: not even `default` knows what to make of the value.
    """
    if fast:
        try:
            return orjson.dumps(value, default=default, option=_OPTIONS).decode()
        except TypeError:  # also orjson's own error: see above
            pass
    text = json.dumps(value, default=default, separators=(",", ":"), ensure_ascii=False)
    if _LONE_SURROGATE.search(text):
        return json.dumps(value, default=default, separators=(",", ":"))
    return text


def to_object(members: Mapping[str, str]) -> str:
    """Return a JSON object whose values are JSON already.

    >>> to_object({"a": "1", "b": "[]"})
    '{"a":1,"b":[]}'
    """
    return "{" + ",".join(f"{json.dumps(name)}:{value}" for name, value in members.items()) + "}"
