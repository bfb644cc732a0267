"""The first form of the text of a request on the page."""

from __future__ import annotations

import pytest

from app.views.reply.pair import show_pair
from app.views.reply.request_form import MAX_AT_FIRST, MAX_FORMATTED, MAX_LINES_AT_FIRST, RequestForm, choose_form
from tests.builders import a_pair


@pytest.mark.parametrize(
    "text",
    [
        "Is **this** bold?",
        "*One* word",
        "An _important_ word",
        "Call `main()`",
        "~~gone~~",
        "See [the page](https://example.org)",
        "# Title",
        "Title\n===",
        "Two parts\n\n---\n\nbelow",
        "- one\n- two",
        "Buy:\n  * milk",
        "1. one\n2. two",
        "> said",
        "Run\n```sh\nls\n```",
        "| a | b |\n|---|:-:|\n| 1 | 2 |",
        "$$x^2$$",
        r"Solve \(x^2 = 4\)",
    ],
)
def test_markdown_in_a_request_is_formatted(text: str) -> None:
    assert choose_form(text) is RequestForm.FORMATTED


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Why is the sky blue?",
        "two\nlines",
        "2 * 3 * 4 and 2*3",
        "a_b_c and snake_case",
        "5 - 3 -> 2, #tag, $5 to $6",
        "C:\\temp\\[x]",
        "1.5 and (a) and [b] (c)",
        "https://example.org/a_b",
        "-x --long",
        "/echo **bold**",
        "**bold** " * (MAX_FORMATTED // 9 + 1),
    ],
)
def test_request_without_markdown_a_command_and_a_very_long_text_are_shown_as_they_were_sent(text: str) -> None:
    assert choose_form(text) is RequestForm.PLAIN


def test_long_request_with_markdown_is_shown_as_it_was_sent_at_first() -> None:
    lines = "**a**\n" * MAX_LINES_AT_FIRST

    assert choose_form("**a**" + " " * (MAX_AT_FIRST - 5)) is RequestForm.FORMATTED
    assert choose_form("**a**" + " " * (MAX_AT_FIRST - 4)) is RequestForm.SENT
    assert choose_form(lines) is RequestForm.FORMATTED
    assert choose_form(lines + "b") is RequestForm.SENT


@pytest.mark.parametrize("piece", ["*a ", "*", "_a", "`", "[", "[a](", "- ", "> ", "|-", "~~a", "- - ", "* a *", "\\"])
def test_a_text_that_repeats_a_sign_is_read_at_once(piece: str) -> None:
    choose_form((piece * MAX_FORMATTED)[:MAX_FORMATTED])


def test_pair_has_the_form_of_its_request() -> None:
    assert [show_pair(a_pair(text)).form for text in ("Plain", "**Bold**")] == [
        RequestForm.PLAIN,
        RequestForm.FORMATTED,
    ]
    assert show_pair(a_pair("**Bold**")).user_text == "**Bold**", "it is copied as it was sent"
