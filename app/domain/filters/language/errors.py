"""The error of the filter language. It has the position of the fault, the text that was found, and what was expected.

>>> str(FilterError(1, "7", "a number of stars from 0 to 3"))
'filter: Found "7", expected a number of stars from 0 to 3.'
"""

from __future__ import annotations

from app.domain.errors import InputError

MAX_QUOTE = 40
"""Maximum number of characters of the filter line that an error message quotes."""


class FilterError(InputError):
    """Error: a filter line cannot be used. The line has no effect: the pairs in view do not change.

    `position` counts characters from 0, `found` is the text at this position. For an error at the end, `position` is
    the length of the line, and `found` is empty.
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
    """Return a text as an error message quotes it: shortened, and with escapes for unprintable characters."""
    short = text if len(text) <= MAX_QUOTE else f"{text[: MAX_QUOTE - 1]}…"
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in short)
