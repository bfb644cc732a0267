"""Arguments of a tool call, from a model or a person.

The display, the checks and the call all read arguments with this module. JSON does not define the meaning of a
duplicate name. A text with a duplicate name is refused, because a tool must get exactly the arguments that a person
saw.

    >>> read_arguments('{"path": "/notes"}')
    {'path': '/notes'}
"""

from __future__ import annotations

import json
from math import isfinite
from typing import Any, Final, NoReturn, cast

from app.domain.errors import InputError

LARGEST: Final = 2**53 - 1
"""The largest integer that every JSON reader represents exactly. A browser rounds larger integers."""
DEEPEST: Final = 64
"""Maximum levels of nested lists and objects in the arguments of a tool call."""
FIELD: Final = "input"


def read_arguments(input_json: str) -> dict[str, Any]:
    """Read arguments from text. A blank text means no arguments.

    Raises:
        InputError: the text is not a JSON object, has a duplicate name or a value that JSON does not allow, has a whole
            number beyond `LARGEST`, or is nested too deeply.
    """
    if not input_json.strip():
        return {}
    try:
        read = json.loads(
            input_json,
            object_pairs_hook=_read_object,
            parse_constant=_refuse_constant,
            parse_int=_read_whole,
            parse_float=_read_number,
        )
    except json.JSONDecodeError as error:
        raise InputError(
            FIELD, f"This is not valid JSON: {error.msg} at line {error.lineno}, column {error.colno}."
        ) from None
    except RecursionError:
        raise InputError(FIELD, _TOO_DEEP) from None
    if not isinstance(read, dict):
        raise InputError(FIELD, "Arguments must be a JSON object: names and values between { and }.")
    arguments = _require_shallow(cast("dict[str, Any]", read))
    try:
        write_arguments(arguments).encode()
    except UnicodeEncodeError:
        raise InputError(FIELD, "A text has an incomplete character (a lone surrogate), which is not valid.") from None
    return arguments


def write_arguments(arguments: dict[str, Any]) -> str:
    """Write arguments as text, with names in their order and without spaces.

    Raises:
        InputError: a number is not valid in JSON, or the value is nested too deeply.
    """
    try:
        return json.dumps(arguments, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    except ValueError:
        raise InputError(FIELD, "NaN and Infinity are not JSON numbers.") from None
    except RecursionError:
        raise InputError(FIELD, _TOO_DEEP) from None


_TOO_DEEP = f"Lists and objects are nested more than {DEEPEST} levels deep."


def _read_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(FIELD, f"{json.dumps(twice)} occurs twice. Remove one of them.")
    return found


def _read_whole(digits: str) -> int:
    if len(digits) > len(str(-LARGEST)) or abs(int(digits)) > LARGEST:
        raise InputError(FIELD, f"A whole number is beyond {LARGEST}, so it cannot be shown exactly. Write it as text.")
    return int(digits)


def _read_number(digits: str) -> float:
    if not isfinite(number := float(digits)):
        raise InputError(FIELD, "A number is too large.")
    return number


def _refuse_constant(word: str) -> NoReturn:
    raise InputError(FIELD, f"{word} is not a JSON number.")


def _require_shallow(arguments: dict[str, Any]) -> dict[str, Any]:
    level: list[Any] = [arguments]
    for _ in range(DEEPEST):
        level = [inner for outer in level for inner in _inside(outer)]
        if not level:
            return arguments
    raise InputError(FIELD, _TOO_DEEP)


def _inside(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return list(cast("dict[str, Any]", value).values())
    return cast("list[Any]", value) if isinstance(value, list) else []
