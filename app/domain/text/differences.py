"""Compares two texts, or two lists: the result has the unchanged, removed and added pieces in order. Pure.

>>> [(span.sign, span.text) for span in diff_words("a red fox", "a grey fox")]
[('', 'a'), ('-', ' red'), ('+', ' grey'), ('', ' fox')]
>>> diff_items(["a", "b"], ["b", "c"], str)
[('-', 'a'), ('', 'b'), ('+', 'c')]
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final, Literal, TypeVar

Sign = Literal["", "-", "+"]
T = TypeVar("T")

# A word includes the blanks in front of it. A sign is a word, and so is each character of scripts without blanks.
_UNSPACED: Final = "\u0e00-\u0e7f\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_WORD: Final = re.compile(rf"\s*(?:[{_UNSPACED}]|(?:(?![{_UNSPACED}])[\w\u0300-\u036f])+|[^\s\w])|\s+")
_MAX_CELLS: Final = 25_000_000
"""Maximum product of the lengths of two compared lists, not counting the equal items at their starts and ends.

Longer lists are not compared: all old items count as removed, and all new ones as added.
"""
_POPULAR: Final = 2_000
"""Maximum length of a list whose items are all compared.

In longer lists, items that occur often are not matched with each other, because this would take minutes.
"""


@dataclass(frozen=True, slots=True)
class SpanView:
    """A piece of two compared texts.

    `sign` "": both texts have it; "-": only the first has it; "+": only the second has it.
    """

    sign: Sign
    text: str


def diff_words(before: str, after: str) -> tuple[SpanView, ...]:
    """Compare two texts word by word. At each changed place, removed words come first, then added words."""
    spans = list[SpanView]()
    for sign, word in diff_items(_WORD.findall(before), _WORD.findall(after), str):
        if spans and spans[-1].sign == sign:
            spans[-1] = SpanView(sign, spans[-1].text + word)
        else:
            spans.append(SpanView(sign, word))
    return tuple(spans)


def diff_items(before: Sequence[T], after: Sequence[T], key: Callable[[T], Hashable]) -> list[tuple[Sign, T]]:
    """Compare two lists by the keys of their items. Return the items of both, each with its sign.

    If both lists have an item with the same key, the result has the item of `after`.
    """
    keys, others = [key(item) for item in before], [key(item) for item in after]
    start = _count_equal(zip(keys, others, strict=False))
    most = min(len(keys), len(others)) - start
    end = min(most, _count_equal(zip(reversed(keys), reversed(others), strict=False)))
    middle = _diff_middle(keys[start : len(keys) - end], others[start : len(others) - end])
    rows: list[tuple[Sign, T]] = [("", item) for item in after[:start]]
    for sign, at in middle:
        rows.append((sign, before[start + at] if sign == "-" else after[start + at]))
    return rows + [("", item) for item in after[len(after) - end :]]


def _count_equal(pairs: Iterator[tuple[Hashable, Hashable]]) -> int:
    count = 0
    for one, other in pairs:
        if one != other:
            break
        count += 1
    return count


def _diff_middle(before: list[Hashable], after: list[Hashable]) -> Iterator[tuple[Sign, int]]:
    """Yield a sign and an index for each item of the result. The index is into `before` for "-", else into `after`."""
    if len(before) * len(after) > _MAX_CELLS:
        matches = [("replace", 0, len(before), 0, len(after))]
    else:
        popular = max(len(before), len(after)) > _POPULAR
        matches = SequenceMatcher(None, before, after, autojunk=popular).get_opcodes()
    for tag, from_start, from_end, to_start, to_end in matches:
        if tag == "equal":
            for at in range(to_start, to_end):
                yield "", at
            continue
        for at in range(from_start, from_end):
            yield "-", at
        for at in range(to_start, to_end):
            yield "+", at
