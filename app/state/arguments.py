"""Whether an event's arguments are those of its handler: their names, their types.

Reflex hands a handler whatever a client sent. A page sends what the handler's annotations say; the guard refuses what
does not fit them.

>>> def rename(self, title: str, number: int) -> None: ...
>>> find_misfit(rename, {"title": "x", "number": 1}), find_misfit(rename, {"title": None, "number": 1})
(None, 'title')
>>> find_misfit(rename, {"title": "x"}), find_misfit(rename, {"title": "x", "number": 1, "more": 1})
('number', 'more')
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from inspect import Parameter, signature
from types import UnionType
from typing import Any, Final, Literal, Union, cast, get_args, get_origin, get_type_hints

from app.domain.half_characters import inner_values

MAX_NUMBER: Final = 2**63 - 1
"""The largest number that a database holds."""
MAX_DEPTH: Final = 16
"""Levels of lists and objects within each other. No page sends more than two."""


def find_misfit(handler: Callable[..., Any], payload: Mapping[str, object]) -> str | None:
    """Return the name of the first argument that is missing, unknown or of a wrong type; None if all fit."""
    hints = _hints_of(handler)
    for name, hint in hints.items():
        if name not in payload:
            if name not in _optional_of(handler):
                return name
        elif not _fits(payload[name], hint) or not _can_be_held(payload[name], MAX_DEPTH):
            return name
    return next((name for name in payload if name not in hints), None)


@cache
def _hints_of(handler: Callable[..., Any]) -> dict[str, Any]:
    hints = get_type_hints(handler)
    hints.pop("return", None)
    return hints


@cache
def _optional_of(handler: Callable[..., Any]) -> frozenset[str]:
    found = signature(handler).parameters.items()
    return frozenset(name for name, parameter in found if parameter.default is not Parameter.empty)


def _fits(value: object, hint: Any) -> bool:
    """Whether a value of JSON is of this type. JSON has no tuples or sets, and a truth value is no number."""
    if hint is Any or hint is object:
        return True
    arguments = get_args(hint)
    match get_origin(hint):
        case None:
            return _is_plain(value, type(None) if hint is None else hint)
        case origin if origin is Union or origin is UnionType:
            return any(_fits(value, one) for one in arguments)
        case origin if origin is Literal:
            return any(value == one and type(value) is type(one) for one in arguments)
        case origin if origin is list:
            return isinstance(value, list) and all(_fits(one, arguments[0]) for one in cast("list[object]", value))
        case origin if origin is dict:
            return isinstance(value, Mapping) and all(
                _fits(one, arguments[1]) for one in cast("Mapping[str, object]", value).values()
            )
        case origin:
            raise TypeError(f"A handler takes {hint}, of which no value of JSON is known to be one.")


def _is_plain(value: object, kind: type) -> bool:
    return isinstance(value, kind) and (kind is bool or not isinstance(value, bool))


def _can_be_held(value: object, depth: int) -> bool:
    if isinstance(value, int):
        return abs(value) <= MAX_NUMBER
    return depth > 0 and all(_can_be_held(one, depth - 1) for one in inner_values(value))
