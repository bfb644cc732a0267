"""Applies patches and reads frames in Python, as `apply.ts` does in the browser. Tests and other Python clients use it.

apply(["a", "b"], diff(("a", "b"), ("b", "c"))) == ["b", "c"]
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, cast

from app.patches.diff import field_names, is_list
from app.patches.patch import Append, FullValue, Op, Patch, Rebuild, Replace, Span, ValuePath


def apply(value: Any, patch: Patch | FullValue) -> Any:
    """Return a plain value with a patch applied. `value` itself does not change; equal parts are shared, not copied."""
    if isinstance(patch, FullValue):
        return plain(patch.value)
    for op in patch.ops:
        value = _apply_at(value, op.path, op)
    return value


def plain(value: Any) -> Any:
    """Convert a value to its form in JSON: lists, dictionaries and scalars."""
    if is_list(value):
        return [plain(item) for item in value]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {name: plain(getattr(value, name)) for name in field_names(type(value))}
    return value.value if isinstance(value, Enum) else value


def _apply_at(value: Any, path: ValuePath, op: Op) -> Any:
    if path:
        copy = value.copy()
        copy[path[0]] = _apply_at(value[path[0]], path[1:], op)
        return copy
    match op:
        case Append(text=text):
            return value + text
        case Replace(value=new):
            return plain(new)
        case Rebuild(pieces=pieces):
            rebuilt: list[Any] = []
            for piece in pieces:
                rebuilt += value[piece.start : piece.stop] if isinstance(piece, Span) else plain(piece.items)
            return rebuilt


Delta = dict[str, dict[str, Any]]
"""New values of vars, as JSON, by state and name of the var."""

_LETTERS: Final = 26
_ADDED: Final = re.compile(r"\+(\d+),(\d+)([A-Z])")
"""Matches the beginning of a packet without names: the numbers of the place and the revision (see `head_of_text`)."""


def head_of_text(place: int, number: int) -> str:
    """Return the beginning of a packet without names, which has only the text that is added at a place.

    The last digit of the revision's number is one of 26 letters, which also ends the number. In most cases only this
    letter differs from the beginning of the previous packet.

    >>> head_of_text(3, 27)
    '+3,1B'
    """
    return f"+{place},{number // _LETTERS}{chr(ord('A') + number % _LETTERS)}"


@dataclass(frozen=True, slots=True)
class _Place:
    """The place of the text of a frame without names: the var and the path of the last patch that had a `place`."""

    number: int
    connection: str
    state: str
    name: str
    path: list[str | int]


class Reader:
    """Reads the data of the Socket.IO packets of a tab, including packets without names (`head_of_text`).

    `parse` reads JSON.
    """

    def __init__(self, parse: Callable[[str], Any] = json.loads) -> None:
        self._parse = parse
        self._last: _Place | None = None

    def delta_in(self, data: str) -> Delta:
        """Return the new values in the data of a packet, with names that the page's `createReader` would add."""
        if (head := _ADDED.match(data)) is not None:
            place, number = int(head[1]), int(head[2]) * _LETTERS + ord(head[3]) - ord("A")
            last = self._last
            if last is None or last.number != place:
                return {}
            patch = [["+", last.path, data[head.end() :]]]
            return {last.state: {last.name: {"$rev": [last.connection, number], "patch": patch}}}
        packet: object = self._parse(data)
        if not isinstance(packet, list):  # the answer to a new connection, where the old places are unknown
            self._last = None
            return {}
        delta = _delta_of(cast("list[object]", packet)[1])
        self._last = _place_in(delta) or self._last
        return delta


def _delta_of(update: object) -> Delta:
    return cast("dict[str, Delta]", update).get("delta", {}) if isinstance(update, dict) else {}


def _place_in(delta: Delta) -> _Place | None:
    if len(delta) != 1:  # a patch with a place is sent alone
        return None
    ((state, values),) = delta.items()
    for name, sent in values.items():
        message = cast("dict[str, Any]", sent) if isinstance(sent, dict) else {}
        if "$rev" in message and "place" in message:
            return _Place(message["place"], message["$rev"][0], state, name, message["patch"][0][1])
    return None
