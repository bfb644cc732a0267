"""The window of a page: the range of a long conversation's pairs in view that the page has loaded. Pure.

>>> from app.domain.tokens.estimates import PairSizes
>>> pairs = [Candidate(f"p{position}", position, PairSizes(1, 2)) for position in range(1, 501)]
>>> window = newest(pairs); window, len(window.cut(pairs))
(Window(since=471, until=None), 30)
>>> window = earlier(window, pairs); window, window.has_earlier(pairs)
(Window(since=411, until=None), True)
>>> for _ in range(2): window = earlier(window, pairs)
>>> window, len(window.cut(pairs))
(Window(since=291, until=470), 180)
>>> later(window, pairs)
Window(since=321, until=None)
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from app.domain.context.composition import Candidate
from app.domain.conversation.page_bytes import MAX_PAGE_BYTES, grow_range
from app.store.conversation.pairs import WINDOW

STEP: Final = 60
"""Number of pairs that are added to the window when a reader scrolls close to one of its ends."""
MAX_PAIRS: Final = 180
"""Maximum number of pairs of a window. When more are added, pairs at its other end are removed."""


Kept = tuple[int, int]
"""Positions of two pairs. These pairs, and all pairs between them, stay in the window even if it becomes too large."""


@dataclass(frozen=True, slots=True)
class Window:
    """The positions that a page has loaded, from `since` to `until`.

    `since` 0: from the first pair. `until` None: to the newest pair, including future ones.
    """

    since: int = 0
    until: int | None = None

    def cut(self, visible: Sequence[Candidate]) -> Sequence[Candidate]:
        """Return the pairs in view that belong to the window, oldest first."""
        first, end = self._edges(visible)
        return visible[first:end]

    def has_earlier(self, visible: Sequence[Candidate]) -> bool:
        """Return True if there are pairs in view that are older than the window."""
        return self._edges(visible)[0] > 0

    def has_later(self, visible: Sequence[Candidate]) -> bool:
        """Return True if there are pairs in view that are newer than the window."""
        return self._edges(visible)[1] < len(visible)

    def _edges(self, visible: Sequence[Candidate]) -> tuple[int, int]:
        first = bisect_left(visible, self.since, key=_position_of)
        end = len(visible) if self.until is None else bisect_right(visible, self.until, key=_position_of)
        return first, end


def newest(visible: Sequence[Candidate], count: int = WINDOW) -> Window:
    """Return a window with the newest pairs in view and all future ones."""
    return _window(visible, max(0, len(visible) - count), len(visible))


def earlier(window: Window, visible: Sequence[Candidate]) -> Window:
    """Return the window with older pairs added. If it becomes too large, its newest pairs are removed."""
    shown = window.cut(visible)
    end = bisect_left(visible, shown[0].position, key=_position_of) + len(shown) if shown else len(visible)
    first = max(0, end - len(shown) - STEP)
    return _window(visible, first, min(end, first + MAX_PAIRS))


def later(window: Window, visible: Sequence[Candidate]) -> Window:
    """Return the window with newer pairs added. If it becomes too large, its oldest pairs are removed."""
    if window.until is None:
        return window
    end = min(len(visible), bisect_right(visible, window.until, key=_position_of) + STEP)
    first = bisect_left(visible, window.since, key=_position_of)
    return _window(visible, max(first, end - MAX_PAIRS), end)


def narrow(window: Window, visible: Sequence[Candidate], sizes: Mapping[str, int], keep: Kept) -> Window:
    """Return the window, reduced to the pairs around `keep` that fit into the byte limit of a page."""
    shown = window.cut(visible)
    held = [sizes.get(pair.pair_id, 0) for pair in shown]
    if sum(held) <= MAX_PAGE_BYTES:
        return window
    first = min(bisect_left(shown, keep[0], key=_position_of), len(shown) - 1)
    end = max(bisect_right(shown, keep[1], key=_position_of), first + 1)
    first, end = grow_range(held, first, end)
    start = bisect_left(visible, shown[0].position, key=_position_of)
    return _window(visible, start + first, start + end)


def keep_newest(window: Window, visible: Sequence[Candidate]) -> Kept:
    """Return the position of one pair that must stay in the window.

    It is the newest pair if the window includes future pairs, else the oldest. The position is returned twice, because
    a `Kept` is a range.
    """
    shown = window.cut(visible)
    if not shown:
        return (window.since, window.since)
    at = shown[-1 if window.until is None else 0].position
    return (at, at)


def keep_oldest_edge(window: Window, visible: Sequence[Candidate]) -> Kept:
    """Return the positions of the next older pair and of the window's oldest pair, for a reader who scrolls up."""
    shown = window.cut(visible)
    if not shown:
        return keep_newest(window, visible)
    at = bisect_left(visible, shown[0].position, key=_position_of)
    return (visible[max(0, at - 1)].position, shown[0].position)


def keep_newest_edge(window: Window, visible: Sequence[Candidate]) -> Kept:
    """Return the positions of the window's newest pair and of the next newer pair, for a reader who scrolls down."""
    shown = window.cut(visible)
    if not shown:
        return keep_newest(window, visible)
    at = bisect_left(visible, shown[-1].position, key=_position_of)
    return (shown[-1].position, visible[min(len(visible) - 1, at + 1)].position)


def fit(window: Window, visible: Sequence[Candidate]) -> Window:
    """Return the window, adapted to the current pairs in view.

    A window that ends with the newest pair includes future pairs. A window is never too large.
    """
    if not window.has_later(visible):
        window = Window(window.since)
    shown = window.cut(visible)
    if len(shown) <= MAX_PAIRS:
        return window
    if window.until is None:
        return newest(visible, MAX_PAIRS)
    return Window(window.since, shown[MAX_PAIRS - 1].position)


def up_to(position: int, visible: Sequence[Candidate], count: int = WINDOW) -> Window:
    """Return a window that ends with the pair at this position, or with the next one in view.

    A page that opens with this window is scrolled to the last pair of the window.
    """
    end = min(len(visible), bisect_left(visible, position, key=_position_of) + 1)
    return _window(visible, max(0, end - count), end)


def around(position: int, visible: Sequence[Candidate]) -> Window:
    """Return a window with the pair at this position, or the next one in view, and pairs on both sides."""
    at = bisect_left(visible, position, key=_position_of)
    first = max(0, at - STEP // 2)
    return _window(visible, first, min(len(visible), first + MAX_PAIRS))


def _window(visible: Sequence[Candidate], first: int, end: int) -> Window:
    since = visible[first].position if first else 0
    return Window(since, visible[end - 1].position if end < len(visible) else None)


def _position_of(pair: Candidate) -> int:
    return pair.position
