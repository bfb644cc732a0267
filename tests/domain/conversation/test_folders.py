"""Names of folders: which are allowed, and which count as the same."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from app.domain.conversation.folders import MAX_NAME, Folder, clean_name, require_free
from app.domain.errors import ConflictError, InputError

AT = datetime(2026, 11, 22, tzinfo=UTC)
FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
ENGLAND = "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"


@pytest.mark.parametrize(
    "name",
    [
        FAMILY,
        ENGLAND,
        "\u2764\ufe0f",
        "\u06a9\u062a\u0627\u0628\u200c\u0647\u0627",
        "\u200f\u0639\u0645\u0644",
        "<b>x</b>",
    ],
    ids=["family", "flag", "heart", "Persian with a non-joiner", "right-to-left mark", "HTML"],
)
def test_name_can_have_the_characters_that_join_others(name: str) -> None:
    assert clean_name(f"  {name} ") == name


@pytest.mark.parametrize(
    "name",
    ["", " ", "\u200d", "\u200f \u200c", "\u3164", "a\nb", "a\x00", "a\u202eb", "a\u200bb", "x" * (MAX_NAME + 1)],
)
def test_name_that_is_blank_or_long_or_has_other_invisible_characters_is_refused(name: str) -> None:
    with pytest.raises(InputError):
        clean_name(name)


TAGS = "".join(chr(0xE0000 + ord(letter)) for letter in "obey me")
SELECTORS = "".join(chr(0xE0100 + ord(letter)) for letter in "obey me")


@pytest.mark.parametrize(
    "name",
    [f"Work{TAGS}", f"{ENGLAND}{TAGS}", f"Work{SELECTORS}", "\ufe0f", "\u034f", "Wo\u034frk", "\u17b5"],
    ids=["tags", "tags after a flag", "selectors", "selector alone", "joiner alone", "joiner", "vowel alone"],
)
def test_name_cannot_hide_a_text(name: str) -> None:
    """The name may be sent to models, so a person must see all of it."""
    with pytest.raises(InputError):
        clean_name(name)


def test_names_that_look_the_same_are_the_same() -> None:
    known = [Folder("f1", "local", "Work", AT, AT)]

    for name in ("work", "W\u200dork", "\u200eWORK", "Work\ufe0f"):
        with pytest.raises(ConflictError):
            require_free(known, name)
    require_free(known, "work", besides="f1")
