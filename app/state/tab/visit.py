"""Visits of pages.

Elements that a person opened on a page are closed on the next visit, but stay open over a reconnect.

    class SheetState(VisitedState, rx.State):
        @rx.event
        async def show(self) -> None:
            await self._come()
            self.open = True

        async def _end_visit(self) -> None:
            self.open = False

A visit starts when a page is loaded or another page is opened. The load events of a page close nothing, because they
also run after a reconnect. Only `begin_visit` does: it calls `_end_visit` of every `VisitedState` whose `_come` was
called on an earlier visit. For a page that is loaded, `PageLoads` calls `begin_visit` before the page gets its first
data. Otherwise the page would draw an open dialog for a moment, which takes the focus and the keys.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from typing import TYPE_CHECKING, Final

import reflex as rx
from reflex.state import State
from reflex_base.constants import CompileVars

if TYPE_CHECKING:
    from reflex.app import App
    from reflex.state import BaseState, StateUpdate
    from reflex_base.event import Event

Visit = tuple[str, str]
"""A visit: the connection that loaded the page, and the path of the page."""

_LOADS: Final = f"{State.get_full_name()}.{CompileVars.HYDRATE_AND_LOAD}"


class VisitedState(rx.State, mixin=True):
    """Base of states that close their dialogs and drop typed text when the next visit of a page begins.

    Drafts outlive a visit, so they are in other states.
    """

    _visit: Visit | None = None

    async def _come(self) -> None:
        """Record that a person uses this state on the current visit.

        So `_end_visit` is called when the next visit begins.
        """
        self._visit = await visit_of(self)

    async def _meet(self, visit: Visit) -> None:
        """Call `_end_visit` if this state was last used on another visit than `visit`, which is the current one."""
        if self._visit not in {None, visit}:
            self._visit = None
            await self._end_visit()

    async def _end_visit(self) -> None:
        """Close the elements that were opened on an earlier visit."""
        raise NotImplementedError


class VisitState(rx.State):
    """The current visit of a page, which ends when the page is reloaded or another page is opened.

    - `_loaded`: the connection that loaded the page.
    - `_begun`: the last visit that began.
    - `_number`: the number of visits so far.
    """

    _loaded: str = ""
    _begun: Visit | None = None
    _number: int = 0

    @rx.event
    async def begin(self) -> None:
        """Close the elements that were opened on earlier visits, but not those opened while this page was loading."""
        await begin_visit(self)


class PageLoads(rx.Middleware):
    """Middleware that records the connection of each load of a page, before the data of the page is sent.

    It also closes the elements that were opened on earlier visits, so that the data does not contain them, and calls
    `prepare` with the root state. A page that reconnects sends the same event as a page that is loaded, but without
    hashes of the vars.
    """

    def __init__(self, prepare: Callable[[BaseState], Awaitable[None]]) -> None:
        self._prepare = prepare

    async def preprocess(self, app: App, state: BaseState, event: Event) -> StateUpdate | None:
        """If the event is sent when a page is loaded, record its connection and begin the visit. Stop no event."""
        _ = app
        if event.name == _LOADS and CompileVars.PAYLOAD_HASHES in event.payload:
            visits = await state.get_state(VisitState)
            visits._loaded = state.router.session.session_id  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
            await begin_visit(visits)
            await self._prepare(state)
        return None


async def begin_visit(state: rx.State) -> None:
    """Close the elements that were opened on earlier visits than the current one."""
    visit, visits = await visit_of(state), await state.get_state(VisitState)
    if visits._begun != visit:  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
        visits._begun, visits._number = visit, visits._number + 1  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
    for kind in visited_states():
        await (await state.get_state(kind))._meet(visit)  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]


async def visit_of(state: rx.State) -> Visit:
    """Return the current visit of a tab. A reload and another page each start a new visit; a reconnect does not."""
    visits = await state.get_state(VisitState)
    return visits._loaded, state.router.url.path  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]


async def number_visit(state: rx.State) -> int:
    """Return the number of the current visit of a tab. Another page and back is a new visit, a reconnect is not."""
    return (await state.get_state(VisitState))._number  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]


def visited_states(kind: type[VisitedState] = VisitedState) -> Iterator[type[VisitedState]]:
    """Yield every subclass of `VisitedState`."""
    for each in kind.__subclasses__():
        yield each
        yield from visited_states(each)
