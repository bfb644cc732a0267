from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.filters.bar.chips import Chip, chips_on, toggle_chip
from app.domain.filters.language.formatter import format_filter
from app.domain.filters.language.syntax import Filter
from app.domain.filters.parser.parser import parse_filter
from tests.domain.filters.strategies import FILTERS, patient


@pytest.mark.parametrize(
    ("line", "on"),
    [
        ("", []),
        ("h", [Chip.HUMAN]),
        ("w s2 (k) l", [Chip.ASSISTANT, Chip.TOOL, Chip.CACHED]),
        ("k'git*'", []),
        ("!h", []),
        ("h | l", []),
    ],
)
def test_a_chip_is_on_where_the_filter_asks_for_it_at_its_top(line: str, on: list[Chip]) -> None:
    assert list(chips_on(line)) == on


@patient
@given(FILTERS, st.sampled_from(Chip))
def test_toggling_a_chip_changes_it_alone_and_twice_changes_nothing(tree: Filter, chip: Chip) -> None:
    line = format_filter(tree)

    once = toggle_chip(line, chip)

    assert set(chips_on(once)) == set(chips_on(line)) ^ {chip}
    assert set(chips_on(toggle_chip(once, chip))) == set(chips_on(line))
    if chip not in chips_on(line):
        assert toggle_chip(once, chip) == format_filter(parse_filter(line))
