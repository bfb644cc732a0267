"""Reading vendors' JSON: what may be absent or null, and what must not be anything else.

>>> fields_of(None), fields_of({"a": 1})
({}, {'a': 1})
"""

from __future__ import annotations

import json
from typing import Any, cast

import orjson


def load_json(data: bytes) -> Any:
    """The value of a JSON text.

    Raises:
        ValueError: it is none.
    """
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        if b"\\u" not in data:
            raise
        try:
            return json.loads(data)  # it takes escapes of half a character, which are mended later (surrogates.py)
        except RecursionError as error:
            raise ValueError("values within values, deeper than is read") from error


def text_of(value: object) -> str:
    """A text that must be one.

    Raises:
        TypeError: it is something else.
    """
    if not isinstance(value, str):
        raise TypeError(f"{type(value).__name__} instead of a text")
    return value


def fields_of(value: object) -> dict[str, Any]:
    """The fields of an object that may be absent or null.

    Raises:
        TypeError: it is something else.
    """
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise TypeError(f"{type(value).__name__} instead of an object")
    return cast("dict[str, Any]", value)


def as_object(input_json: str) -> str:
    r"""The input of a tool call as a JSON object, which vendors and servers insist on when it goes back to them.

    What is none goes within one, in the words of https://platform.claude.com/docs/en/agents-and-tools/tool-use,
    "fine-grained tool streaming".

    >>> as_object(""), as_object('{"a"')
    ('{}', '{"INVALID_JSON":"{\\"a\\""}')
    """
    try:
        is_object = isinstance(orjson.loads(input_json or "{}"), dict)
    except orjson.JSONDecodeError:
        is_object = False
    return input_json or "{}" if is_object else orjson.dumps({"INVALID_JSON": input_json}).decode()
