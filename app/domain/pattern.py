"""Patterns: text in which `*` stands for any run of characters, compared without regard to case.

Matching is a search for each piece after the one before, so no pattern can make it slow.

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
        """Whether there is no star in it."""
        return len(self.pieces) == 1

    def matches(self, text: str) -> bool:
        """Whether it is the whole text."""
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
        """What has to occur in a folded text, in this order, when the pattern may stand anywhere in it."""
        return tuple(fold(piece) for piece in self.pieces if piece)


def fold(text: str) -> str:
    """The form in which texts are compared: without case, and é is é whether it came as one character or as two."""
    return normalize("NFC", text.casefold())


def occur_in_order(pieces: Iterable[str], text: str) -> bool:
    """Whether the pieces occur in the text, each after the one before."""
    place = 0
    for piece in pieces:
        place = text.find(piece, place)
        if place < 0:
            return False
        place += len(piece)
    return True
