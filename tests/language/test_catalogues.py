"""Every language has every text, with the same places, and every text is used."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from app.domain.conversation.conversation import ToolMode
from app.language.catalogue import (
    LANGUAGES,
    SOURCE,
    Catalogue,
    CatalogueError,
    Plural,
    find_languages,
    find_places,
    load_catalogue,
)

APP = Path(__file__).parents[2] / "app"
OTHERS = [language for language in LANGUAGES if language != SOURCE]
ENGLISH = load_catalogue(SOURCE).texts


def forms(text: str | Plural) -> tuple[str, ...]:
    return (text.one, text.other) if isinstance(text, Plural) else (text,)


@pytest.mark.parametrize("language", OTHERS)
def test_a_language_has_the_texts_of_english_and_no_others(language: str) -> None:
    texts = load_catalogue(language).texts

    assert sorted(ENGLISH.keys() - texts.keys()) == [], "missing"
    assert sorted(texts.keys() - ENGLISH.keys()) == [], "not in English"


@pytest.mark.parametrize("language", OTHERS)
def test_a_translation_has_the_places_and_the_forms_of_the_english_text(language: str) -> None:
    texts = load_catalogue(language).texts

    differing = [
        key
        for key, text in ENGLISH.items()
        if key in texts
        and (type(texts[key]) is not type(text) or find_places(texts[key]) - {"count"} != find_places(text) - {"count"})
    ]

    assert differing == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_text_is_empty_or_ends_in_a_blank(language: str) -> None:
    spoiled = [
        key
        for key, text in load_catalogue(language).texts.items()
        for form in forms(text)
        if form != form.strip() or not form
    ]

    assert spoiled == []


def test_a_key_has_at_most_four_words_and_is_not_the_beginning_of_its_text() -> None:
    """Keys stay when their text changes, so that they name the place and the role: `empty_list`, `name_hint`."""
    long = [key for key, text in ENGLISH.items() if is_too_long(key.rpartition(".")[2], forms(text)[-1])]

    assert long == []


@pytest.mark.parametrize(
    ("name", "text", "too_long"),
    [
        ("empty_list", "Empty lists have no entries.", False),
        ("no_agents_yet_make", "No agents yet. Make one.", True),
        ("button_for_all_old_agents", "Export", True),
        ("delete_this_agent_now", "Delete this agent now", False),
    ],
)
def test_a_long_key_is_told_from_a_good_one(name: str, text: str, *, too_long: bool) -> None:
    assert is_too_long(name, text) is too_long


def is_too_long(name: str, text: str) -> bool:
    words = name.split("_")
    said = re.findall(r"[a-z0-9]+", text.lower())
    return len(words) > 4 or (len(words) == 4 and said[:4] == words and len(said) > 4)


def test_every_text_is_used_somewhere() -> None:
    code = "\n".join(path.read_text() for suffix in ("*.py", "*.ts*") for path in APP.rglob(suffix))
    named = set(re.findall(r"""["'@]([a-z0-9_]+(?:\.[a-z0-9_]+)+)["'@]""", code))
    families = set(re.findall(r"""f"([a-z0-9_]+\.[a-z0-9_.]*)\{""", code))  # translate(f"usage.purpose.{purpose}")

    unused = [key for key in ENGLISH if key not in named and not key.startswith(tuple(families))]

    assert [key for key in unused if not key.startswith(("language.", "fault."))] == []  # faults: test_faults.py


def test_a_language_is_a_file(tmp_path: Path) -> None:
    for name in ("fr.toml", "en.toml", "notes.txt"):
        (tmp_path / name).touch()

    assert find_languages(tmp_path) == ("en", "fr")


def test_a_text_that_is_not_there_is_a_fault_and_not_its_key() -> None:
    with pytest.raises(CatalogueError, match=r"de\.toml has no text 'trash\.nothing'"):
        Catalogue("de", {}).fill("trash.nothing", {})


def test_a_value_that_is_not_given_is_a_fault() -> None:
    with pytest.raises(CatalogueError, match="wants a value 'name'"):
        Catalogue("de", {"a.b": "{name} und {other}"}).fill("a.b", {"other": 1})


def test_every_way_of_choosing_tools_has_a_name_and_an_explanation() -> None:
    wanted = {f"screen.tool_choice.{part}.{mode.name.lower()}" for mode in ToolMode for part in ("mode", "about")}

    assert wanted - ENGLISH.keys() == set()
