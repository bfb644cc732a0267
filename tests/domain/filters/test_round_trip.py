from __future__ import annotations

import pytest
from hypothesis import given

from app.domain.filters.language.formatter import format_filter
from app.domain.filters.language.parser import parse_filter
from app.domain.filters.language.syntax import Filter
from tests.domain.filters.strategies import FILTERS, patient


@patient
@given(FILTERS)
def test_a_formatted_filter_parses_to_itself(tree: Filter) -> None:
    assert parse_filter(format_filter(tree)) == tree


@patient
@given(FILTERS)
def test_a_filter_in_long_form_parses_to_itself(tree: Filter) -> None:
    assert parse_filter(format_filter(tree, long=True)) == tree


@patient
@given(FILTERS)
def test_the_canonical_form_is_the_canonical_form_of_itself(tree: Filter) -> None:
    text = format_filter(tree)

    assert format_filter(parse_filter(text)) == text


@pytest.mark.parametrize(
    ("typed", "short", "long"),
    [
        ("", "", ""),
        ("  s2  &r3 ", "s2 r3", "stars = 2 & recent 3"),
        ("s=2+b", "s2 | b", "stars = 2 | flagged"),
        ("((s2) & (r3 & b))", "s2 r3 b", "stars = 2 & recent 3 & flagged"),
        ("(s2 | r3) b", "(s2 | r3) b", "(stars = 2 | recent 3) & flagged"),
        ("s2 r3 | b", "s2 r3 | b", "stars = 2 & recent 3 | flagged"),
        ("!(s2 r3)", "!(s2 r3)", "!(stars = 2 & recent 3)"),
        ("!!unflagged", "!!g", "!!unflagged"),
        ("d<=7", "d7d", "date <= 7d"),
        ("d=7", "d=7d", "date = 7d"),
        ("d=25-01-31", "d2025-01-31", "date = 2025-01-31"),
        ("""topic"AI>Planning   ..." """, "t'AI > Planning...'", "topic 'AI > Planning...'"),
        ("""c"it's" """, """c"it's\"""", """text "it's\""""),
        ("c'a\\\nb'", r"c'a\nb'", r"text 'a\nb'"),
        (r"t'Wait..\.'", r"t'Wait..\.'", r"topic 'Wait..\.'"),
        (r"t'Wait...\....'", r"t'Wait.......'", r"topic 'Wait.......'"),
        (r"t'\ A \> B\ '", r"t'\ A \> B\ '", r"topic '\ A \> B\ '"),
        ("context0 o5", "o o5", "context & context 5"),
        ("@good in", "@good in", "@good & in"),
        ("m'a**b' a k", "m'a*b' a k", "model 'a*b' & agent & tool"),
    ],
)
def test_a_filter_has_one_short_and_one_long_form(typed: str, short: str, long: str) -> None:
    tree = parse_filter(typed)

    assert format_filter(tree) == short
    assert format_filter(tree, long=True) == long
