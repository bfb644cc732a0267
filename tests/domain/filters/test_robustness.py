"""No input, however long or odd, may crash or hang the parser.

Work is counted in calls and in characters looked at, not in seconds: a busy machine must not make a test fail.
"""

from __future__ import annotations

import sys
from types import FrameType

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.domain.filters.bar.sentence import describe_filter
from app.domain.filters.language.commands import BarLine
from app.domain.filters.language.errors import FilterError
from app.domain.filters.language.formatter import format_filter
from app.domain.filters.language.lexer import MAX_LENGTH
from app.domain.filters.language.parser import MAX_DEPTH, MAX_TERMS, parse_filter, parse_line
from app.domain.text.pattern import Pattern
from tests.domain.filters.strategies import patient

FRAGMENTS = [
    *("t'AI > Planning ...'", "s>=2", "r10", "b", "in", "m'claude*'", "d<7d", "d25-01-31", 'c"x"', "u>9", "o5", "@a"),
    *("!", "&", "|", "+", "(", ")", ":", "'", '"', "\\", "*", "<", "=", "-", "7", "9" * 30, "...", ">", " ", "\n", "é"),
    *(
        "\0",
        "\ud800",
        "ß",
        "\uff11",
        "²",
        "\u202e",
        "--force",
        "=x",
        "delete",
        "topic",
        "AND",
        "hello",
        "bbbbbbb",
        "d7",
        "mo",
    ),
]
ODD_LINES = st.text() | st.lists(st.sampled_from(FRAGMENTS), max_size=40).map("".join)


@patient
@given(ODD_LINES)
@example("(" * 10_000 + ")" * 10_000)
@example("!" * 1_000_000)
@example("'" * 1_000_000)
@example("b" * 1_000_000)
@example("9" * 100_000)
@example("s" + "9" * 9_000)
@example("d<" + "9" * 9_000 + "y")
@example("c'" + "\\" * 9_000)
@example("@" * 9_000)
@example("b:" + "-" * 9_000)
def test_any_text_parses_or_has_an_error_with_a_place_in_it(line: str) -> None:
    found = read(line)

    if isinstance(found, FilterError):
        assert 0 <= found.position <= len(line)
        assert found.found.isprintable()
        assert len(found.message) < 600
    else:
        assert parse_filter(format_filter(found.filter)) == found.filter
        assert describe_filter(found.filter)


def read(line: str) -> BarLine | FilterError:
    try:
        return parse_line(line)
    except FilterError as error:
        return error


def calls_of(line: str) -> int:
    """Return the number of calls, of Python or of C, that reading the line takes."""
    calls = 0

    def count(_frame: FrameType, event: str, _arg: object) -> None:
        nonlocal calls
        calls += event in {"call", "c_call"}

    sys.setprofile(count)
    try:
        read(line)
    finally:
        sys.setprofile(None)
    return calls


FILLERS = [
    *(
        "(",
        "!",
        "b",
        "b ",
        "b|",
        "s2r3 ",
        "d7d ",
        "d7dr1",
        "bis2",
        "(b)",
        "!(b|",
        "t'a>b*'",
        "c'x'",
        "'",
        '"',
        "\\'",
        "9",
    ),
    *(
        "9-",
        "@a ",
        "@",
        ":",
        "a:",
        "--x ",
        "&",
        "é",
        " ",
        "\n",
        "<",
        "text",
        "bs",
        "k'" + "*" * 50 + "'",
        "-",
        "\ud800",
    ),
]


@pytest.mark.parametrize("before", ["", "c'", "b:", "b:topic '", "b:export --order "])
def test_a_line_of_any_length_costs_a_bounded_number_of_steps(before: str) -> None:
    for filler in FILLERS:
        full = before + filler * (MAX_LENGTH // len(filler))

        assert calls_of(full) <= 12 * MAX_LENGTH, filler
        assert calls_of(full * 100) <= 12 * MAX_LENGTH, filler


def test_twice_the_line_costs_at_most_twice_the_steps() -> None:
    for filler in FILLERS:
        half = filler * (MAX_LENGTH // len(filler) // 2)

        assert calls_of(2 * half) <= 2 * calls_of(half) + 100, filler


@pytest.mark.parametrize(
    "line", ["(b|" * MAX_DEPTH + "b" + ")" * MAX_DEPTH, "!(b (i|" * (MAX_DEPTH // 3) + "b" + "))" * (MAX_DEPTH // 3)]
)
def test_the_deepest_tree_can_be_walked_even_from_a_deep_call_stack(line: str) -> None:
    def dive(levels: int) -> None:
        if levels:
            dive(levels - 1)
        else:
            tree = parse_filter(line)
            assert parse_filter(format_filter(tree)) == tree
            assert describe_filter(tree)

    dive(300)


def test_the_widest_tree_is_read() -> None:
    assert describe_filter(parse_filter("b " * MAX_TERMS)).count("flagged") == MAX_TERMS


def test_a_pattern_of_many_stars_needs_one_look_at_the_text() -> None:
    pattern = Pattern(("", *["a"] * 1_000, "b"))

    assert not pattern.matches("a" * 100_000)
    assert pattern.matches("a" * 100_000 + "b")
