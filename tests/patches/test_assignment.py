"""Assigning straight away comes to the same as `async with self`, and leaves to that whatever is not as simple."""

# The states of a tab are built by hand here, from what Reflex keeps to itself.
# pyright: reportUnknownMemberType=false, reportPrivateUsage=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest
from reflex.istate.manager.memory import StateManagerMemory
from reflex.istate.manager.token import BaseStateToken
from reflex.istate.proxy import StateProxy
from reflex.state import State, StateUpdate
from reflex.utils.token_manager import SocketRecord
from reflex_base.event.context import EventContext

from app.patches import namespace as patches
from app.patches.assignment import StreamedVar, assign
from app.patches.backlog import Backlog
from app.patches.connection import Connection
from app.patches.growth import Growth
from app.patches.namespace import PatchedNamespace, _Client
from app.state.composer.state import ComposerState
from app.state.transcript import TranscriptState
from app.views.screen.panels import ToolProgressView

ROWS = (ToolProgressView("t1", 1.0, 2.0, "one", ""),)
MORE = (ToolProgressView("t1", 1.0, 2.0, "one and two", ""),)
MOST = (ToolProgressView("t1", 1.0, 2.0, "one and two and three", ""),)
GROWTH = Growth((0, "message"), MORE, MOST, " and three")


@dataclass
class Tab:
    """A tab with a background handler of `TranscriptState`; `frames` are what it is sent."""

    manager: StateManagerMemory
    namespace: PatchedNamespace
    handler: Any
    frames: list[str] = field(default_factory=list[str])

    @property
    def root(self) -> Any:
        return self.manager.states["tab"]

    @property
    def lock(self) -> asyncio.Lock:
        return self.manager._states_locks["tab"]

    def write(self, frame: str) -> bool:
        self.frames.append(frame)
        return True

    def proxy_of(self, kind: type[Any]) -> Any:
        return StateProxy(self.root.get_substate(tuple(kind.get_full_name().split("."))))


@pytest.fixture
async def tab(monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[Tab]:
    app: Any = SimpleNamespace(_state=None)
    manager, made = StateManagerMemory(), PatchedNamespace("/_event", app)
    monkeypatch.setattr(patches, "_namespaces", {made})
    made._token_manager.token_to_socket["tab"] = SocketRecord(instance_id=made._token_manager.instance_id, sid="sid")

    async def emit(token: str, delta: Any) -> None:
        await made.emit_update(StateUpdate(delta=delta), token)

    async def enqueue(token: str, *_events: Any) -> Any:
        raise AssertionError(f"no event is enqueued for {token}")

    context = EventContext(token="tab", state_manager=manager, enqueue_impl=enqueue, emit_delta_impl=emit)
    with context:
        async with manager.modify_state(BaseStateToken(ident="tab", cls=State)) as root:
            root.router_data = {"pathname": "/"}
            root._clean()
        found = Tab(manager, made, None)
        found.handler = found.proxy_of(TranscriptState)
        queue: Any = asyncio.Queue()
        writer = asyncio.create_task(queue.get())  # as Engine.IO's waits
        await asyncio.sleep(0)
        socket = SimpleNamespace(closed=False, sid="sid", queue=queue)
        made._clients["sid"] = _Client(Connection("a"), socket, Backlog(queue), found.write)
        yield found
        writer.cancel()
    await manager.close()


async def test_a_var_is_assigned_and_sent_and_nothing_is_left_to_send(tab: Tab) -> None:
    assert await assign(tab.handler, progress=ROWS)
    assert await assign(tab.handler, progress=MORE)

    assert tab.handler.progress == MORE
    assert '"whole":[{"tool_call_id":"t1"' in tab.frames[0]
    assert json.loads(tab.frames[1].removeprefix("42/_event,"))[1]["delta"] == {
        TranscriptState.get_full_name(): {
            "progress_rx_state_": {"$rev": ["a", 2], "patch": [["+", [0, "message"], " and two"]]}
        }
    }
    assert await tab.root._get_resolved_delta() == {}


async def test_it_comes_to_the_same_as_async_with(tab: Tab) -> None:
    async with tab.handler:
        tab.handler.progress = ROWS
    assert await assign(tab.handler, progress=MORE)
    async with tab.handler:
        tab.handler.progress = MORE

    assert len(tab.frames) == 2, "the third says nothing new"


async def test_not_while_another_handler_holds_the_states(tab: Tab) -> None:
    async with tab.lock:
        assert not await assign(tab.handler, progress=ROWS)

    assert tab.frames == []
    assert tab.handler.progress == ()


async def test_not_where_something_else_has_changed_as_well(tab: Tab) -> None:
    other = tab.root.get_substate(tuple(ComposerState.get_full_name().split(".")))
    other.stopping = "r1"

    assert not await assign(tab.handler, progress=ROWS)
    assert tab.frames == []


async def test_a_var_that_others_are_computed_of_is_sent_with_them(tab: Tab) -> None:
    composer = tab.proxy_of(ComposerState)
    depending = {name for names in ComposerState._var_dependencies.values() for _, name in names}
    var = next(
        name for name, names in ComposerState._var_dependencies.items() if any(depending & {each} for _, each in names)
    )

    assert not await assign(composer, **{var: getattr(composer, var)})
    async with composer:
        pass

    assert any(name in tab.frames[0] for name in depending)


async def test_not_once_the_states_have_expired(tab: Tab) -> None:
    del tab.manager.states["tab"]

    assert not await assign(tab.handler, progress=ROWS)


async def test_not_for_a_tab_that_is_not_connected(tab: Tab) -> None:
    tab.namespace._clients.clear()

    assert not await assign(tab.handler, progress=ROWS)
    assert tab.handler.progress == ()


@pytest.fixture
async def streamed(tab: Tab) -> StreamedVar:
    """A var in which a text went on, so that its place is known."""
    assert await assign(tab.handler, progress=ROWS)
    assert await assign(tab.handler, progress=MORE)
    return StreamedVar(tab.handler, "progress")


async def test_a_text_that_goes_on_is_assigned_and_sent_in_short(tab: Tab, streamed: StreamedVar) -> None:
    assert streamed.go_on(GROWTH)

    assert tab.handler.progress is MOST
    assert tab.frames[2:] == ["42/_event,+a,1,0003 and three"]
    assert await tab.root._get_resolved_delta() == {}


async def test_after_it_nothing_new_is_left_to_say(tab: Tab, streamed: StreamedVar) -> None:
    assert streamed.go_on(GROWTH)
    assert await assign(tab.handler, progress=tuple(MOST))

    assert len(tab.frames) == 3


async def test_a_text_whose_place_is_not_known_is_compared(tab: Tab) -> None:
    assert await assign(tab.handler, progress=MORE)

    assert not StreamedVar(tab.handler, "progress").go_on(GROWTH)
    assert tab.handler.progress is MORE


async def test_not_if_the_var_has_another_value_by_now(tab: Tab, streamed: StreamedVar) -> None:
    assert await assign(tab.handler, progress=())

    assert not streamed.go_on(GROWTH)
    assert tab.handler.progress == ()


async def test_not_if_the_text_is_not_longer_by_what_is_told(tab: Tab, streamed: StreamedVar) -> None:
    assert not streamed.go_on(Growth(GROWTH.path, MORE, MOST, " and four"))
    assert not streamed.go_on(Growth((0, "tool_call_id"), MORE, MOST, " and three"))

    assert len(tab.frames) == 2


async def test_not_while_the_states_are_in_other_hands(tab: Tab, streamed: StreamedVar) -> None:
    async with tab.lock:
        assert not streamed.go_on(GROWTH)


async def test_not_while_something_else_waits_to_be_sent(tab: Tab, streamed: StreamedVar) -> None:
    tab.root.get_substate(tuple(ComposerState.get_full_name().split("."))).stopping = "r1"

    assert not streamed.go_on(GROWTH)


async def test_not_while_frames_wait_for_a_slow_reader(tab: Tab, streamed: StreamedVar) -> None:
    tab.namespace._clients["sid"].backlog._queue.put_nowait("a frame")

    assert not streamed.go_on(GROWTH)
    assert tab.handler.progress is MORE


async def test_not_once_a_browser_asked_for_everything(tab: Tab, streamed: StreamedVar) -> None:
    tab.namespace._clients["sid"].connection.forget()

    assert not streamed.go_on(GROWTH)
