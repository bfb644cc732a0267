"""Reading vendors' JSON: what may be absent or null, and what must not be anything else.

A reader takes the path of the field for its error.

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

from app.domain.json_size import MAX_VALUES, has_more_values

MAX_ANSWER_VALUES: Final = 4 * MAX_VALUES
"""The most values of an answer or an event. A list has about a hundred for each model."""
MAX_DIGITS: Final = 1_000_000
"""The most digits of a number that only Python's own reader takes: it copies them several times."""
_LONG_NUMBER: Final = re.compile(rb"[\[:,\s.eE+-]\d{%d}" % (MAX_DIGITS + 1))
MAX_LABEL: Final = 65_536
"""Characters of a name or an id. Gateways put signatures of some thousand characters into an id."""


class FieldError(ValueError):
    """A field of an event, or all of it, that has no obvious meaning. Its text names the fault, never what it holds."""


def load_json(data: bytes) -> Any:
    """The value of a JSON text, also of one that strict readers refuse for a number or for half a character.

    NaN and the infinities are read, and a number that no double holds is an infinite one: who reads a field of numbers
    refuses them there. Halves of characters are mended later (`surrogates.py`).

    >>> load_json(b'{"tokens": NaN}'), load_json(b"[1e400, -1e400]")
    ({'tokens': nan}, [inf, -inf])

    Raises:
        ValueError: it is none.
        FieldError: it holds more than `MAX_ANSWER_VALUES`, or a number of more than `MAX_DIGITS`.
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
    """A text that must be one.

    Raises:
        FieldError: it is missing or something else.
    """
    if not isinstance(value, str):
        raise FieldError(f"{field} is missing" if value is None else f"{field} is {name_kind(value)} instead of a text")
    return value


def label_of(value: object, field: str) -> str:
    """A name or an id, which each later request repeats.

    Raises:
        FieldError: it is no text, empty or too long.
    """
    if not (label := text_of(value, field)):
        raise FieldError(f"{field} is empty")
    if len(label) > MAX_LABEL:
        raise FieldError(f"{field} has {len(label):,} characters; {MAX_LABEL:,} are the most")
    return label


def json_text_of(value: object, field: str) -> str:
    """A text that holds JSON, or an object as its JSON. It may be absent or null: then it is empty.

    Raises:
        FieldError: it is something else.
    """
    if isinstance(value, dict):
        return orjson.dumps(value).decode()
    if value is None or isinstance(value, str):
        return value or ""
    raise FieldError(f"{field} is {name_kind(value)} instead of a text or an object")


def fields_of(value: object, field: str) -> dict[str, Any]:
    """The fields of an object that may be absent or null.

    Raises:
        FieldError: it is something else.
    """
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise FieldError(f"{field} is {name_kind(value)} instead of an object")
    return cast("dict[str, Any]", value)


def items_of(value: object, field: str) -> list[object]:
    """The items of a list that may be absent or null.

    Raises:
        FieldError: it is something else.
    """
    if value is None:
        return []
    if not isinstance(value, list):
        raise FieldError(f"{field} is {name_kind(value)} instead of a list")
    return cast("list[object]", value)


def index_of(value: object, field: str) -> int:
    """A number that tells which of several is meant.

    Raises:
        FieldError: it is missing or something else.
    """
    if not isinstance(value, int) or isinstance(value, bool):
        what = "missing" if value is None else f"{name_kind(value)} instead of a whole number"
        raise FieldError(f"{field} is {what}")
    return value


def name_kind(value: object) -> str:
    """The kind of a value of JSON, in words."""
    kinds: dict[type, str] = {
        type(None): "null",
        bool: "true or false",
        str: "a text",
        list: "a list",
        dict: "an object",
    }
    return kinds.get(type(value), "a number")


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


def _read_whole(digits: str) -> int | float:
    """A whole number as orjson reads it: a double where it has more than 64 bits."""
    number = float(digits)
    return int(digits) if abs(number) < 2**63 else number
