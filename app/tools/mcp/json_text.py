"""Writes values from a server as JSON text. Equal values give equal texts, and every text can be read and sent again.

>>> write_json({"b": 2, "a": 2**70})
'{"a":1180591620717411303424,"b":2}'
"""

from __future__ import annotations

import json

import orjson


def write_json(value: object) -> str:
    """Write a value as JSON, with sorted keys.

    Raises:
        ValueError: the value is nested too deep, or has a number or a text that readers of JSON cannot represent.
    """
    try:
        text = orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()
        if "null" not in text:  # orjson writes NaN and the infinities as null
            return text
    except TypeError:
        text = ""  # a number of more than 64 bits, a lone surrogate, or too many levels
    try:
        exact = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        exact.encode()
    except (TypeError, RecursionError) as error:
        raise ValueError("it is nested too deeply") from error
    except UnicodeEncodeError as error:
        raise ValueError("it has an incomplete character (a lone surrogate)") from error
    except ValueError as error:
        raise ValueError("it has NaN or an infinite number, which JSON does not support") from error
    try:
        orjson.dumps(orjson.loads(exact))
    except (TypeError, orjson.JSONDecodeError) as error:
        raise ValueError("it is nested too deeply, or has a number beyond ±1.8e308") from error
    return text or exact
