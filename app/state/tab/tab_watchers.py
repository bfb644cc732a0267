"""The watchers of this process, by the browser tab that each of them serves.

A tab's background handler `TranscriptState.follow` runs its watcher. The tab's other handlers find the watcher here, to
report actions of the person or to follow changes of the next send. They find it as soon as `TranscriptState.open` has
made it, even if it does not run yet: it then accepts a new draft and new options, and its first screen has them. The
socket and the handlers of a tab are in one process, so this data is neither stored nor shared.

    watcher = watcher_of(self)          # None: the tab follows no conversation (yet)
    async for moment in moments(token, conversation_id):
        ...                             # at once, then whenever the content of the next send changes
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
from app.state.tab.address import conversation_in

ARRIVAL_SECONDS: Final = 10.0
"""Maximum seconds to wait for a tab to follow its conversation, for the first pairs of its watcher, and for a prepared
watcher to run.
"""

LOCKED_SECONDS: Final = 2.0
"""Maximum seconds that a handler with the lock of the state waits for the first pairs of the tab's watcher."""


@dataclass(frozen=True, slots=True)
class Moment:
    """The data that the next send of a tab depends on, at one time.

    The send:

    - `options`: the view options.
    - `draft`: the text in the composer.
    - `edition`: the number that the text area gave to this version of the text.
    - `parameters`: parameters for this send alone.
    - `attached`: the files of the draft.
    - `models`: the models that get the draft, if there are several.

    The conversation:

    - `turn`: grows whenever the pairs of the send were selected again. A reply that streams does not change it.
    - `running`: the pair whose reply is running.
    - `ended`, `ended_run`: the pair whose reply ended last, and its run.
    - `changes`: grows with every change of the conversation itself.
    - `compared`: the open comparison, "" if there is none.
    """

    conversation_id: str
    options: ViewOptions
    draft: str
    edition: int
    parameters: Parameters
    attached: tuple[Part, ...]
    models: tuple[str, ...]
    turn: int
    running: str
    ended: str
    ended_run: str
    changes: int
    compared: str
    screen: Screen = field(compare=False)

    @property
    def charges(self) -> tuple[object, ...]:
        """A value that changes whenever the ledger may have a new entry. A running reply does not change the value."""
        boundary = None if self.screen.context is None else self.screen.context.boundary_reason
        return self.ended, self.ended_run, self.changes, boundary, len(self.screen.pairs)


@dataclass(eq=False)
class _Tab:
    """A tab and its watcher. After each change `changed` is set, and a new event replaces it.

    `is_left`: the tab shows another page now, or the conversation was deleted, so no new watcher will replace this one.
    """

    watcher: Watcher
    moment: Moment | None = None
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    is_left: bool = False

    def notify(self) -> None:
        self.changed.set()
        self.changed = asyncio.Event()


_TABS: Final[dict[str, _Tab]] = {}
_PREPARED: Final[dict[str, tuple[Watcher, asyncio.TimerHandle]]] = {}  # watchers that do not run yet
_AWAITED: Final = defaultdict[str, set[asyncio.Event]](set)


def watcher_of(state: rx.State) -> Watcher | None:
    """Return the watcher of the tab that this state belongs to, or None if it has none.

    The watcher may not run yet: then it has no pairs, and its screen is empty.
    """
    return _find(state.router.session.client_token)


async def loaded_watcher_of(state: rx.State, *, locked: bool) -> Watcher | None:
    """Return the watcher of the tab once it has read its first pairs, None if that takes too long.

    `locked`: the handler holds the lock of the state. Such a handler may wait, because the watcher reads the pairs
    without the lock, but at most `LOCKED_SECONDS`, because all other handlers of the tab wait for the lock.
    """
    watcher = watcher_of(state)
    if watcher is None or not await _is_set_within(watcher.loaded, LOCKED_SECONDS if locked else ARRIVAL_SECONDS):
        return None
    return watcher


async def wait_for_watcher(state: rx.State) -> None:
    """Wait until the tab has a watcher, at most `ARRIVAL_SECONDS`.

    Only a background handler may wait for this, outside `async with self`: the events that give the tab a watcher need
    the lock of the state.
    """
    if watcher_of(state) is None and (conversation_id := conversation_in(state.router.url.path)):
        await _arrival(state.router.session.client_token, conversation_id)


def serves(watcher: Watcher, token: str) -> bool:
    """Return True if this watcher is still the current watcher of the tab (see `watcher_of`)."""
    return _find(token) is watcher


def moment_of(state: rx.State) -> Moment | None:
    """Return the data of the tab's next send.

    Return None if the tab follows no conversation, or if the data is not known yet.
    """
    watcher = watcher_of(state)
    return None if watcher is None else _moment(watcher)


@contextmanager
def registered(token: str, watcher: Watcher) -> Generator[None]:
    """Register the watcher of a tab while the `with` block runs, so that the tab's handlers find it.

    The new watcher replaces the current watcher of the tab, even if this belongs to a page that was reloaded just now.
    If an exception ends the block, as when the page lost its connection or is reloaded, `moments` waits for the next
    watcher.
    """
    replaced = _TABS.get(token)
    tab = _TABS[token] = _Tab(watcher)
    for arrived in _AWAITED.pop(token, ()):
        arrived.set()
    if replaced is not None:
        replaced.notify()
    try:
        yield
        tab.is_left = tab.is_left or _TABS.get(token) is tab
    finally:
        if _TABS.get(token) is tab:  # otherwise a newer watcher has replaced this one
            del _TABS[token]
        tab.notify()


def prepare_watcher(token: str, watcher: Watcher) -> None:
    """Register a watcher that does not run yet, until the handler that will run it takes it over.

    From now on, the tab's handlers find the watcher and report changed choices to it, such as another filter. So the
    handler that runs the watcher need not wait for the lock of the state to read the choices.

    A watcher that is not taken over within `ARRIVAL_SECONDS` is forgotten: the page may have lost its connection.
    """
    _forget_prepared(token)
    _PREPARED[token] = watcher, asyncio.get_running_loop().call_later(ARRIVAL_SECONDS, _forget_prepared, token)


def take_prepared(token: str, conversation_id: str) -> Watcher | None:
    """Return the tab's prepared watcher for this conversation, or None. The caller registers the watcher at once."""
    prepared = _PREPARED.get(token)
    return _drop_prepared(token) if prepared and prepared[0].conversation_id == conversation_id else None


def forget_watcher(token: str, conversation_id: str) -> None:
    """Forget the watcher of the page that the tab showed before, so that no handler of the next page finds it.

    `conversation_id` is the conversation that the next page shows, "" for none. If the tab showed the same
    conversation before, `moments` waits for the conversation's next watcher.
    """
    _forget_prepared(token)
    if (tab := _TABS.pop(token, None)) is not None:
        tab.is_left = tab.watcher.conversation_id != conversation_id
        tab.notify()


def note_change(token: str) -> None:
    """Notify the readers of `moments` if the data of the next send has changed. Called after every new screen."""
    tab = _TABS.get(token)
    if tab is None or (moment := _moment(tab.watcher)) is None or moment == tab.moment:
        return
    tab.moment = moment
    tab.notify()


async def moments(token: str, conversation_id: str, settle: float = 0.0) -> AsyncGenerator[Moment]:
    """Yield the data of a tab's next send after each change, until the tab no longer follows the conversation.

    The first value comes at once; each later one after `settle` seconds without another change. A new watcher of the
    same conversation, as after a reload, is followed as well: the handlers of a page that is reloaded may start while
    the watcher of the page before is still registered.
    """
    tab = await _arrival(token, conversation_id)
    last: Moment | None = None
    while tab is not None and tab.watcher.conversation_id == conversation_id:
        if (registered_now := _TABS.get(token)) is not tab:
            is_awaited = registered_now is None and not tab.is_left
            tab = await _arrival(token, conversation_id) if is_awaited else registered_now
        elif tab.moment is None or tab.moment == last:
            await tab.changed.wait()
            while last is not None and await _is_set_within(tab.changed, settle):
                pass
        else:
            last = tab.moment
            yield last


def _find(token: str) -> Watcher | None:
    if (prepared := _PREPARED.get(token)) is not None:
        return prepared[0]
    tab = _TABS.get(token)
    return None if tab is None else tab.watcher


def _forget_prepared(token: str) -> None:
    if (watcher := _drop_prepared(token)) is not None:
        watcher.release()  # it never runs


def _drop_prepared(token: str) -> Watcher | None:
    if (prepared := _PREPARED.pop(token, None)) is None:
        return None
    watcher, expiry = prepared
    expiry.cancel()
    return watcher


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
        return None  # it is not known yet which pairs are in view
    return Moment(
        watcher.conversation_id,
        watcher.view.seen,
        watcher.view.draft,
        watcher.view.edition,
        watcher.view.parameters,
        watcher.view.attached,
        watcher.view.models,
        watcher.view.turn,
        screen.running,
        screen.ended,
        next((pair.run_id or "" for pair in screen.pairs if pair.id == screen.ended), ""),
        screen.changes,
        "" if screen.comparison is None else screen.comparison.id,
        screen,
    )
