"""Kinds of text. The ratio between the token counts of two vocabularies depends on the kind.

    >>> texts = "Why is it blue?", "天空为什么是蓝色的", "1,2,3", "Das müssen wir prüfen"
    >>> [measure_kind(text).kind.value for text in texts]
    ['plain', 'foreign', 'figures', 'accented']

Not here: the token ranges of each kind for a family of models (`families.py`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class TextKind(StrEnum):
    """The kind of a text.

    - `plain`: English and code.
    - `accented`: other languages in Latin letters.
    - `figures`: tables of numbers.
    - `foreign`: all other scripts, and emoji.
    """

    PLAIN = "plain"
    ACCENTED = "accented"
    FIGURES = "figures"
    FOREIGN = "foreign"


FOREIGN_BYTES = 0.25
"""Minimum of `KindFigures.foreign_bytes` in a foreign text, per character of the whole text."""
ACCENTS = 0.01
"""Minimum share of letters with an accent in an accented text."""
DIGITS = 0.25
"""Minimum share of digits in a table of numbers."""
_PIECE: Final = 65_536
"""Maximum number of characters that are read at once."""
_ACCENTED = re.compile(r"[\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u1e00-\u1eff]")
_FOREIGN = re.compile(r"[\u0370-\u1dff\u2e80-\U0010ffff]+")
"""Letters of other scripts, and emoji.

Without punctuation, arrows and mathematical signs, which English texts have too.
"""


@dataclass(frozen=True, slots=True)
class KindFigures:
    """The counts of characters that decide the kind of a text (`TextKind`).

    - `length`: the number of characters.
    - `foreign_bytes`: the UTF-8 bytes of its letters of foreign scripts, minus one byte for each of these letters.
    - `digits`: the number of digits.
    - `accents`: the number of letters with an accent.
    """

    length: int = 0
    foreign_bytes: int = 0
    digits: int = 0
    accents: int = 0

    def __add__(self, other: KindFigures) -> KindFigures:
        """Return the counts of both texts together."""
        return KindFigures(
            self.length + other.length,
            self.foreign_bytes + other.foreign_bytes,
            self.digits + other.digits,
            self.accents + other.accents,
        )

    @property
    def kind(self) -> TextKind:
        """The main kind of the text."""
        if self.foreign_bytes >= FOREIGN_BYTES * max(1, self.length):
            return TextKind.FOREIGN
        if self.digits >= DIGITS * max(1, self.length):
            return TextKind.FIGURES
        return TextKind.ACCENTED if self.accents >= ACCENTS * max(1, self.length) else TextKind.PLAIN


def measure_kind(text: str) -> KindFigures:
    """Count the characters of a text that decide its kind.

    The whole text is read, in pieces: 300,000 characters take a few milliseconds.
    """
    foreign_bytes = digits = accents = 0
    for piece in (text[start : start + _PIECE] for start in range(0, len(text), _PIECE)):
        digits += sum(map(piece.count, "0123456789"))
        if not piece.isascii():
            foreign = "".join(_FOREIGN.findall(piece))
            foreign_bytes += len(foreign.encode(errors="replace")) - len(foreign)
            accents += len(_ACCENTED.findall(piece))
    return KindFigures(len(text), foreign_bytes, digits, accents)
