"""Kinds of text: what a text looks like, as far as it decides how far vocabularies differ in it.

    >>> [kind_of(text).value for text in ("Why is it blue?", "天空为什么是蓝色的", "1,2,3", "Das müssen wir prüfen")]
    ['plain', 'foreign', 'figures', 'accented']

Not here: how a family of models counts each kind (`families.py`).
"""

from __future__ import annotations

import re
from enum import StrEnum


class Kind(StrEnum):
    """English and code; other languages in Latin letters; tables of figures; all other scripts, and emoji."""

    PLAIN = "plain"
    ACCENTED = "accented"
    FIGURES = "figures"
    FOREIGN = "foreign"


FOREIGN_BYTES = 0.25
"""Least share of UTF-8 bytes beyond one per character, of other scripts and emoji."""
ACCENTS = 0.01
"""Least share of letters with an accent."""
DIGITS = 0.25
"""Least share of digits in a table."""
_ACCENTED = re.compile(r"[\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u1e00-\u1eff]")
_FOREIGN = re.compile(r"[\u0370-\u1dff\u2e80-\U0010ffff]+")
"""Not punctuation, arrows and mathematical signs, which are in English texts too."""


def kind_of(text: str) -> Kind:
    """Return the main kind of a text. Reads all of it: 300,000 characters take a few milliseconds."""
    length = max(1, len(text))
    if not text.isascii():
        foreign = "".join(_FOREIGN.findall(text))
        if len(foreign.encode(errors="replace")) - len(foreign) >= FOREIGN_BYTES * length:
            return Kind.FOREIGN
    if sum(map(text.count, "0123456789")) >= DIGITS * length:
        return Kind.FIGURES
    is_accented = not text.isascii() and len(_ACCENTED.findall(text)) >= ACCENTS * length
    return Kind.ACCENTED if is_accented else Kind.PLAIN
