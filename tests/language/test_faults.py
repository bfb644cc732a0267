"""Errors speak the reader's language: the catalogues have every sentence that is raised, and no others."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from app.domain.errors import InputError, NotFoundError, StoreError
from app.language.catalogue import LANGUAGES, load_catalogue
from app.language.faults import knows_fault, translate_fault
from app.language.translation import speaking
from app.state.faults import describe_fault, describe_reason
from tests.language.raised import find_constants, find_raised

APP = Path(__file__).parents[2] / "app"
ROOMS = ("domain", "media", "providers", "runs", "state", "store", "tools", "views")
ENGLISH_ONLY = (
    "domain/structured/partial_json.py",  # the words of a JSON parser, beside the place
    "domain/transfer/",  # what is wrong within a file, with its JSON path
    "domain/run/returned_text.py",  # a program's answer to the page
    "providers/models/listing.py",  # the log
    "providers/offline_replies/script.py",  # what the demonstration model replies
    "runs/cluster/event_messages.py",  # processes of two versions
    "runs/cluster/run_messages.py",
    "runs/gateway/",  # programs
    "runs/recovery/",
    "runs/transfer/foreign/items.py",
    "runs/transfer/foreign/reader.py",
    *(
        f"runs/transfer/imports/{name}"
        for name in ("check", "file", "ids", "part_shapes", "records", "runs", "scan", "shapes", "tools")
    ),
    "store/backup/",  # the command line
    "store/database/claim.py",  # the start of a server
    "store/memory.py",
    "tools/web_client.py",
)
PUT_TOGETHER = {f"fault.filters.{key}" for key in ("found_end", "end_or_predicate", "closing_or_predicate")}


@pytest.mark.parametrize("room", ROOMS)
def test_every_error_that_a_screen_shows_is_in_the_catalogues(room: str) -> None:
    raised = [
        (module, text)
        for path in (APP / room).rglob("*.py")
        if not (module := path.relative_to(APP).as_posix()).startswith(ENGLISH_ONLY)
        for text in find_raised(path)
    ]

    assert [(module, text) for module, text in raised if not knows_fault(text)] == [], "add them to every catalogue"


def test_every_sentence_of_the_catalogue_is_raised_somewhere() -> None:
    paths = [path for room in ROOMS for path in (APP / room).rglob("*.py")]
    said = "\n".join(constant for path in paths for constant in find_constants(path))
    texts = {key: str(text) for key, text in load_catalogue("en").texts.items() if key.startswith("fault.")}

    unused = {key for key, text in texts.items() if longest_piece(text) not in said}

    assert unused - PUT_TOGETHER == set()


def longest_piece(text: str) -> str:
    """Return the longest part of a sentence that stands in the code in one piece."""
    return max(re.split(r"\{\w+\}|\(HTTP|\. ", text), key=len).strip(" .:")


@pytest.mark.parametrize("language", [language for language in LANGUAGES if language != "en"])
def test_every_sentence_is_found_again_with_its_values(language: str) -> None:
    texts = {key: str(text) for key, text in load_catalogue("en").texts.items() if key.startswith("fault.")}

    with speaking(language):
        same = [key for key, text in texts.items() if translate_fault(text) == text]

    assert [key for key in same if not key.startswith("fault.noun.")] == []


def test_an_error_is_said_with_its_values_in_the_readers_language() -> None:
    with speaking("de"):
        assert describe_fault(NotFoundError("conversation", "c1")) == (
            "Hier gibt es 'c1' nicht (Unterhaltung). Vielleicht wurde es gelöscht."
        )
        assert describe_fault(InputError("name", "has 1,200 characters; 1,000 are the most.")) == (
            "name: hat 1.200 Zeichen; höchstens 1.000 sind möglich."
        )
        assert describe_reason(InputError("name", "is blank. Give the folder a name.")) == (
            "Ist leer. Gib dem Ordner einen Namen."
        )


def test_sentences_of_two_errors_are_said_one_by_one() -> None:
    error = StoreError("The key file /k is damaged. Put a copy of it back.", "Ask the server for a part of it.")

    with speaking("es"):
        assert describe_fault(error) == (
            "El archivo de claves /k está dañado. Pon una copia suya. Pide al servidor una parte."
        )


@pytest.mark.parametrize(
    "text", ["", "The words of somebody else. They stay.", "x" * 100_000, "a. " * 10_000, "{name} %s {", "is {nothing}"]
)
def test_other_texts_stay_as_they_are(text: str) -> None:
    with speaking("de"):
        assert translate_fault(text) == text


def test_the_words_of_a_provider_are_not_touched() -> None:
    with speaking("de"):
        assert translate_fault("Acme: m failed: no such thing: it failed.") == (
            "Acme: m ist fehlgeschlagen: no such thing: it failed."
        )


def test_english_is_said_as_it_was_raised() -> None:
    assert describe_fault(NotFoundError("pair", "p1")) == "No pair 'p1' here. It may have been deleted."
