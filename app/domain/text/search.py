"""The search in conversations: a line of words, beginnings of words and phrases. A match contains all of them.

    >>> parse_search('garden bread*').query
    '"garden" AND "bread"*'
    >>> parse_search('"fresh bread" (OR').query
    '"fresh bread" AND "OR"'

Everything except quotes and stars counts as words, so every line is a valid search. Case, accents and punctuation are
ignored. Not here: the search in the database (`store/index/search.py`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final
from unicodedata import normalize

_PIECE: Final = re.compile(r'"([^"]*)"(\*)?|(\S+)')
_UNSPACED: Final = re.compile("[฀-໿က-႟ក-៿぀-ヿ㐀-䶿一-鿿豈-﫿\U00020000-\U0003ffff]")
"""Letters of scripts without blanks between words. The index of the database cannot separate their words."""
_WORD: Final = re.compile(r"[^\W_]+")
_BETWEEN, _MORE_LETTERS = r"[\W_]+", r"[^\W_]*"
_NO_LETTER_BEFORE, _NO_LETTER_AFTER = r"(?<![^\W_])", r"(?![^\W_])"
BEFORE: Final = 16
EXCERPT: Final = 240
"""Characters of an excerpt: `BEFORE` in front of the first match, `EXCERPT` in total."""
MAX_TERMS: Final = 50
"""Maximum number of terms. A longer line is probably a pasted text; its first words are enough to find the text."""


@dataclass(frozen=True, slots=True)
class Term:
    """A term of a search: words that follow each other.

    `prefix`: the last word may be incomplete, so longer words with this beginning match too.
    """

    text: str
    prefix: bool = False

    @property
    def query(self) -> str:
        """The term in the query language of SQLite's FTS5."""
        return f'"{self.text}"{"*" if self.prefix else ""}'

    @property
    def pattern(self) -> str:
        """A regular expression that finds the term in a lower-case text."""
        words = _BETWEEN.join(map(re.escape, _WORD.findall(_plain(self.text))))
        return f"{_NO_LETTER_BEFORE}{words}{_MORE_LETTERS if self.prefix else _NO_LETTER_AFTER}"


@dataclass(frozen=True, slots=True)
class Search:
    """A parsed search. A match contains all `terms` and all `pieces`.

    Pieces are texts in scripts without blanks. They match anywhere in a text, even inside a word. An empty search finds
    nothing.
    """

    terms: tuple[Term, ...] = ()
    pieces: tuple[str, ...] = ()

    @property
    def query(self) -> str:
        """The terms in the query language of SQLite's FTS5, or "" if there are none."""
        return " AND ".join(term.query for term in self.terms)


def parse_search(text: str) -> Search:
    """Parse the text of a search."""
    terms: list[Term] = []
    pieces: list[str] = []
    for phrase, phrase_star, word in _PIECE.findall(_clean(text)):
        written, star = (phrase, phrase_star) if phrase else (word.rstrip("*"), "*" if word.endswith("*") else "")
        words = list(_WORD.finditer(written))
        if not words:
            continue
        written = written[words[0].start() : words[-1].end()].replace('"', " ")
        if _UNSPACED.search(written):
            pieces.append(written)
        else:
            terms.append(Term(written, star == "*"))
    return Search(tuple(terms[:MAX_TERMS]), tuple(pieces[:MAX_TERMS]))


def cut_excerpt(text: str, search: Search) -> tuple[tuple[str, bool], ...]:
    r"""Cut an excerpt around the first match, on one line. It is a list of pieces; True marks a piece that matches.

    >>> cut_excerpt("We baked bread\nin the garden.", parse_search("garden BREAD"))
    (('We baked ', False), ('bread', True), (' in the ', False), ('garden', True), ('.', False))
    """
    patterns = [*(term.pattern for term in search.terms), *map(re.escape, map(_plain, search.pieces))]
    sought = re.compile("|".join(patterns))
    first = sought.search(_plain(text))
    begin = _begin_word(text, first.start()) if first else 0
    shown = " ".join(text[begin : begin + EXCERPT].split())
    pieces: list[tuple[str, bool]] = [("…", False)] if begin else []
    end = 0
    for found in sought.finditer(_plain(shown)):
        pieces += [(shown[end : found.start()], False), (shown[found.start() : found.end()], True)]
        end = found.end()
    pieces += [(shown[end:], False), ("…" if begin + EXCERPT < len(text) else "", False)]
    return tuple(piece for piece in pieces if piece[0])


def _begin_word(text: str, match: int) -> int:
    """Return where an excerpt begins: at most `BEFORE` characters before a match, if possible with a whole word."""
    begin = max(0, match - BEFORE)
    before = text[begin:match]
    is_cut = begin > 0 and not text[begin - 1].isspace() and not before[:1].isspace()
    gap = re.search(r"\s+", before) if is_cut else None
    return begin if gap is None else begin + gap.end()


def has_unspaced(text: str) -> bool:
    """Return True if the text has letters of a script without blanks between words."""
    return _UNSPACED.search(text) is not None


def as_typed(text: str) -> str:
    """Return the text of a search that is still being typed, with a star after a last word that may be incomplete."""
    if not text or not text[-1].isalnum() or text.count('"') % 2:
        return text
    return f"{text}*"


def _clean(text: str) -> str:
    """Replace characters that databases do not accept: lone surrogates and NUL."""
    return text.encode(errors="replace").decode().replace("\0", " ")


def _plain(text: str) -> str:
    """Return the text in lower case and without accents. Its length does not change."""
    lower = text.lower()
    if lower.isascii():
        return lower
    return "".join(normalize("NFD", letter)[0].lower()[:1] for letter in text)
