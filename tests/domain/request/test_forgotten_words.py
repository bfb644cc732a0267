"""Which pieces are forgotten with words: short texts only where they stand by themselves and nobody else has them."""

from __future__ import annotations

import json

import pytest

from app.domain.request.forgotten_words import find_words, has_short, has_words


def said(text: str) -> bytes:
    message = {"role": "user", "content": [{"type": "text", "text": text}]}
    return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()


@pytest.mark.parametrize(
    ("text", "other", "found"),
    [
        ("ok", "ok", True),
        (" ok\n", "ok", True),
        ("ok", "Well.\nok\nGo on.", True),
        ("ok", "That is ok.", False),
        ("ok", "okay", False),
        ("4711", "The number 4711 is not it.", False),
        ("ü", "ü", True),
        ("a.c", "abc", False),
        ('say "b"', 'say "b"', True),
        ("The swordfish", "Where is The swordfish?", True),
        ("a\nb", "a\nb", True),
        ("The swordfish is\nok", "ok", False),
        ("of\nshort\nlines", "More of\nshort\nlines here", True),
        ("", "", False),
        ("  ", "  ", False),
    ],
)
def test_where_a_text_is_found(text: str, other: str, *, found: bool) -> None:
    assert has_words(find_words([text], ()), said(other)) is found


@pytest.mark.parametrize("text", ["user", "text", "role", "content", "type"])
def test_names_and_values_of_fields_are_no_words(text: str) -> None:
    words = find_words([text], ())

    assert not has_words(words, said("Something else"))
    assert has_words(words, said(text))


def test_arguments_of_tools_are_found_whatever_they_are_called() -> None:
    words = find_words(["cat"], ())

    assert has_words(words, b'{"type":"tool_use","input":{"type":"cat"}}')
    assert has_words(words, rb'{"type":"function","arguments":"{\"type\":\"cat\"}"}')


@pytest.mark.parametrize("kept", ["ok", " ok ", "First.\nok"])
def test_a_short_text_that_is_kept_elsewhere_is_not_looked_for(kept: str) -> None:
    assert not has_words(find_words(["ok"], [kept]), said("ok"))


def test_a_long_text_is_looked_for_though_others_have_it() -> None:
    assert has_words(find_words(["The swordfish"], ["The swordfish"]), said("The swordfish"))


def test_short_texts_alone_depend_on_what_is_kept() -> None:
    assert has_short(["A text of some length", "ok"])
    assert not has_short(["A text of some length", ""])
