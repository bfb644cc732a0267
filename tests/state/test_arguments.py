"""What arguments a handler takes, by its annotations: values of JSON that a page sends, and those that it does not."""

from __future__ import annotations

import json
from typing import Any, Literal

import pytest

from app.state.arguments import find_misfit
from app.state.guard import HANDLERS

HUGE = 2**63
DEEP: Any = json.loads("[" * 20 + "]" * 20)


def take(  # noqa: PLR0917 - one for each annotation that handlers have
    text: str,
    number: int,
    on: bool,
    names: list[str],
    form: dict[str, Any],
    parts: list[dict[str, str]],
    value: str | int | bool | None,
    which: Literal["a", "b"],
    anything: object,
) -> None:
    """A handler as states have them."""


FITTING: dict[str, Any] = {
    "text": "x",
    "number": 1,
    "on": True,
    "names": ["x"],
    "form": {"name": "x", "ticked": True},
    "parts": [{"type": "text"}],
    "value": None,
    "which": "b",
    "anything": ["x"],
}
MISFITS: dict[str, tuple[Any, ...]] = {
    "text": (None, 1, True, [], {}),
    "number": (None, True, "1", 1.5, HUGE, -HUGE - 1, []),
    "on": (None, 1, 0, "true"),
    "names": (None, "x", {}, [1], [None], [["x"]]),
    "form": (None, "x", [], {"number": HUGE}, {"deep": DEEP}),
    "parts": (None, {}, ["x"], [{"type": 1}], [{"type": None}]),
    "value": ([], {}, 1.5, HUGE),
    "which": ("c", None, 1),
    "anything": (HUGE, DEEP, {"number": -HUGE - 1}),
}


def test_what_fits_each_annotation_passes() -> None:
    assert find_misfit(take, FITTING) is None


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in MISFITS.items() for value in values])
def test_value_of_a_wrong_type_is_named(name: str, value: object) -> None:
    assert find_misfit(take, {**FITTING, name: value}) == name


@pytest.mark.parametrize("name", FITTING)
def test_argument_that_is_missing_is_named(name: str) -> None:
    assert find_misfit(take, {other: value for other, value in FITTING.items() if other != name}) == name


def test_argument_that_the_handler_does_not_take_is_named() -> None:
    assert find_misfit(take, {**FITTING, "more": 1}) == "more"


@pytest.mark.parametrize("name", sorted(HANDLERS))
def test_every_handler_says_what_it_takes(name: str) -> None:
    """An annotation that is none of JSON raises; one that is missing lets its argument be refused."""
    handler = HANDLERS[name]
    arguments = handler.__code__.co_varnames[1 : handler.__code__.co_argcount]

    find_misfit(handler, dict.fromkeys(arguments))
    assert set(arguments) == {one for one in handler.__annotations__ if one != "return"}
