"""Filters described on the screen, in each language."""

from __future__ import annotations

import pytest

from app.domain.filters.bar.completion import complete_line
from app.domain.filters.bar.sheet import SHEET, build_sheet
from app.domain.filters.bar.words import ENGLISH
from app.domain.filters.conditions.scope import Vocabulary
from app.domain.filters.parser.parser import parse_filter
from app.language.catalogue import LANGUAGES, Plural, load_catalogue
from app.language.translation import speaking
from app.views.filter_words import describe_selected, say_filter

EVERYTHING = "!(b|o) (m'claude*' | !r3) t'AI...' s>=2 d<7d d2025-01-31 u>1 k !c'a*b' in a"


def test_the_catalogue_says_in_english_what_documentation_says() -> None:
    texts = load_catalogue("en").texts
    said = {key.removeprefix("filter_words."): text for key, text in texts.items() if key.startswith("filter_words.")}

    assert said == {key: Plural(*text) if isinstance(text, tuple) else text for key, text in ENGLISH.items()}


@pytest.mark.parametrize("language", [language for language in LANGUAGES if language != "en"])
def test_everything_that_is_said_of_filters_is_said_in_each_language(language: str) -> None:
    with speaking(language):
        sentence, sheet = describe_selected(parse_filter(EVERYTHING)), build_sheet(say_filter)

    assert sentence != describe_selected(parse_filter(EVERYTHING))
    assert [len(section.rows) for section in sheet] == [len(section.rows) for section in SHEET]
    for section, english in zip(sheet, SHEET, strict=True):
        for row, in_english in zip(section.rows, english.rows, strict=True):
            assert row[-1].startswith("`") or row[-1] != in_english[-1]


def test_a_filter_and_its_completion_speak_german() -> None:
    with speaking("de"):
        assert describe_selected(parse_filter("!b s>=2 d<7d | r1")) == (
            "Paare: nicht markiert, mit 2 oder mehr Sternen, weniger als 7 Tage alt; oder das letzte"
        )
        means = [each.means for each in complete_line("fl", 2, Vocabulary(), say_filter).suggestions]
        assert means == ["Paare, die markiert sind"]
