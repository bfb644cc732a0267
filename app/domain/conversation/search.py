"""Search queries: words, beginnings of words and phrases. A place matches when it has all of them.

    >>> parse_search('garden bread*').query
    '"garden" AND "bread"*'
    >>> parse_search('"fresh bread" (OR').query
    '"fresh bread" AND "OR"'

Whatever else is written is words: there is no line that cannot be searched for. Case and accents do not matter, and
neither do signs between letters. Not here: where they are looked for (`store/index/search.py`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final
from unicodedata import normalize

_PIECE: Final = re.compile(r'"([^"]*)"(\*)?|(\S+)')
_UNSPACED: Final = re.compile("[฀-໿က-႟ក-៿぀-ヿ㐀-䶿一-鿿豈-﫿\U00020000-\U0003ffff]")
"""Letters of scripts that write no blanks between words: an index of words does not have theirs one by one."""
_WORD: Final = re.compile(r"[^\W_]+")
_BETWEEN, _MORE_LETTERS = r"[\W_]+", r"[^\W_]*"
_NO_LETTER_BEFORE, _NO_LETTER_AFTER = r"(?<![^\W_])", r"(?![^\W_])"
BEFORE: Final = 40
EXCERPT: Final = 240
"""Characters of an excerpt before the first word that was found, and in all."""
MAX_TERMS: Final = 50
"""Terms that are looked for at most. Who writes more has pasted a text: its first words find it."""


@dataclass(frozen=True, slots=True)
class Term:
    """Words that stand one after the other. `prefix`: the last of them is the beginning of one."""

    text: str
    prefix: bool = False

    @property
    def words(self) -> tuple[str, ...]:
        """Its words one by one, in lower case and without accents."""
        return tuple(_WORD.findall(_plain(self.text)))

    @property
    def query(self) -> str:
        """In the language of SQLite's FTS5."""
        return f'"{self.text}"{"*" if self.prefix else ""}'

    @property
    def pattern(self) -> str:
        """A regular expression of its occurrences in a lower-case text."""
        words = _BETWEEN.join(map(re.escape, self.words))
        return f"{_NO_LETTER_BEFORE}{words}{_MORE_LETTERS if self.prefix else _NO_LETTER_AFTER}"


@dataclass(frozen=True, slots=True)
class Search:
    """What is looked for: all `terms`, and all `pieces`, which stand in scripts without blanks and so anywhere in a
    text. Neither: there is nothing to look for, and nothing is found.
    """

    terms: tuple[Term, ...] = ()
    pieces: tuple[str, ...] = ()

    @property
    def query(self) -> str:
        """The terms in the language of SQLite's FTS5, "" for none."""
        return " AND ".join(term.query for term in self.terms)


def parse_search(text: str) -> Search:
    """What this text asks for."""
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
    r"""What stands around the words in a text, on one line and in pieces; those that are True are the words.

    >>> cut_excerpt("We baked bread\nin the garden.", parse_search("garden BREAD"))
    (('We baked ', False), ('bread', True), (' in the ', False), ('garden', True), ('.', False))
    """
    patterns = [*(term.pattern for term in search.terms), *map(re.escape, map(_plain, search.pieces))]
    sought = re.compile("|".join(patterns))
    first = sought.search(_plain(text))
    begin = max(0, first.start() - BEFORE) if first else 0
    shown = " ".join(text[begin : begin + EXCERPT].split())
    pieces: list[tuple[str, bool]] = [("…", False)] if begin else []
    end = 0
    for found in sought.finditer(_plain(shown)):
        pieces += [(shown[end : found.start()], False), (shown[found.start() : found.end()], True)]
        end = found.end()
    pieces += [(shown[end:], False), ("…" if begin + EXCERPT < len(text) else "", False)]
    return tuple(piece for piece in pieces if piece[0])


def as_typed(text: str) -> str:
    """A text that is still being written: its last word may go on."""
    if not text or not text[-1].isalnum() or text.count('"') % 2:
        return text
    return f"{text}*"


def _clean(text: str) -> str:
    """Without what no database takes: half characters, and the end of a string in the middle of one."""
    return text.encode(errors="replace").decode().replace("\0", " ")


def _plain(text: str) -> str:
    """The text in lower case and without accents, letter for letter."""
    lower = text.lower()
    if lower.isascii():
        return lower
    return "".join(normalize("NFD", letter)[0].lower()[:1] for letter in text)
