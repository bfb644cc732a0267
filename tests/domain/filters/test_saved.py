from __future__ import annotations

import pytest

from app.domain.filters.language.errors import FilterError
from app.domain.filters.language.formatter import format_filter
from app.domain.filters.language.parser import MAX_TERMS, parse_filter
from app.domain.filters.saved import MAX_NESTED, expand_saved


def expanded(line: str, **saved: str) -> str:
    return format_filter(expand_saved(parse_filter(line), saved))


def error_of(line: str, **saved: str) -> FilterError:
    with pytest.raises(FilterError) as caught:
        expanded(line, **saved)
    return caught.value


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("@good", "s3 | b"),
        ("@good r9", "(s3 | b) r9"),
        ("@good | r9", "s3 | b | r9"),
        ("!@good", "!(s3 | b)"),
        ("!@best", "!((s3 | b) !e)"),
        ("i @best", "i (s3 | b) !e"),
        ("@good @good", "(s3 | b) (s3 | b)"),
        ("s2", "s2"),
        ("", ""),
    ],
)
def test_a_saved_filter_is_expanded_in_parentheses(line: str, expected: str) -> None:
    assert expanded(line, good="s3 | b", best="@good !e") == expected


def test_a_name_without_filter_names_those_there_are() -> None:
    error = error_of("s2 @bad", good="s3", new="d1d")

    assert (error.position, error.found, error.expected) == (3, "@bad", "the name of a saved filter")
    assert 'No filter is saved as "bad". Saved: @good, @new.' in error.message


@pytest.mark.parametrize(
    ("saved", "way"),
    [
        ({"a": "@a"}, "@a → @a"),
        ({"a": "s2 !@b", "b": "@c | r3", "c": "b @a"}, "@a → @b → @c → @a"),
        ({"a": "@b", "b": "@b"}, "@a → @b → @b"),
    ],
)
def test_a_filter_that_leads_back_to_itself_is_an_error(saved: dict[str, str], way: str) -> None:
    error = error_of("r9 @a", **saved)

    assert error.position == 3
    assert f"The references are {way}." in error.message


def test_a_filter_used_twice_is_no_circle() -> None:
    assert expanded("@b @c", a="s2", b="@a", c="@a !b") == "s2 s2 !b"


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("s7", '@a is s7, which is not a valid filter: Found "7"'),
        ("b :delete", "A command is not allowed here."),
        ("", "@a is saved as an empty filter."),
    ],
)
def test_a_saved_filter_that_cannot_be_used_is_an_error_where_it_is_named(text: str, hint: str) -> None:
    error = error_of("b | @a", a=text)

    assert error.position == 4
    assert hint in error.message


def test_saved_filters_may_not_grow_beyond_what_a_line_may_hold() -> None:
    doubling = {f"n{n}": f"@n{n - 1} @n{n - 1}" for n in range(1, MAX_NESTED)}

    error = error_of(f"@n{MAX_NESTED - 1}", n0="b", **doubling)

    assert error.expected == "a smaller filter"
    assert expanded("@n7", n0="b", **doubling).count("b") == 128 <= MAX_TERMS


def test_saved_filters_may_not_nest_deeper_than_python_can_recurse() -> None:
    chain = {f"n{n}": f"!@n{n - 1}" for n in range(1, 2_000)}

    error = error_of("@n1999", n0="b", **chain)

    assert error.expected == f"at most {MAX_NESTED} saved filters within each other"


def test_an_expanded_tree_is_no_deeper_than_a_typed_one() -> None:
    deep = {f"n{n}": f"{'!' * 40}@n{n - 1}" for n in range(1, 5)}

    assert error_of("@n4", n0="b", **deep).expected == "a smaller filter"
