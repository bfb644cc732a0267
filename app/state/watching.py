"""The watchers of this process, by the browser tab that each of them serves.

A tab's background handler `TranscriptState.follow` runs its watcher; the tab's other handlers find it here to tell it
what a person does, or to follow what changes beside the pairs. Socket and handlers of a tab are in one process, so
nothing of this has to be stored or shared.

    watcher = watcher_of(self)          # None: nothing is followed, or not yet

    async for moment in moments(token, conversation_id):
        ...                             # at once, then whenever a send would carry something else
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncGenerator, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Final

import reflex as rx

from app.domain.conversation.conversation import Parameters
from app.domain.conversation.parts import Part
from app.runs.send.context_selection import ViewOptions
from app.runs.watch.screen import Screen
from app.runs.watch.watcher import Watcher

ARRIVAL_SECONDS: Final = 10.0
"""How long `moments` waits for a tab that does not follow the conversation yet."""


@dataclass(frozen=True, slots=True)
class Moment:
    """What a send depends on. `look` is what is in view, `draft` what stands in the composer, `asked` how the model is
    asked this once, `attached` what goes with the draft. `edition` is the text area's number for the draft.

    `turn` grows whenever that was composed again. A reply that streams changes nothing of it. `compared` is the open
    comparison, "" if there is none.
    """

    conversation_id: str
    look: ViewOptions
    draft: str
    edition: int
    asked: Parameters
    attached: tuple[Part, ...]
    turn: int
    running: str
    ended: str
    changes: int
    compared: str
    screen: Screen = field(compare=False)

    @property
    def charges(self) -> tuple[object, ...]:
        """What is another whenever the ledger may have another entry, but for the reply that is running."""
        boundary = None if self.screen.context is None else self.screen.context.boundary_reason
        return self.ended, self.changes, boundary, len(self.screen.pairs)


@dataclass(eq=False)
class _Tab:
    """`changed` is replaced by another one after each change."""

    watcher: Watcher
    moment: Moment | None = None
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    def tell(self) -> None:
        self.changed.set()
        self.changed = asyncio.Event()


_TABS: Final[dict[str, _Tab]] = {}
_AWAITED: Final = defaultdict[str, set[asyncio.Event]](set)


def watcher_of(state: rx.State) -> Watcher | None:
    """The watcher of the tab that this state belongs to."""
    tab = _TABS.get(state.router.session.client_token)
    return None if tab is None else tab.watcher


def serves(watcher: Watcher, token: str) -> bool:
    """Tell whether this watcher is the one that the tab's handlers find."""
    tab = _TABS.get(token)
    return tab is not None and tab.watcher is watcher


def moment_of(state: rx.State) -> Moment | None:
    """What a send of the tab would depend on now; None: nothing is followed, or it is not known yet."""
    tab = _TABS.get(state.router.session.client_token)
    return None if tab is None else _moment(tab.watcher)


@contextmanager
def registered(token: str, watcher: Watcher) -> Generator[None]:
    """Let the tab's handlers find its watcher for as long as this lasts."""
    tab = _TABS[token] = _Tab(watcher)
    for arrived in _AWAITED.pop(token, ()):
        arrived.set()
    try:
        yield
    finally:
        if _TABS.get(token) is tab:  # else a newer one has taken its place
            del _TABS[token]
        tab.tell()


def note_change(token: str) -> None:
    """Tell who follows `moments` if they have to know. Called after every screen that the tab shows."""
    tab = _TABS.get(token)
    if tab is None or (moment := _moment(tab.watcher)) is None or moment == tab.moment:
        return
    tab.moment = moment
    tab.tell()


async def moments(token: str, conversation_id: str, settle: float = 0.0) -> AsyncGenerator[Moment]:
    """Follow what a tab's send would depend on: the newest each time. Ends when the tab follows it no longer.

    The first comes at once; before later ones there are `settle` seconds without another change.
    """
    tab = await _arrival(token, conversation_id)
    told: Moment | None = None
    while tab is not None and _TABS.get(token) is tab:
        if tab.moment is None or tab.moment == told:
            await tab.changed.wait()
            while told is not None and await _is_set_within(tab.changed, settle):
                pass
        else:
            told = tab.moment
            yield told


async def _arrival(token: str, conversation_id: str) -> _Tab | None:
    with suppress(TimeoutError):
        async with asyncio.timeout(ARRIVAL_SECONDS):
            while (tab := _TABS.get(token)) is None or tab.watcher.conversation_id != conversation_id:
                arrived = asyncio.Event()
                _AWAITED[token].add(arrived)
                try:
                    await arrived.wait()
                finally:
                    _forget(token, arrived)
            return tab
    return None


async def _is_set_within(event: asyncio.Event, seconds: float) -> bool:
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            return await event.wait()
    return False


def _forget(token: str, arrived: asyncio.Event) -> None:
    if (waiting := _AWAITED.get(token)) is not None:
        waiting.discard(arrived)
        if not waiting:
            del _AWAITED[token]


def _moment(watcher: Watcher) -> Moment | None:
    screen = watcher.screen
    if screen.context is None and screen.refusal is None:
        return None  # what is in view is not known yet
    return Moment(
        watcher.conversation_id,
        watcher.view.seen,
        watcher.view.draft,
        watcher.view.edition,
        watcher.view.asked,
        watcher.view.attached,
        watcher.view.turn,
        screen.running,
        screen.ended,
        screen.changes,
        "" if screen.comparison is None else screen.comparison.id,
        screen,
    )
