"""A server's JSON as text: equal values give equal text, and the text reads back as the value.

>>> write_json({"b": 2, "a": 2**70})
'{"a":1180591620717411303424,"b":2}'
"""

from __future__ import annotations

import json

import orjson


def write_json(value: object) -> str:
    """The text of a value, its keys in order.

    Raises:
        ValueError: it is nested deeper than can be told to anybody.
    """
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()
    except TypeError:
        pass  # a number of more than 64 bits, or too deep
    try:
        text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        orjson.dumps(orjson.loads(text))
    except (TypeError, RecursionError, orjson.JSONDecodeError) as error:
        raise ValueError("it is nested too deep") from error
    return text
