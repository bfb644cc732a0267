"""The parts of Reflex, Socket.IO and Engine.IO that patches depend on, as installed. A failure says what changed."""

# Reflex has few types, Socket.IO has none, and the attributes tested here are private.
# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false
# pyright: reportMissingTypeStubs=false, reportPrivateUsage=false, reportUnknownParameterType=false

from __future__ import annotations

import asyncio
import dataclasses
import inspect
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import engineio
import pytest
import reflex as rx
import reflex.state
import reflex_base
import socketio
from engineio.async_socket import AsyncSocket
from reflex.app import EventNamespace
from reflex.compiler.utils import compile_client_storage
from reflex.istate.manager.memory import StateManagerMemory
from reflex.istate.manager.token import BaseStateToken
from reflex.state import State, StateUpdate
from reflex_base.compiler import templates
from reflex_base.constants import CompileVars
from reflex_base.constants.state import FIELD_MARKER
from reflex_base.event.processor import event_processor
from socketio.packet import EVENT, Packet

from app.app import app
from app.patches import namespace
from app.patches.namespace import PatchedNamespace
from app.patches.plugin import PageChangedError, with_patches
from app.state.transcript.transcript import TranscriptState

SCRIPT: Final = (Path(reflex_base.__file__).parent / ".templates/web/utils/state.js").read_text()


def source(of: Any) -> str:
    return inspect.getsource(of)


def test_the_versions_are_those_that_were_read() -> None:
    read = {"reflex": "0.10.1", "python-socketio": "5.18.1", "python-engineio": "4.15.1"}

    assert {name: version(name) for name in read} == read, "Read what changed in them, then write the new version here."


def test_every_update_leaves_through_one_method() -> None:
    emitters = source(event_processor), source(rx.App.modify_state)

    assert source(event_processor).count(".emit_update(") == 2, "The event processor sends updates in another way."
    assert source(rx.App.modify_state).count(".emit_update(") == 1, "modify_state sends updates in another way."
    assert not any("SocketEvent.EVENT" in each for each in emitters), "Updates are sent around emit_update."
    sent = source(EventNamespace).count("SocketEvent.EVENT)")
    assert sent == 1, "EventNamespace sends updates in more places than emit_update."


def test_the_app_uses_our_namespace() -> None:
    assert isinstance(app.event_namespace, PatchedNamespace), "app.event_namespace is not what send_patches set."
    assert app.sio is not None
    handlers: dict[str, Any] = app.sio.namespace_handlers
    assert handlers[app.event_namespace.namespace] is app.event_namespace, "Socket.IO does not ask our namespace."


def test_an_update_is_a_delta_and_events() -> None:
    fields = [field.name for field in dataclasses.fields(StateUpdate)]

    assert fields == ["delta", "events", "final"], "StateUpdate has other fields, which `_frame` leaves out."


def test_the_methods_that_are_extended_take_the_same_arguments() -> None:
    for name in ("on_connect", "on_disconnect", "on_event", "emit_update"):
        theirs = inspect.signature(getattr(EventNamespace, name)).parameters
        ours = inspect.signature(getattr(PatchedNamespace, name)).parameters
        assert list(theirs) == list(ours), f"EventNamespace.{name} takes other arguments."


def test_only_a_page_that_was_just_opened_sends_hashes_when_it_connects() -> None:
    calls = SCRIPT.count("bootAuth(true)"), SCRIPT.count("bootAuth(false)")
    assert calls == (1, 1), "Pages connect in another way."
    assert SCRIPT.index("socket.current.reconnect = ") < SCRIPT.index("bootAuth(false)"), "Who sends bootAuth(false)?"
    assert CompileVars.PAYLOAD_HASHES == "hashes", "Hashes of defaults have another name."
    assert "constants.CompileVars.PAYLOAD_HASHES" in source(templates), (
        "A page that was just opened sends no hashes of its defaults."
    )


def test_a_page_asks_for_everything_by_a_handler_of_the_root_state() -> None:
    for name in namespace.HYDRATES:
        assert name in State.event_handlers, f"State.{name} is gone: how does a page ask for everything?"
    assert CompileVars.HYDRATE_AND_LOAD in namespace.HYDRATES, "The page sends another event when it connects."


def test_a_token_leads_to_the_connection_and_its_queue() -> None:
    app_namespace: Any = app.event_namespace

    assert hasattr(app_namespace._token_manager, "token_to_socket"), "The token manager finds sockets in another way."
    manager: Any = socketio.AsyncServer(async_mode="asgi").manager
    assert callable(manager.eio_sid_from_sid), "Socket.IO finds Engine.IO's connection in another way."
    socket: Any = AsyncSocket(engineio.AsyncServer(async_mode="asgi"), "sid")
    assert isinstance(socket.queue, asyncio.Queue), "Engine.IO's queue is not asyncio's."
    assert socket.closed is False, "Engine.IO's socket does not say whether it is closed."


async def test_a_token_leads_to_the_lock_and_the_values_of_its_states() -> None:
    manager, key = StateManagerMemory(), BaseStateToken(ident="tab", cls=State)
    async with manager.modify_state(key) as modified:
        root: Any = modified
        assert manager._states_locks["tab"].locked(), "A state is locked in another way."
        assert await manager.get_state(key) is root is root._get_root_state(), "A tab has several trees of states."
        root.is_hydrated = True
        assert vars(root)["is_hydrated"] is True, "The value of a var is not in the dictionary of its state."
        assert isinstance(root._var_dependencies, dict), "Computed vars depend on others in another way."
    assert not manager._states_locks["tab"].locked()
    await manager.close()


async def test_engine_io_puts_a_frame_into_the_queue_without_suspending() -> None:
    server: Any = engineio.AsyncServer(async_mode="asgi")
    server.sockets["sid"] = socket = AsyncSocket(server, "sid")
    with pytest.raises(StopIteration):
        server.send("sid", "frame").send(None)
    assert socket.queue.qsize() == 1, "Another update can come between the comparison of values and their frame."


def test_engine_io_marks_a_frame_as_done_when_its_writer_takes_it() -> None:
    poll = source(AsyncSocket.poll)

    assert poll.count("self.queue.task_done()") == 2, "`drained` waits for Queue.join, which Engine.IO no longer ends."


def test_a_packet_is_written_as_socket_io_writes_it() -> None:
    packet: Any = Packet(EVENT, data=["event", {"delta": {}}], namespace="/_event")

    assert packet.encode() == '2/_event,["event",{"delta":{}}]', "Socket.IO writes packets in another way."


def test_the_script_of_the_page_is_changed_once() -> None:
    changed = with_patches(SCRIPT)

    assert changed.count("createReducer(") == 1
    assert "const applyWhole = (state, delta) => {" in changed
    assert changed.count("readData") == 2
    assert changed.count("reads_added: true") == 1
    assert with_patches(changed) == changed


@pytest.mark.parametrize(
    "line",
    [
        "export const applyDelta = (state",
        "import { app, eventLoop }",
        "app.initialEvents(first)",
        "return parseJson(str);",
        "state_schema: app",
    ],
)
def test_a_page_with_another_script_is_not_built(line: str) -> None:
    with pytest.raises(PageChangedError, match="0 lines"):
        with_patches(SCRIPT.replace(line, "another"))


def test_the_vars_that_a_page_changes_itself_are_always_sent() -> None:
    """An equal value of another var changes nothing on a page, so it is not sent."""
    changes = SCRIPT.count("dispatch({"), SCRIPT.count("main_state_dispatch({ is_hydrated_rx_state_: false });")
    assert changes == (1, 1), "The page changes other vars than `is_hydrated`."
    went = SCRIPT.index("main_state_dispatch({ is_hydrated_rx_state_: false });")
    assert "addEvents(app.onLoadInternalEvent());" in SCRIPT[went : went + 200], "The server does not change it, too."
    assert "state.is_hydrated = False\n    return [" in source(reflex.state._load_events_for_page), "As above."
    assert all(app._load_events.values()), "A page without load events stays unhydrated after another page."

    assert "return out ?? state;" in SCRIPT, "An equal value changes the state of a page."
    assert SCRIPT.count("applyClientStorageDelta(client_storage, delta)") == 1, "Deltas have another effect."
    stored = [name for kept in compile_client_storage(State).values() for name in kept]
    assert len(stored) >= 7
    for state, _, var in (name.rpartition(".") for name in stored):
        assert namespace.is_shared(state, var), f"Another tab may have changed the storage of {state}.{var}."

    ordinary = TranscriptState.get_full_name(), f"running{FIELD_MARKER}"
    assert not namespace.is_shared(*ordinary)
    assert not namespace.is_shared("root", "rows_rx_state_")


def test_the_page_reduces_deltas_outside_react_and_one_after_the_other() -> None:
    assert "dispatch[substate](delta[substate]);" in SCRIPT, "Deltas reach the reducers in another way."
    compiled = source(templates)
    assert "const nextState = applyDelta(currentState, delta);" in compiled, "The store reduces in another way."
    assert "useReducer" not in compiled, "React calls the reducers now, perhaps twice."
