"""Kinds of text: what a text looks like, as far as it decides how far vocabularies differ in it.

    >>> [kind_of(text).value for text in ("Why is it blue?", "天空为什么是蓝色的", "1,2,3", "Das müssen wir prüfen")]
    ['plain', 'foreign', 'figures', 'accented']

Not here: how a family of models counts each kind (`families.py`).
"""

from __future__ import annotations

from enum import StrEnum


class Kind(StrEnum):
    """English and code; other languages in Latin letters; tables of figures; all other scripts, and emoji."""

    PLAIN = "plain"
    ACCENTED = "accented"
    FIGURES = "figures"
    FOREIGN = "foreign"


FOREIGN_BYTES = 0.25
ACCENTED_BYTES = 0.01
"""Least share of UTF-8 bytes beyond one per character."""
DIGITS = 0.25
"""Least share of digits in a table."""


def kind_of(text: str) -> Kind:
    """Return the main kind of a text. Reads all of it: 300,000 characters take a millisecond."""
    length = max(1, len(text))
    beyond = (len(text.encode(errors="replace")) - len(text)) / length
    if beyond >= FOREIGN_BYTES:
        return Kind.FOREIGN
    if sum(map(text.count, "0123456789")) >= DIGITS * length:
        return Kind.FIGURES
    return Kind.ACCENTED if beyond >= ACCENTED_BYTES else Kind.PLAIN
