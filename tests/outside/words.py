"""Words that all differ: storing a text of them takes the most memory."""

from __future__ import annotations

from itertools import islice, product
from string import ascii_lowercase, digits


def distinct_words(size: int, *, after: int = 0) -> str:
    """Return a text of that many bytes, with words of four characters.

    `after`: the words are other than those of `distinct_words(after)`.
    """
    first = -(-after // 5)
    words = islice(product(digits + ascii_lowercase, repeat=4), first, first + size // 5 + 1)
    return " ".join(map("".join, words))[:size]
