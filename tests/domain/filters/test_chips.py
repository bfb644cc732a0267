from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.filters.bar.chips import (
    STARRED,
    ChipName,
    Occurring,
    list_options,
    list_others,
    list_terms,
    write_term,
)
from app.domain.filters.language.errors import FilterError
from app.domain.filters.language.formatter import format_filter
from app.domain.filters.language.parser import parse_filter
from app.domain.filters.language.syntax import Age, Filter, Op, Unit
from tests.domain.filters.strategies import FILTERS, patient

TODAY = date(2026, 3, 10)
EVERY = Occurring(
    any_pair=True,
    starred=True,
    flagged=True,
    attached=True,
    failed=True,
    called_tool=True,
    topics=(("AI", "Planning"),),
    models=("offline:demo",),
)
OPTIONS = list_options(EVERY, TODAY)
TERMS = [option.term for options in OPTIONS.values() for option in options]
WEEK, MONTH = (Age(Op.AT_MOST, count, Unit.DAY) for count in (7, 30))


@patient
@given(FILTERS, st.sampled_from(TERMS))
def test_term_that_is_added_and_taken_out_again_leaves_the_same_filter(tree: Filter, term: object) -> None:
    line = format_filter(tree)
    wanted = next(each for each in TERMS if each == term)
    if wanted in list_terms(line):
        return

    added = write_term(line, wanted)

    assert wanted in list_terms(added)
    assert parse_filter(write_term(added, None, (wanted,))) == tree


def test_each_chip_has_the_terms_of_the_filter_language() -> None:
    written = {
        name.value: [(one.label, format_filter(one.term)) for one in options] for name, options in OPTIONS.items()
    }

    assert written == {
        "stars": [("Starred", "s>=1")],
        "topic": [("AI > Planning", "t'AI > Planning'")],
        "date": [("Today", "d2026-03-10"), ("Last 7 days", "d7d"), ("Last 30 days", "d30d")],
        "model": [("offline:demo", "m'offline:demo'")],
        "kind": [("With an image or file", "i"), ("With a tool call", "k"), ("With an error", "e"), ("Flagged", "b")],
    }


def test_chip_without_a_value_in_the_conversation_is_left_out() -> None:
    assert list_options(Occurring(), TODAY) == {}
    assert list(list_options(Occurring(any_pair=True, models=("a:b",)), TODAY)) == [ChipName.DATE, ChipName.MODEL]


@pytest.mark.parametrize(
    ("line", "written"),
    [
        ("", "d7d"),
        ("d30d", "d7d"),
        ("d<2d s2", "d<2d s2 d7d"),
        ("s2 | b", "(s2 | b) d7d"),
        ("stars = 2 & d30d", "s2 d7d"),
        ("s2 :flag", "s2 d7d :flag"),
        (":star 3", "d7d :star 3"),
        ("d30d | b", "(d30d | b) d7d"),
    ],
)
def test_value_of_a_chip_replaces_its_others(line: str, written: str) -> None:
    assert write_term(line, WEEK, (WEEK, MONTH)) == written


def test_line_that_cannot_be_read_is_refused() -> None:
    with pytest.raises(FilterError):
        write_term("s7", STARRED)


def test_choice_of_a_date_replaces_another_day_and_other_chips_keep_it() -> None:
    line = "d2026-03-09 d>7d !d2026-03-08"

    assert [format_filter(term) for term in list_others(line, OPTIONS[ChipName.DATE])] == [
        "d2026-03-10",
        "d7d",
        "d30d",
        "d2026-03-09",
    ]
    assert list_others(line, OPTIONS[ChipName.STARS]) == (STARRED,)
