r"""Turns a line of plain words, which is no filter, into the filter that searches for those words.

Typing a word is how people expect to search. The language has no bare words, so the search is offered, never guessed.

>>> search_for("budget for March"), search_for("don't panic")
("c'budget for March'", 'c"don\'t panic"')
>>> search_for("s7"), search_for("b & budget"), search_for("t'AI'"), search_for("   ")
('', '', '', '')
"""

from __future__ import annotations

import re
from typing import Final

from app.domain.filters.language.predicates import NAMES
from app.domain.filters.language.quoting import quote_pattern
from app.domain.pattern import Pattern

_WORD: Final = r"[^\W_]+(?:['’-][^\W_]+)*"
_PLAIN: Final = re.compile(rf"{_WORD}(?:[\s,;.?]+{_WORD})*[.?]*")
_PREDICATE: Final = re.compile(r"([^\W\d_]+)[\d.-]*(?:min|[hdwmoy]{1,2})?")


def search_for(line: str) -> str:
    """Return the filter that searches for the words of a line, "" where it is not made of words alone."""
    words = line.strip()
    if not _PLAIN.fullmatch(words) or all(map(_may_be_predicate, words.split())):
        return ""
    return f"c{quote_pattern(Pattern((words,)))}"


def _may_be_predicate(word: str) -> bool:
    """Whether a word was meant as a predicate, such as `s7`: then its own mistake is what has to be said."""
    found = _PREDICATE.fullmatch(word)
    return found is not None and found[1] in NAMES
