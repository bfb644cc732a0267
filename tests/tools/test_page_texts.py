"""Pages written to take long: converting them takes time in proportion to their length, at any depth of nesting."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest

from app.tools.built_in import page_worker
from app.tools.built_in.page_worker import page_text

NESTED = {
    "quotes": "<blockquote>x ",
    "quotes with attributes": '<blockquote cite="a>b">x ',
    "code": "<pre>x\n",
    "lists": "<ul><li>x ",
    "numbered lists": "<OL ><li>x ",
    "quotes in lists": "<ul><li><blockquote>x ",
    "blocks": "<div>x ",
}


@pytest.mark.parametrize("name", NESTED)
def test_text_of_a_page_grows_as_the_page_does(name: str) -> None:
    small, large = NESTED[name] * 200, NESTED[name] * 800

    # Four times the page: about four times the text. A mark for each level on each line would be sixteen times.
    assert len(page_text(large)) <= 8 * len(page_text(small))


class Depths(HTMLParser):
    """Counts the depth of nested quotes, lists and code in a page that closes none of them."""

    deepest = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.deepest += tag in {"blockquote", "ol", "pre", "ul"}


@pytest.mark.parametrize("name", NESTED)
def test_page_that_is_converted_is_hardly_longer_and_nested_twenty_levels_deep_at_most(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The library writes each quote once for each quote around it: 60 times the work for four times the page."""
    converted, convert = list[str](), page_worker.convert

    def note_and_convert(html: str) -> object:
        converted.append(html)
        return convert(html)

    monkeypatch.setattr(page_worker, "convert", note_and_convert)
    page = NESTED[name] * 1_000
    page_text(page)

    (html,) = converted
    depths = Depths()
    depths.feed(html)
    assert len(html) <= 1.5 * len(page)
    assert depths.deepest <= 20


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
