from __future__ import annotations

import pytest

from app.domain.errors import InputError
from app.domain.filters.language.errors import FilterError
from app.domain.filters.language.lexer import MAX_LENGTH
from app.domain.filters.language.parser import MAX_DEPTH, MAX_TERMS, parse_filter, parse_line


def error_of(line: str) -> FilterError:
    with pytest.raises(FilterError) as caught:
        parse_filter(line)
    return caught.value


@pytest.mark.parametrize(
    ("line", "position", "found", "expected"),
    [
        # values
        ("s7", 1, "7", "a number of stars from 0 to 3"),
        ("b s>=4", 5, "4", "a number of stars from 0 to 3"),
        ("r0", 1, "0", "a number of pairs from 1 to 999,999,999"),
        ("t0", 1, "0", "a number of pairs from 1 to 999,999,999"),
        ("d2025-13-40", 1, "2025-13-40", "a day that exists"),
        ("d2025-02-29", 1, "2025-02-29", "a day that exists"),
        ("d0000-01-01", 1, "0000-01-01", "a day that exists"),
        ("d2025-1-31", 1, "2025-1-31", "a day written like 2025-01-31 or 25-01-31"),
        ("d2025-01", 1, "2025-01", "a day written like 2025-01-31 or 25-01-31"),
        ("d202-01-01", 1, "202-01-01", "a day written like 2025-01-31 or 25-01-31"),
        ("d<7days", 3, "days", "a unit of age (min, h, d, w, mo, y) or a filter word"),
        ("u1000000000", 1, "1000000000", "a number of tokens from 0 to 999,999,999"),
        ("c''", 1, "''", "the text to search in quotes"),
        ("m''", 1, "''", "a name in the quotes"),
        ("t' '", 1, "' '", "a topic in the quotes"),
        ("t'AI > '", 1, "'AI > '", "a topic in the quotes"),
        ("t'...'", 1, "'...'", "a topic in the quotes"),
        # arguments
        ("s", 1, "", "a number of stars"),
        ("s>", 2, "", "a number of stars"),
        ("s'2'", 1, "'2'", "a number of stars"),
        ("r b", 2, "b", "a number of pairs"),
        ("r-1", 1, "-", "a number of pairs"),
        ("d", 1, "", "an age such as 7d or a day such as 2025-01-31"),
        ("d'2025-01-31'", 1, "'2025-01-31'", "an age such as 7d or a day such as 2025-01-31"),
        ("c", 1, "", "the text to search in quotes"),
        ("c*x", 1, "*", "the text to search in quotes"),
        ("b5", 1, "5", 'nothing after "b", which takes no argument'),
        ("images'x'", 6, "'x'", 'nothing after "images", which takes no argument'),
        ("@ b", 0, "@", "the name of a saved filter after it"),
        # quotes
        ("c'abc", 1, "'", "a closing ' after it"),
        ("b c\"abc'", 3, '"', 'a closing " after it'),
        (r"c'abc\'", 1, "'", "a closing ' after it"),
        # limits
        ("(" * (MAX_DEPTH + 1) + "b", MAX_DEPTH, "(", 'at most 50 parentheses and "!" within each other'),
        ("(" * 10_000 + "b" + ")" * 10_000, MAX_DEPTH, "(", 'at most 50 parentheses and "!" within each other'),
        ("(b|" * (MAX_DEPTH + 1) + "b", 3 * MAX_DEPTH, "(", 'at most 50 parentheses and "!" within each other'),
        ("!(b " * MAX_DEPTH, 4 * 25, "!", 'at most 50 parentheses and "!" within each other'),
        ("!" * 9_999 + "b", MAX_DEPTH, "!", 'at most 50 parentheses and "!" within each other'),
        ("b " * MAX_TERMS + "s2 & r3", 2 * MAX_TERMS + 3, "&", f"at most {MAX_TERMS} filter words in a filter"),
        ("c'" + "x" * MAX_LENGTH + "'", MAX_LENGTH, "x", "a line of at most 4,000 characters"),
        ("b" + " " * MAX_LENGTH, MAX_LENGTH, " ", "a line of at most 4,000 characters"),
        ("b c'a\0b'", 5, r"\x00", "a character that can be stored"),
        ("c'\ud800'", 2, r"\ud800", "a character that can be stored"),
    ],
)
def test_an_error_says_where_it_is_what_was_found_and_what_was_expected(
    line: str, position: int, found: str, expected: str
) -> None:
    error = error_of(line)

    assert (error.position, error.found, error.expected) == (position, found, expected)


@pytest.mark.parametrize(
    ("line", "position", "found"),
    [
        ("hello", 0, "hello"),
        ("b hello", 2, "hello"),
        ("boat", 0, "boat"),
        ("bi", 0, "bi"),
        ("bi 2", 0, "bi"),
        ("bbbbbbbbs2", 0, "bbbbbbbbs"),
        ("größe", 0, "größe"),
        ("( )", 2, ")"),
        ("& b", 0, "&"),
        ("b |", 3, ""),
        ("b & | s2", 4, "|"),
        ("!", 1, ""),
        ("s2 3", 3, "3"),
        ("t'AI'10", 5, "10"),
        ("b)", 1, ")"),
        ("(b", 2, ""),
        ("((b)", 4, ""),
        ("t<5", 1, "<"),
        ("'AI'", 0, "'AI'"),
        ("b \N{ZERO WIDTH SPACE}", 2, r"\u200b"),
        ("(b :export)", 3, ":"),
        ("b :export", 2, ":"),
    ],
)
def test_whatever_is_no_predicate_is_an_error_at_its_place(line: str, position: int, found: str) -> None:
    error = error_of(line)

    assert (error.position, error.found) == (position, found)


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("hello", "write c'word'"),
        ("bi", 'write them apart: "b i"'),
        ("flaged", 'Did you mean "flagged"?'),
        ("S2", 'Filter words are lower case: write "s".'),
        ("Stars2", 'write "stars"'),
        ("b and s2", 'Write "&" or a space.'),
        ("b OR s2", 'Write "|".'),
        ("not b", 'Write "!".'),
        ("b && s2", 'One "&" is enough.'),
        ("b || s2", 'One "|" is enough.'),
        ("b, s2", '"|" for or'),
        ("s!=2", "as in !s2"),
        ("s==2", "as in !s2"),
        ("s≥2", 'Write ">=".'),
        ("t\N{LEFT SINGLE QUOTATION MARK}AI", "Quotes are ' or \"."),
        ("b -s2", 'Write "!"'),
        ("/export", "as in :export"),
        ("t''", "Write t'AI' or t'AI > Planning'."),
        ("(b :export)", "Write a command after the whole filter"),
        ("b :export", "A command is not allowed here."),
    ],
)
def test_an_error_says_what_to_type_instead(line: str, hint: str) -> None:
    assert hint in error_of(line).message


def test_an_error_is_a_sentence_and_an_input_error_of_the_filter() -> None:
    error = error_of("s7")

    assert error.message == 'Found "7", expected a number of stars from 0 to 3.'
    assert isinstance(error, InputError)
    assert (error.field, error.reason) == ("filter", error.message)


def test_an_error_at_the_end_is_named_as_such() -> None:
    assert error_of("(b").message.startswith('Found the end, expected a closing ), "&", "|" or a filter word (topic,')


def test_an_error_repeats_little_of_a_long_line() -> None:
    assert len(error_of("x" * 9_000).found) == 40


def test_the_first_error_of_a_line_is_reported() -> None:
    assert error_of("s7 hello 'unclosed").position == 1
    assert error_of("hello (" + "b" * 20_000).position == 0


@pytest.mark.parametrize("line", ["b :export 'x", "b :topic \\", "b :export \0", "b :topic '" + "x" * 20_000 + "'"])
def test_a_command_has_the_same_limits(line: str) -> None:
    with pytest.raises(FilterError):
        parse_line(line)


def test_depth_counts_only_what_is_open() -> None:
    parse_filter("(b)" * MAX_TERMS)
    parse_filter("!b" * MAX_TERMS)
    parse_filter("(" * MAX_DEPTH + "b" + ")" * MAX_DEPTH)
