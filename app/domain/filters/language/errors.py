"""The error of the filter language: what was found, where, and what to type instead.

>>> str(FilterError(1, "7", "a number of stars from 0 to 3"))
'filter: Found "7", expected a number of stars from 0 to 3.'
"""

from __future__ import annotations

from app.domain.errors import InputError

MAX_QUOTE = 40
"""Characters of the input that a message repeats at most."""


class FilterError(InputError):
    """A line that cannot be used. It changes nothing: the list, and what would be sent, stay as they were.

    `position` counts characters from 0; at the end it is the length of the line. `found` is empty there.
    """

    def __init__(self, position: int, found: str, expected: str, hint: str = "") -> None:
        self.position = position
        self.found = show(found)
        self.expected = expected
        self.hint = hint
        found_words = f'"{self.found}"' if found else "the end"
        self.message = " ".join(filter(None, (f"Found {found_words}, expected {expected}.", hint)))
        super().__init__("filter", self.message)


def show(text: str) -> str:
    """The text fit to stand in a message: short, and without characters that nobody can see."""
    short = text if len(text) <= MAX_QUOTE else f"{text[: MAX_QUOTE - 1]}…"
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in short)
