"""Patterns of text with stars: `*` matches any sequence of characters. Case is ignored.

Each piece between two stars is searched for after the previous one, so a match is fast for every pattern.

    >>> Pattern(("claude", "")).matches("Claude Sonnet")
    True
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final
from unicodedata import normalize

PIECE: Final = 65_536
"""Number of characters after which a text may be divided, to fold it in pieces."""
_ASCII: Final = re.compile("[\\0-\\x7f]")


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern as the pieces of text between its stars: `("a", "b")` is `a*b`, `("a",)` is `a`, `("", "")` is `*`."""

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
        """Return the pieces in the form of `fold`, to search for them in texts of the same form.

        Empty pieces are left out.

        Only a text that contains all these pieces, in this order, can contain a match.
        """
        return tuple(fold(piece) for piece in self.pieces if piece)


def fold(text: str) -> str:
    """Return the text in the form for comparisons.

    Upper and lower case become equal, and so do the two Unicode forms of é. A long text is folded in pieces, because
    `casefold` needs twelve bytes for each character.
    """
    return "".join(normalize("NFC", piece.casefold()) for piece in _divide(text))


def _divide(text: str) -> Iterator[str]:
    """Yield the pieces of a text. Each begins with an ASCII character, which NFC never joins with another."""
    start = 0
    while len(text) - start > PIECE and (found := _ASCII.search(text, start + PIECE)):
        yield text[start : found.start()]
        start = found.start()
    yield text[start:]


def occur_in_order(pieces: Iterable[str], text: str) -> bool:
    """Return true if the pieces occur in the text, each after the previous one."""
    place = 0
    for piece in pieces:
        place = text.find(piece, place)
        if place < 0:
            return False
        place += len(piece)
    return True
