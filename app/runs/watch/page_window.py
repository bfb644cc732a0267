"""The window of one page: the pairs that are loaded of a long conversation, and the moves of a reader through them.

    window = PageWindow(pairs, view, start, show)
    await window.put(composed, options)      # the view is composed: load the pairs of the window
    await window.show_earlier()              # the reader comes near the oldest loaded pair
    window.list_pairs(screen)                # the pairs to show

`window.py` decides which positions belong to a window, `pairs.py` reads and updates the pairs.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from app.domain.context.composition import Candidate
from app.domain.conversation.conversation import Pair
from app.domain.conversation.damage import DamagedRowError
from app.domain.conversation.page_bytes import count_fitting
from app.runs.request.preview import Composed
from app.runs.send.context_selection import ViewOptions
from app.runs.watch.composed import ComposedView
from app.runs.watch.pairs import WatchedPairs, ids_of, is_running, watch_calls
from app.runs.watch.screen import Screen
from app.runs.watch.window import (
    Kept,
    Window,
    around,
    earlier,
    fit,
    keep_newest,
    keep_newest_edge,
    keep_oldest_edge,
    later,
    narrow,
    newest,
    up_to,
)
from app.store.conversation.pair_bytes import load_bytes_beside
from app.store.conversation.pairs import WINDOW
from app.views.composer.context import show_refusal
from app.views.reply.pair import ScreenPairView


@dataclass(eq=False)
class PageWindow:
    """The window of one page.

    - `start`: a function that begins to follow the running reply of a pair.
    - `show`: a function that changes fields of the screen and publishes it.
    - `at`: the position of the pair that the page shows first; 0: the newest.
    - `known`: an event, set when the pairs in view are known, or when the watcher ends without them.
    """

    pairs: WatchedPairs
    view: ComposedView
    start: Callable[[Pair | None], None]
    show: Callable[..., None]
    at: int = 0
    known: asyncio.Event = field(default_factory=asyncio.Event)
    _window: Window = field(default_factory=Window)

    def list_pairs(self, screen: Screen) -> tuple[ScreenPairView, ...]:
        """Return the pairs to show. Running pairs have the permissions and the progress on this screen."""
        pairs = self._list_loaded()
        if not screen.permissions and not screen.progress:
            return pairs
        return tuple(
            watch_calls(pair, screen.permissions, screen.progress) if is_running(pair) else pair for pair in pairs
        )

    async def show_stored(self) -> None:
        """Show the newest pairs before it is known which of them are sent."""
        async with self.pairs.ctx.store.read() as session:
            found = await load_bytes_beside(session, self.pairs.owner, self.view.conversation_id, limit=WINDOW + 1)
        fitting = found[: count_fitting(pair.size for pair in found[:WINDOW])]
        async with self.pairs.reading:
            try:
                pairs = await self.pairs.load([pair.pair_id for pair in fitting])
            except DamagedRowError as error:  # the position of one pair is unknown, so the order of the pairs is too
                self.show(refusal=show_refusal(error))
                return
            self.start(self.pairs.put_all(pairs))
        if len(found) > len(fitting):
            self._window = Window(since=fitting[-1].position)
        self.show(earlier=len(found) > len(fitting))

    async def put(self, composed: Composed, options: ViewOptions) -> None:
        """Show this view of the conversation, composed with `options`, from now on."""
        before, pairs, visible = self.view.composed, self.pairs, composed.composition.visible.pairs
        async with pairs.reading:
            self.view.hold(options, composed)
            self.known.set()
            again = pairs.look(composed, self.view.others)
            if before is None or before.base.filter != composed.base.filter:
                pairs.dismiss_guest()
                window = up_to(self.at, visible) if before is None and self.at else newest(visible)
            else:
                window = fit(self._window, visible)
            pairs.watch_guest(visible)
            await self._fill(composed, window, again=again)

    async def show_earlier(self) -> None:
        """Load older pairs into the window."""
        await self._move(earlier, keep_oldest_edge)

    async def show_later(self) -> None:
        """Load newer pairs into the window."""
        await self._move(later, keep_newest_edge)

    async def show_newest(self) -> None:
        """Go to the newest pairs, and from then on show new pairs as they arrive."""
        await self._move(lambda window, visible: window if window.until is None else newest(visible), None)

    async def show_position(self, position: int) -> None:
        """Go to the pair at this position. If it is not in view, go to the next pair that is."""
        await self.known.wait()  # a person may press a key before the pairs in view are known

        def choose(window: Window, visible: Sequence[Candidate]) -> Window:
            is_there = any(pair.position == position for pair in self._list_loaded())
            return window if is_there else around(position, visible)

        await self._move(choose, lambda _window, _visible: (position, position))

    async def _fill(self, composed: Composed, window: Window, *, keep: Kept | None = None, again: bool = False) -> None:
        """Load the pairs of the window, and the pairs that are shown regardless of the filter.

        `again`: read all of them again. If they exceed the byte limit of a page, only the pairs in `keep` (None: the
        newest) and pairs around them are loaded. The caller holds the lock `reading`, so that the window and its pairs
        change together.
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
        self._window = window
        self.start(pairs.put_all(found))
        pairs.measure()
        self.show(earlier=window.has_earlier(visible), later=window.has_later(visible))

    async def _move(
        self,
        choose: Callable[[Window, Sequence[Candidate]], Window],
        keep: Callable[[Window, Sequence[Candidate]], Kept] | None,
    ) -> None:
        """Go to the window that `choose` returns for the current one. Do nothing until the pairs in view are known.

        `keep` returns the pairs that the new window must include; None: the newest.
        """
        async with self.pairs.reading:
            if (composed := self.view.composed) is None:
                return
            window = choose(self._window, composed.composition.visible.pairs)
            if window != self._window:
                visible = composed.composition.visible.pairs
                await self._fill(composed, window, keep=keep and keep(self._window, visible))

    def _list_loaded(self) -> tuple[ScreenPairView, ...]:
        """Return the loaded pairs up to the end of the window. Newer ones are left out, also the newest pair."""
        pairs, until = self.pairs.in_order(), self._window.until
        return pairs if until is None else tuple(pair for pair in pairs if pair.position <= until)
