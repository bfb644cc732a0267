"""Patterns: `*` matches any sequence of characters. Case is ignored.

Matching searches for each piece after the previous one, so no pattern can make it slow.

    >>> Pattern(("claude", "")).matches("Claude Sonnet")
    True
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from unicodedata import normalize


@dataclass(frozen=True, slots=True)
class Pattern:
    """The pieces of text between the stars: `("a", "b")` is `a*b`, `("a",)` is `a`, `("", "")` is `*`."""

    pieces: tuple[str, ...]

    def __post_init__(self) -> None:
        if self.pieces in {(), ("",)}:
            raise ValueError("a pattern needs a character or a star")
        if "" in self.pieces[1:-1]:
            raise ValueError("two stars in a row are one")

    @property
    def is_literal(self) -> bool:
        """True if the pattern has no star."""
        return len(self.pieces) == 1

    def matches(self, text: str) -> bool:
        """Return true if the pattern matches the whole text."""
        folded = fold(text)
        if self.is_literal:
            return folded == fold(self.pieces[0])
        first, *inner, last = map(fold, self.pieces)
        rest = folded.removeprefix(first)
        middle = rest.removesuffix(last)
        if len(folded) != len(first) + len(middle) + len(last):
            return False
        return occur_in_order(inner, middle)

    def searched_pieces(self) -> tuple[str, ...]:
        """Return the pieces that must occur in this order in a folded text if the pattern may match anywhere in it."""
        return tuple(fold(piece) for piece in self.pieces if piece)


def fold(text: str) -> str:
    """Return the form for comparing texts: case is ignored, and é is equal to é in either Unicode form."""
    return normalize("NFC", text.casefold())


def occur_in_order(pieces: Iterable[str], text: str) -> bool:
    """Return true if the pieces occur in the text, each after the previous one."""
    place = 0
    for piece in pieces:
        place = text.find(piece, place)
        if place < 0:
            return False
        place += len(piece)
    return True
