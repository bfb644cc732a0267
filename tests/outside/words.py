"""Words that all differ: storing a text of them takes the most memory."""

from __future__ import annotations

from itertools import islice, product
from string import ascii_lowercase, digits


def distinct_words(size: int) -> str:
    """Return a text of that many bytes, with words of four characters."""
    return " ".join(map("".join, islice(product(digits + ascii_lowercase, repeat=4), size // 5 + 1)))[:size]
