"""The window of an open page: which pairs of a long conversation it holds, and how it moves.

    window = PageWindow(pairs, view, start, show)
    await window.show_stored()                   # before it is known what is in view
    await window.move(earlier, keep_oldest_edge)
    pairs, running = window.cut(screen)

Not which window follows from which: those are the functions of `window.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from app.domain.context.composition import Candidate
from app.domain.conversation.conversation import Pair
from app.domain.conversation.page_bytes import count_fitting
from app.runs.request.preview import Composed
from app.runs.watch.composed import ComposedView
from app.runs.watch.pairs import WatchedPairs, ids_of, is_running, watch_calls
from app.runs.watch.screen import Screen
from app.runs.watch.window import Kept, Window, around, keep_newest, narrow
from app.store.conversation.pair_bytes import load_bytes_beside
from app.store.conversation.pairs import WINDOW
from app.views.screen.pair import ScreenPairView


class Show(Protocol):
    """Publishes changes of a page's screen."""

    def __call__(self, *, earlier: bool = ..., later: bool = ...) -> None: ...


@dataclass(eq=False)
class PageWindow:
    """`start` follows the reply of a pair that was read, if one is running; `show` publishes what changed."""

    pairs: WatchedPairs
    view: ComposedView
    start: Callable[[Pair | None], None]
    show: Show
    window: Window = field(default_factory=Window)

    async def show_stored(self) -> None:
        """Show the newest pairs before it is known what of them is sent."""
        async with self.view.wb.store.read() as session:
            found = await load_bytes_beside(session, self.view.owner, self.view.conversation_id, limit=WINDOW + 1)
        fitting = found[: count_fitting(pair.size for pair in found[:WINDOW])]
        async with self.pairs.reading:
            pairs = await self.pairs.load([pair.pair_id for pair in fitting])
            self.start(self.pairs.put_all(pairs))
        if len(found) > len(fitting):
            self.window = Window(since=fitting[-1].position)
        self.show(earlier=len(found) > len(fitting))

    async def fill(self, composed: Composed, window: Window, *, keep: Kept | None = None, again: bool = False) -> None:
        """Hold the pairs of the window, and those that stay. `again`: read them all again.

        Where they have more bytes than a page has room for, it is those around the pairs to `keep` (None: the newest).
        The caller holds `reading`: window and pairs change in one step, so that no page shows one without the other.
        """
        pairs, visible = self.pairs, composed.composition.visible.pairs
        await pairs.weigh(ids_of(window.cut(visible)))
        window = narrow(window, visible, pairs.sizes, keep or keep_newest(window, visible))
        ids = ids_of(window.cut(visible))
        if window.until is None:
            ids |= pairs.unbound
            if composed.base.running is not None:
                ids |= {composed.base.running}
        found = await pairs.load(ids if again else ids - pairs.views.keys())
        pairs.remove(tuple(pairs.views.keys() - ids - pairs.unbound))
        self.window = window
        self.start(pairs.put_all(found))
        pairs.measure()
        self.show(earlier=window.has_earlier(visible), later=window.has_later(visible))

    async def move(
        self,
        choose: Callable[[Window, Sequence[Candidate]], Window],
        keep: Callable[[Window, Sequence[Candidate]], Kept] | None,
    ) -> None:
        """Go to the window that `choose` makes of the one there is, once what is in view is known.

        `keep` says which pairs it must have; None: the newest.
        """
        async with self.pairs.reading:
            if (composed := self.view.composed) is None:
                return
            window = choose(self.window, composed.composition.visible.pairs)
            if window != self.window:
                visible = composed.composition.visible.pairs
                await self.fill(composed, window, keep=keep and keep(self.window, visible))

    async def move_to(self, position: int, screen: Screen) -> None:
        """Go to the pair at this position, or the next one in view."""

        def choose(window: Window, visible: Sequence[Candidate]) -> Window:
            is_there = any(pair.position == position for pair in self.cut(screen)[0])
            return window if is_there else around(position, visible)

        await self.move(choose, lambda _window, _visible: (position, position))

    def cut(self, screen: Screen) -> tuple[tuple[ScreenPairView, ...], str]:
        """Return the pairs to show of a screen, and the one whose reply is running, "" for none.

        A pair that stays whatever is in view is held also while the window is elsewhere.
        """
        until = self.window.until
        shown, running = list[ScreenPairView](), ""
        for pair in self.pairs.in_order():
            runs = is_running(pair)
            if runs and not running:
                running = pair.id
            if until is None or pair.position <= until:
                shown.append(watch_calls(pair, screen.permissions, screen.progress) if runs else pair)
        return tuple(shown), running
