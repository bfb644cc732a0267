"""Words that are all different: a text of them takes the most memory while it is stored."""

from __future__ import annotations

from itertools import islice, product
from string import ascii_lowercase, digits


def distinct_words(size: int) -> str:
    """A text of that many bytes, of words of four characters."""
    return " ".join(map("".join, islice(product(digits + ascii_lowercase, repeat=4), size // 5 + 1)))[:size]
