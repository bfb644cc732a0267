from __future__ import annotations

import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.text.search import MAX_TERMS, as_typed, cut_excerpt, parse_search


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("garden bread", '"garden" AND "bread"'),
        ("gard*", '"gard"*'),
        ('"fresh bread" oven', '"fresh bread" AND "oven"'),
        ('"fresh bre"*', '"fresh bre"*'),
        ("NEAR(a b) OR -c ^d title:e", '"NEAR(a" AND "b" AND "OR" AND "c" AND "d" AND "title:e"'),
        ('an "unclosed phrase', '"an" AND "unclosed" AND "phrase"'),
        ("don't", '"don\'t"'),
        ("*** --- \0", ""),
        ("", ""),
    ],
)
def test_words_beginnings_and_phrases_are_read_and_all_else_is_words(text: str, query: str) -> None:
    assert parse_search(text).query == query


def test_scripts_without_blanks_are_searched_unchanged() -> None:
    found = parse_search("garden 庭のパン")

    assert (found.query, found.pieces) == ('"garden"', ("庭のパン",))


@given(st.text(max_size=200))
def test_whatever_is_written_can_be_asked_of_the_index(text: str) -> None:
    with sqlite3.connect(":memory:") as connection:
        connection.execute("CREATE VIRTUAL TABLE words USING fts5(text)")
        connection.execute("INSERT INTO words VALUES ('some words')")
        for written in (text, as_typed(text), f'{text}"', f"{text} AND (OR"):
            if query := parse_search(written).query:
                connection.execute("SELECT rowid FROM words WHERE words MATCH ?", (query,)).fetchall()
    connection.close()


def test_a_text_that_was_pasted_is_searched_by_its_first_words() -> None:
    assert len(parse_search("word " * 5_000).terms) == MAX_TERMS


@pytest.mark.parametrize(
    ("typed", "asked"),
    [("gard", "gard*"), ("garden ", "garden "), ('"fresh bre', '"fresh bre'), ("gard*", "gard*"), ("", "")],
)
def test_the_last_word_may_still_be_growing(typed: str, asked: str) -> None:
    assert as_typed(typed) == asked


def test_an_excerpt_begins_before_the_first_word_found_and_marks_them_all() -> None:
    text = f"{'x ' * 500}The Crème of the garden, gardens too. {'y ' * 500}"

    pieces = cut_excerpt(text, parse_search("creme garden"))

    assert [piece for piece, found in pieces if found] == ["Crème", "garden"]
    assert pieces[0] == ("…", False)
    assert pieces[-1] == ("…", False)
    assert len("".join(piece for piece, _ in pieces)) < 260


@given(st.text(max_size=300), st.text(max_size=20))
def test_an_excerpt_of_any_text_for_any_search_is_of_that_text(text: str, searched: str) -> None:
    search = parse_search(searched)
    if search.terms or search.pieces:
        shown = "".join(piece for piece, _ in cut_excerpt(text, search)).removeprefix("…").removesuffix("…")
        assert "".join(shown.split()) in "".join(text.split()) + "…"


def test_the_first_match_is_soon_in_its_excerpt_after_whole_words() -> None:
    """The list shows two short lines: of a longer beginning it would not show the match."""
    pieces = cut_excerpt("What a reply can look like\n\n```python\ndef mean(values)", parse_search("mean"))

    assert pieces[:3] == (("…", False), ("```python def ", False), ("mean", True))
    assert cut_excerpt("counterrevolutionaries mean", parse_search("mean"))[:2] == (("…", False), ("mean", True))
