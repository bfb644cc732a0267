"""The language of a text, and the language of a reader."""

from __future__ import annotations

import pytest

from app.language.choice import pick_language, prefer_language, reader_language
from app.language.translation import speaking, translate


@pytest.mark.parametrize(
    ("language", "texts"),
    [
        ("en", ("1 day", "1,500 days")),
        ("de", ("1 Tag", "1.500 Tage")),
        ("es", ("1 día", "1.500 días")),
    ],
)
def test_counts_have_the_form_and_the_digits_of_the_language(language: str, texts: tuple[str, str]) -> None:
    with speaking(language):
        assert (translate("count.day", count=1), translate("count.day", count=1500)) == texts


def test_without_a_reader_texts_are_english() -> None:
    assert translate("trash.title") == "Trash"


@pytest.mark.parametrize(
    ("preferred", "accepted", "language"),
    [
        ("", "de-AT,de;q=0.9,en;q=0.8", "de"),
        ("", "fr,es;q=0.5,de;q=0.7", "de"),
        ("", "de;q=0, es", "es"),
        ("", "en-GB, de", "en"),
        ("", "fr", "en"),
        ("", "", "en"),
        ("", "*;q=nothing", "en"),
        ("es", "de", "es"),
        ("xx", "de", "de"),
    ],
)
def test_the_preferred_language_goes_before_what_the_browser_asks_for(
    preferred: str, accepted: str, language: str
) -> None:
    assert pick_language(preferred, accepted) == language


def test_what_is_preferred_holds_until_it_is_taken_back() -> None:
    prefer_language("es")
    try:
        assert reader_language("de") == "es"
    finally:
        prefer_language("")
    assert reader_language("de") == "de"
