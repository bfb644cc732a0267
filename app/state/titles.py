"""The titles of conversations on screen.

>>> name_of("", "Why is the sky blue?"), name_of("", ""), name_of("Light", "Why is the sky blue?")
('Why is the sky blue?', 'New conversation', 'Light')
"""

from __future__ import annotations

from typing import Final

from app.language.translation import translate

UNNAMED: Final = "common.new_conversation"
MAX_TITLE: Final = 200
"""Characters of a title at most; more cannot be seen anywhere."""


def name_of(title: str, first_words: str) -> str:
    """The title a person or a model gave it, else its first words."""
    return title or first_words or translate(UNNAMED)


def clean_title(typed: object) -> str:
    """What was typed as a title: one line, not too long. Anything but text is none."""
    return " ".join(typed.split())[:MAX_TITLE] if isinstance(typed, str) else ""
