"""Text files are kept as UTF-8, because a `str` with one emoji takes four bytes for each character."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.domain.context.context import View, build_request
from app.domain.conversation.parts import SentTextFile, Text, TextFile, write_text_file
from app.domain.models.model_profile import ModelProfile

LENGTH = 100_000
PROFILE = ModelProfile("offline:demo", "Demo")


def with_emoji() -> str:
    return "\N{GRINNING FACE}" + "x" * LENGTH


def measure_kept(make: Callable[[], object]) -> int:
    """Return the bytes that the made value takes."""
    tracemalloc.start()
    try:
        made = make()
        kept, _ = tracemalloc.get_traced_memory()
        del made
    finally:
        tracemalloc.stop()
    return kept


@example("\ud83d")
@given(st.text(st.characters(), max_size=20))
def test_a_text_file_has_the_text_that_it_was_made_of(text: str) -> None:
    file = TextFile("a.txt", text)

    assert file.text == text
    assert file == TextFile("a.txt", text)
    assert hash(file) == hash(TextFile("a.txt", text))
    assert file != TextFile("a.txt", f"{text}.")
    assert replace(file, text="other") == TextFile("a.txt", "other")
    assert repr(file) == f"TextFile(name='a.txt', text={text!r})"


def test_a_text_file_must_have_a_text() -> None:
    with pytest.raises(TypeError):
        TextFile("a.txt")
    with pytest.raises(TypeError):
        TextFile("a.txt", cast("Any", 5))


def test_a_text_file_with_an_emoji_takes_one_byte_for_each_other_character() -> None:
    assert measure_kept(lambda: TextFile("a.txt", with_emoji())) < 1.1 * LENGTH


def test_a_sent_text_file_is_the_text_that_a_model_gets() -> None:
    file = TextFile("a.txt", "Hello")
    sent, text = SentTextFile(file), Text(write_text_file(file))

    assert sent.text == text.text
    assert sent == text == sent
    assert (sent,) == (text,)
    assert hash(sent) == hash(text)
    assert sent != Text("Hello")
    assert sent != file


def test_a_request_has_no_copy_of_a_text_file() -> None:
    file = TextFile("a.txt", with_emoji())

    assert measure_kept(lambda: build_request(View(draft=(file,)), PROFILE)) < LENGTH / 2
