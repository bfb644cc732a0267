r"""Turns a line of plain words, which is not a filter, into the filter that searches for them.

People expect that typed words are searched for. The language has no such words, so Inview offers the search and applies
it only when the person accepts.

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
from app.domain.text.pattern import Pattern

_WORD: Final = r"[^\W_]+(?:['’-][^\W_]+)*"
_PLAIN: Final = re.compile(rf"{_WORD}(?:[\s,;.?]+{_WORD})*[.?]*")
_PREDICATE: Final = re.compile(r"([^\W\d_]+)[\d.-]*(?:min|[hdwmoy]{1,2})?")


def search_for(line: str) -> str:
    """Return the filter that searches for the words of a line, or "" if the line does not consist of words."""
    words = line.strip()
    if not _PLAIN.fullmatch(words) or all(map(_may_be_predicate, words.split())):
        return ""
    return f"c{quote_pattern(Pattern((words,)))}"


def _may_be_predicate(word: str) -> bool:
    """Return true if a word looks like a predicate, such as `s7`.

    For such a word, the error of the predicate is shown, and no search is offered.
    """
    found = _PREDICATE.fullmatch(word)
    return found is not None and found[1] in NAMES
