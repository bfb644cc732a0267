"""Pages that were written to take long: making text of them takes as long as they are, whatever is nested in them."""

from __future__ import annotations

import time

import pytest

from app.tools.web_pages import page_text

NESTED = {
    "quotes": "<blockquote>x ",
    "quotes with attributes": '<blockquote cite="a>b">x ',
    "code": "<pre>x\n",
    "lists": "<ul><li>x ",
    "numbered lists": "<OL ><li>x ",
    "quotes in lists": "<ul><li><blockquote>x ",
    "blocks": "<div>x ",
}


def seconds(html: str) -> float:
    """What it takes of the processor, at least."""
    taken: list[float] = []
    for _ in range(5):
        begun = time.thread_time()
        page_text(html)
        taken.append(time.thread_time() - begun)
    return min(taken)


@pytest.mark.parametrize("name", NESTED)
def test_text_of_a_page_grows_as_the_page_does(name: str) -> None:
    small, large = NESTED[name] * 200, NESTED[name] * 800

    # Four times the page: about four times the text. A mark for each level on each line would be sixteen times.
    assert len(page_text(large)) <= 8 * len(page_text(small))


@pytest.mark.exhaustive
def test_time_for_a_page_grows_as_the_page_does() -> None:
    """Four times the page took 60 times as long while each quote was written once for each quote around it."""
    assert seconds("<blockquote>x " * 1_000) <= 20 * seconds("<blockquote>x " * 250)


def test_a_deep_quote_around_a_long_page_is_not_written_on_each_line() -> None:
    page = "<p>x</p>" * 2_000

    assert len(page_text("<blockquote>" * 500 + page)) <= 60 * len(page_text(page))


def test_all_words_of_deep_quotes_and_lists_are_there() -> None:
    assert page_text("<blockquote>word " * 500).count("word") == 500
    assert page_text("<ul><li>word " * 300).count("word") == 300


def test_quotes_lists_and_code_as_pages_have_them_stay() -> None:
    page = "<ul><li>a<ul><li>b</ul><li>c</ul><blockquote>d<blockquote>e</blockquote></blockquote><pre>f\n  g</pre>"

    text = page_text(page * 100)

    assert text.count("- a") == text.count("> > e") == 100
    assert text.count("  g") == 100


def test_page_says_that_parts_of_it_are_left_out() -> None:
    assert "nested too deeply" in page_text("<div>x " * 3_000)
    assert "nested too deeply" not in page_text("<div>x " * 300)
