"""The name under which a conversation is shown.

>>> name_of("", "Why is the sky blue?"), name_of("", ""), name_of("Light", "Why is the sky blue?")
('Why is the sky blue?', 'New conversation', 'Light')
"""

from __future__ import annotations

from typing import Final

UNNAMED: Final = "New conversation"
LONGEST: Final = 200
"""Maximum number of characters of a title. No part of the page shows more."""


def name_of(title: str, first_words: str) -> str:
    """Return the title of a conversation or, if it has none, its first words."""
    return title or first_words or UNNAMED


def clean_title(typed: object) -> str:
    """Return a typed title on one line, cut to the maximum length. Return "" if the value is not a text."""
    return " ".join(typed.split())[:LONGEST] if isinstance(typed, str) else ""
