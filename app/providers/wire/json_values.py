"""Reads values in vendors' JSON and checks their types. Some functions accept a value that is absent or null.

`field` is the path of the field, for the error message.

>>> fields_of(None, "usage"), fields_of({"a": 1}, "usage")
({}, {'a': 1})
>>> text_of([], "delta.text")
Traceback (most recent call last):
app.providers.wire.json_values.FieldError: delta.text is a list instead of a text
"""

from __future__ import annotations

import json
import re
from typing import Any, Final, cast

import orjson

from app.domain.text.json_size import MAX_VALUES, has_more_values

MAX_ANSWER_VALUES: Final = 4 * MAX_VALUES
"""Maximum JSON values in an answer or an event. A list of models has about a hundred for each model."""
MAX_DIGITS: Final = 1_000_000
"""Maximum digits of a number that orjson refuses, such as a large integer. Python's `json` reads these numbers."""
_LONG_NUMBER: Final = re.compile(rb"[\[:,\s.eE+-]\d{%d}" % (MAX_DIGITS + 1))
MAX_LABEL: Final = 65_536
"""Maximum characters of a name or an id. Gateways put signatures of some thousand characters into an id."""


class FieldError(ValueError):
    """Error: an event, or a field of it, has an unexpected type. The message names the fault, never the value."""


def load_json(data: bytes) -> Any:
    """Decode JSON, also with numbers or lone surrogates that strict readers refuse.

    NaN and the infinities are accepted, and a number too large for a double becomes infinite: functions that read
    numbers refuse them. Lone surrogates are handled later (`surrogates.py`).

    >>> load_json(b'{"tokens": NaN}'), load_json(b"[1e400, -1e400]")
    ({'tokens': nan}, [inf, -inf])

    Raises:
        ValueError: the data is no JSON.
        FieldError: the data has more than `MAX_ANSWER_VALUES` values, or a number of more than `MAX_DIGITS` digits.
    """
    if has_more_values(data, MAX_ANSWER_VALUES):
        raise FieldError(f"more than {MAX_ANSWER_VALUES:,} values")
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError as error:
        if _LONG_NUMBER.search(data):
            raise FieldError(f"a number of more than {MAX_DIGITS:,} digits") from None
        try:
            return json.loads(data.decode(), parse_int=_read_whole)
        except (ValueError, RecursionError):
            raise error from None


def text_of(value: object, field: str) -> str:
    """Return a value that must be a text.

    Raises:
        FieldError: the value is missing or something else.
    """
    if not isinstance(value, str):
        raise FieldError(f"{field} is missing" if value is None else f"{field} is {name_kind(value)} instead of a text")
    return value


def label_of(value: object, field: str) -> str:
    """Return a name or an id. Its length is limited, because each later request repeats it.

    Raises:
        FieldError: the value is no text, empty or too long.
    """
    if not (label := text_of(value, field)):
        raise FieldError(f"{field} is empty")
    if len(label) > MAX_LABEL:
        raise FieldError(f"{field} has {len(label):,} characters; the maximum is {MAX_LABEL:,}")
    return label


def json_text_of(value: object, field: str) -> str:
    """Return a value as JSON text: a text unchanged, an object encoded, "" if the value is absent or null.

    Raises:
        FieldError: the value is something else.
    """
    if isinstance(value, dict):
        return orjson.dumps(value).decode()
    if value is None or isinstance(value, str):
        return value or ""
    raise FieldError(f"{field} is {name_kind(value)} instead of a text or an object")


def fields_of(value: object, field: str) -> dict[str, Any]:
    """Return the fields of an object that may be absent or null.

    Raises:
        FieldError: the value is something else.
    """
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise FieldError(f"{field} is {name_kind(value)} instead of an object")
    return cast("dict[str, Any]", value)


def items_of(value: object, field: str) -> list[object]:
    """Return the items of a list that may be absent or null.

    Raises:
        FieldError: the value is something else.
    """
    if value is None:
        return []
    if not isinstance(value, list):
        raise FieldError(f"{field} is {name_kind(value)} instead of a list")
    return cast("list[object]", value)


def index_of(value: object, field: str) -> int:
    """Return a value that must be an index: a whole number.

    Raises:
        FieldError: the value is missing or something else.
    """
    if not isinstance(value, int) or isinstance(value, bool):
        what = "missing" if value is None else f"{name_kind(value)} instead of a whole number"
        raise FieldError(f"{field} is {what}")
    return value


def name_kind(value: object) -> str:
    """Return the type of a JSON value in words for an error message, such as "a list"."""
    kinds: dict[type, str] = {
        type(None): "null",
        bool: "true or false",
        str: "a text",
        list: "a list",
        dict: "an object",
    }
    return kinds.get(type(value), "a number")


def as_object(input_json: str) -> str:
    r"""Return the input of a tool call as a JSON object, which vendors and servers require when it is sent back.

    Any other input is wrapped in an object, as https://platform.claude.com/docs/en/agents-and-tools/tool-use
    recommends in "fine-grained tool streaming".

    >>> as_object(""), as_object('{"a"')
    ('{}', '{"INVALID_JSON":"{\\"a\\""}')
    """
    try:
        is_object = isinstance(orjson.loads(input_json or "{}"), dict)
    except orjson.JSONDecodeError:
        is_object = False
    return input_json or "{}" if is_object else orjson.dumps({"INVALID_JSON": input_json}).decode()


def _read_whole(digits: str) -> int | float:
    """Read an integer as orjson does: as a double if it has more than 64 bits."""
    number = float(digits)
    return int(digits) if abs(number) < 2**63 else number
