"""Values that are stored by reference, and values that orjson writes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum, IntEnum
from pathlib import Path
from typing import Annotated, Any, Literal, NewType

import pytest

from app.patches.values import Kinds
from tests.patches.rows import Colour, Row

Key = NewType("Key", str)


class Level(IntEnum):
    LOW = 1


class Odd(Enum):
    LIST = (1, 2)


@dataclass(frozen=True)
class Everything:
    text: str
    key: Key
    level: Level | None
    kind: Literal["a", "b"]
    price: Annotated[Decimal, "dollars"]
    at: datetime
    rows: tuple[Row, ...]
    point: tuple[int, float]


@dataclass
class Open:
    id: int


@dataclass(frozen=True)
class Leaky:
    tags: list[str]


@dataclass(frozen=True)
class Nested:
    leaky: Leaky


@dataclass(frozen=True)
class Strange:
    odd: Odd


@dataclass(frozen=True)
class Parent:
    id: int


@dataclass(frozen=True)
class Child(Parent):
    tags: list[str]


@dataclass(frozen=True)
class Holder:
    parent: Parent


@dataclass(frozen=True)
class Unresolved:
    value: Nowhere  # noqa: F821 # pyright: ignore[reportUndefinedVariable] - an annotation that leads nowhere


@pytest.mark.parametrize(
    "kind", [str, int, bool, float, type(None), date, datetime, Decimal, Colour, Level, Row, Everything]
)
def test_these_cannot_change_in_place(kind: type) -> None:
    assert Kinds().is_lasting(kind)


@pytest.mark.parametrize("kind", [dict, list, set, Path, Open, Leaky, Nested, Odd, Strange, Holder, Unresolved, object])
def test_these_can_change_or_are_unknown(kind: type) -> None:
    assert not Kinds().is_lasting(kind)


def test_a_type_with_custom_json_has_no_fields_for_a_path() -> None:
    kinds = Kinds(lambda kind: kind is Colour)

    assert not kinds.is_lasting(Row)
    assert kinds.is_lasting(Parent) is False  # because of Child
    assert kinds.is_lasting(Level)


def test_only_collections_are_frozen() -> None:
    kinds, row = Kinds(), Row(1)

    assert kinds.freeze([row]) == (row,)
    assert kinds.freeze(row) is row
    assert kinds.freeze((("a", 1), ("b", 2))) == (("a", 1), ("b", 2))
    values: tuple[Any, ...] = ([Leaky([])], {"a": 1}, "text", 1, None, ((1, [2]),), Open(1))
    assert [kinds.freeze(each) for each in values] == [None] * len(values)


def test_numbers_without_words_in_json_are_found_at_any_depth() -> None:
    kinds = Kinds()

    assert kinds.is_finite((Row(1, share=0.5), ("a", (1.0,)), Decimal(1)))
    assert not kinds.is_finite((Row(1, inner=Row(2, share=float("nan"))),))
    assert not kinds.is_finite(((float("inf"),),))
    assert not kinds.is_finite(Decimal("NaN"))


def test_a_date_is_lasting() -> None:
    assert Kinds().freeze((datetime(2026, 1, 2, tzinfo=UTC),)) is not None
