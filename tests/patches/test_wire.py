"""JSON is the same as Reflex would write it, with either writer."""

# Reflex's serializers have few types.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any, Final

import pytest
from hypothesis import given, settings
from reflex.state import StateUpdate
from reflex_base.event import Event
from reflex_base.utils.format import json_dumps
from reflex_base.utils.serializers import serialize

from app.patches.values import Kinds
from app.patches.wire import Default, to_json, to_object
from tests.patches.rows import VALUES, Colour, Row

DEFAULT: Final[Default] = serialize


def written(value: Any) -> str:
    return to_json(value, fast=Kinds().freeze(value) is not None and Kinds().is_finite(value), default=DEFAULT)


@settings(deadline=None)
@given(VALUES)
def test_a_browser_reads_what_reflex_would_have_sent(value: Any) -> None:
    assert repr(json.loads(written(value))) == repr(json.loads(json_dumps(value)))


@pytest.mark.parametrize(
    "value",
    [
        float("nan"),
        float("-inf"),
        2**53 + 1,
        2**64,
        -(2**64),
        Colour.BLUE,
        Row(1),
        Decimal("1.5"),
        Decimal("NaN"),
        datetime(2026, 1, 2, 3, 4, 5, 6, tzinfo=UTC),
        datetime(2026, 1, 2),  # noqa: DTZ001 - without a zone is one of the cases
        date(2026, 1, 2),
        timedelta(days=1, seconds=3),
    ],
    ids=repr,
)
def test_special_values_are_written_as_by_reflex(value: Any) -> None:
    assert written((value,)) == json_dumps((value,), separators=(",", ":"))


def test_dictionaries_are_written_as_by_reflex() -> None:
    value = {"a": {1: [2.0, float("inf")]}, "é": {None: True}}

    assert to_json(value, fast=False, default=DEFAULT) == json_dumps(value, separators=(",", ":"))


def test_half_a_character_does_not_end_the_connection() -> None:
    text = "half: \ud83d, whole: 😀"

    sent = written((text,))

    assert sent.isascii()
    assert json.loads(sent) == [text]


def test_text_of_other_languages_is_not_escaped() -> None:
    assert written(("日本",)) == '["日本"]'
    assert to_json({1: "日本"}, fast=False, default=DEFAULT) == '{"1":"日本"}'


def test_an_update_is_put_together_as_reflex_does() -> None:
    update = StateUpdate(delta={"s": {"a": 1}}, events=[Event(name="_download", payload={"url": "/é"})])

    members = {
        "delta": to_object({"s": to_object({"a": "1"})}),
        "events": to_json(update.events, fast=False, default=DEFAULT),
    }

    assert json.loads(to_object(members)) == json.loads(json_dumps(update))
