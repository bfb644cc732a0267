"""Undocumented shapes: a stream of the corpus with a field or an event changed, by a number that repeats it.

>>> shape = change_stream("groq", 7)
>>> shape.events != shape.case.events or shape.pieces != write_stream(shape.case.events)
True
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field
from functools import cache
from random import Random
from typing import Any, Final, cast

from tests.dialects.corpus import Case, Dialect, Json, read_dialect, read_foreign, write_stream

VALUES: Final[tuple[Any, ...]] = (7, 1.5, True, "words", ["words"], {"words": "words"}, [], {}, "", 0, None)
KINDS: Final = frozenset({"type", "event"})
"""Fields that say what an event is. An event with a new value there is a future event, which readers ignore."""


@dataclass(frozen=True)
class Place:
    """A field of an event: the names and numbers that lead to it."""

    event: int
    path: tuple[str | int, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the fields on the path, in order."""
        return tuple(step for step in self.path if isinstance(step, str))


@dataclass
class Shape:
    """A changed stream. `place` is the field that was changed, None if whole events were changed."""

    dialect: Dialect
    case: Case
    events: list[Json | str]
    change: str = "none"
    place: Place | None = None
    pieces: list[bytes] = field(default_factory=list[bytes])


def change_stream(name: str, seed: int) -> Shape:
    """Return one of the vendor's streams with one change, chosen by the seed."""
    return _change(_read(name), Random(seed))


def change_foreign(name: str, speaker: str, seed: int) -> Shape:
    """Return a changed stream of a protocol that no adapter supports."""
    return _change(_read_foreign(name, speaker), Random(seed))


def _change(dialect: Dialect, draw: Random) -> Shape:
    case = dialect.cases[draw.choice(sorted(dialect.cases))]
    shape = Shape(dialect, case, deepcopy(list(case.events)))
    draw.choice((_leave_out, _replace, _replace, _replace, _add, _order, _double, _swap, _split))(shape, draw)
    shape.pieces = shape.pieces or write_stream(tuple(shape.events))
    return shape


_read = cache(read_dialect)
_read_foreign = cache(read_foreign)


def _leave_out(shape: Shape, draw: Random) -> None:
    place, holder = _choose(shape, draw)
    shape.change, shape.place = "left out", place
    del holder[place.path[-1]]


def _replace(shape: Shape, draw: Random) -> None:
    place, holder = _choose(shape, draw)
    old = holder[place.path[-1]]
    others = [value for value in VALUES if value != old or type(value) is not type(old)]
    value = draw.choice(others)
    if place.path[-1] in KINDS and isinstance(value, str) and value:
        value = None
    shape.change, shape.place = f"replaced by {value!r}", place
    holder[place.path[-1]] = deepcopy(value)


def _add(shape: Shape, draw: Random) -> None:
    _, holder = _choose(shape, draw)
    shape.change = "unknown field"
    if isinstance(holder, dict):
        holder["x_unknown"] = deepcopy(draw.choice(VALUES))


def _order(shape: Shape, draw: Random) -> None:
    _, holder = _choose(shape, draw)
    shape.change = "fields in another order"
    if isinstance(holder, dict):
        held = cast("Json", holder)
        fields = list(held.items())
        draw.shuffle(fields)
        held.clear()
        held.update(fields)


def _double(shape: Shape, draw: Random) -> None:
    number = draw.randrange(len(shape.events))
    shape.change = f"event {number} twice"
    shape.events.insert(number, deepcopy(shape.events[number]))


def _swap(shape: Shape, draw: Random) -> None:
    if len(shape.events) < 2:
        return
    number = draw.randrange(len(shape.events) - 1)
    shape.change = f"event {number} after the next"
    shape.events[number : number + 2] = reversed(shape.events[number : number + 2])


def _split(shape: Shape, draw: Random) -> None:
    body = b"".join(write_stream(tuple(shape.events)))
    shape.change = "split"
    cuts = sorted(draw.sample(range(1, len(body)), min(20, len(body) - 1)))
    shape.pieces = [body[start:end] for start, end in zip([0, *cuts], [*cuts, len(body)], strict=True)]


def _choose(shape: Shape, draw: Random) -> tuple[Place, Any]:
    """Choose a field anywhere in the stream. Return it with its container."""
    number = draw.choice([number for number, event in enumerate(shape.events) if isinstance(event, dict)])
    places = list(_places(shape.events[number], ()))
    path = draw.choice(places)
    holder: Any = shape.events[number]
    for step in path[:-1]:
        holder = holder[step]
    return Place(number, path), holder


def _places(value: object, path: tuple[str | int, ...]) -> list[tuple[str | int, ...]]:
    inner: list[tuple[str | int, object]] = []
    if isinstance(value, dict):
        inner = list(cast("dict[str | int, object]", value).items())
    elif isinstance(value, list):
        inner = list(enumerate(cast("list[object]", value)))
    below = [place for step, each in inner for place in _places(each, (*path, step))]
    return [*((*path, step) for step, _ in inner), *below]
