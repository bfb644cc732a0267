"""The server's part of patches: sends each update of Reflex as differences, and limits waiting frames.

    app = rx.App()
    send_patches(app)

    if not await append(self, "pairs", pairs):  # a text has grown: this is quicker, if it is possible now
        async with self:
            self.pairs = pairs
    await drained(token)  # in a loop that follows a reply: a slow reader gets larger pieces, not a longer queue

Reflex calls `EventNamespace.emit_update` for every delta. The namespace in this module compares the delta with the
values that it sent in this connection (`connection.py`), and puts the difference into the connection's queue. The code
does not suspend between the comparison and the queue: otherwise another update could enter the queue first, and the
difference would not match the values in the browser. `append` assigns and sends without a delta and without the lock of
the state: docs/decisions/0094.
"""

# Reflex's dictionaries, tasks and serializers are untyped, and Socket.IO has no types.
# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import Any, Final
from urllib.parse import parse_qs
from weakref import WeakSet

import reflex as rx
from reflex.app import EventNamespace
from reflex.istate.manager.memory import StateManagerMemory
from reflex.istate.manager.token import BaseStateToken
from reflex.istate.storage import Cookie, LocalStorage, SessionStorage
from reflex.state import State, StateUpdate
from reflex_base.constants import CompileVars
from reflex_base.constants.state import FIELD_MARKER
from reflex_base.event import Event
from reflex_base.event.context import EventContext
from reflex_base.utils.serializers import get_serializer, serialize, serialize_enum

from app.patches import events
from app.patches.apply import head_of_text
from app.patches.backlog import Backlog
from app.patches.connection import AddedText, Connection, SentValue
from app.patches.packets import guard_packets
from app.patches.sampling import Sampler
from app.patches.values import Kinds
from app.patches.wire import Default, to_json, to_object

HYDRATES: Final = frozenset({"hydrate", "hydrate_and_load"})
"""The names of the handlers of Reflex's root state that send all values again."""
ABORT: Final = "websocket.abort"
"""The name of an extension of the ASGI scope: a function that ends the connection at once. Some servers lack it."""
DRAIN_SECONDS: Final = 30.0

_log = logging.getLogger(__name__)

_ARGUMENTS: Final = {"connect": 3, "disconnect": 2, "event": 2, "ping": 1, "client_error": 2}
"""The messages that Reflex's namespace accepts, with their maximum number of arguments (the socket's id included)."""

_EVENT_PACKET: Final = 2  # the number of the type in version 5 of the Socket.IO protocol
_READS_ADDED: Final = "reads_added"
"""The key with which a page says in its first packet that it reads frames that have only a text (`apply.ts`)."""

_DEFAULT: Final[Default] = serialize


def send_patches(app: rx.App) -> None:
    """Make `app` send patches. Call it directly after the app was made.

    Raises:
        RuntimeError: the app has no state.
    """
    if app.event_namespace is None or app.sio is None:
        raise RuntimeError("The app has no state, so it has nothing to send.")
    namespace = PatchedNamespace(app.event_namespace.namespace, app)
    app._event_namespace = namespace  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - Reflex has no setter for it
    app.sio.register_namespace(namespace)
    guard_packets(app.sio, namespace.refuse_packet)
    _namespaces.add(namespace)


async def append(state: rx.State, name: str, value: object) -> bool:
    """Assign a value that only adds text to the value of a var, and send this text, without entering the state's lock.

    `state` is the `self` of a background handler.

    Return False if nothing was done: a handler holds the lock, the value differs in more than added text, the browser
    does not have the earlier value, or computed vars depend on the var. Then assign the value inside `async with self`.
    """
    context = EventContext.get()
    token, manager = context.token, context.state_manager
    owner: Any = getattr(state, "__wrapped__", state)
    if not isinstance(manager, StateManagerMemory) or name in owner._var_dependencies:  # noqa: SLF001 - no public name
        return False
    # This also extends the life of the state, as entering the lock does.
    root = await manager.get_state(BaseStateToken(ident=token, cls=type(owner)))
    # From here on, nothing suspends until the value is assigned and its frame is in the queue. So if the lock is free,
    # this is the same as entering and leaving it.
    lock = manager._states_locks.get(token)  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - no public name
    if lock is None or lock.locked() or root is not owner._get_root_state():  # noqa: SLF001 - no public name
        return False
    for namespace in list(_namespaces):
        if (client := namespace.client_of(token)) is not None:
            return await namespace.append(client, owner, name, value)
    return False


def is_congested(token: str) -> bool:
    """Return True if frames wait for the browser tab with this token, because the browser reads slowly."""
    return any(client.backlog.is_congested for client in _clients(token))


async def drained(token: str, *, within: float = DRAIN_SECONDS) -> bool:
    """Wait until no frame waits for the tab with this token, or until the tab has disconnected.

    Return False after `within` seconds.
    """
    return all([await client.backlog.drained(within) for client in _clients(token)])


_namespaces: WeakSet[PatchedNamespace] = WeakSet()


def _clients(token: str) -> Iterator[_Client]:
    for namespace in list(_namespaces):
        client = namespace.client_of(token)
        if client is not None:
            yield client


@dataclass(frozen=True, slots=True)
class _Client:
    """A connection of a browser tab: its last values, its Engine.IO socket, and the frames that wait for it."""

    connection: Connection
    socket: Any
    backlog: Backlog


class PatchedNamespace(EventNamespace):
    """Reflex's Socket.IO namespace with patches: it sends only differences from the values that a browser has."""

    # socketio is not typed.
    server: Any
    namespace: str

    def __init__(
        self, namespace: str, app: rx.App, find_fault: Callable[[Any], str | None] = events.find_fault
    ) -> None:
        super().__init__(namespace, app)
        self._find_fault = find_fault
        self._head = f"{_EVENT_PACKET}{'' if self.namespace == '/' else f'{self.namespace},'}"
        self._kinds = Kinds(has_own_json)
        self._clients: dict[str, _Client] = {}
        self._refusals = Sampler(_log.warning)

    def client_of(self, token: str) -> _Client | None:
        """Return the connection of the tab with this token, or None if it is not connected to this process."""
        record = self._token_manager.token_to_socket.get(token)
        return None if record is None else self._clients.get(record.sid)

    async def on_connect(self, sid: str, environ: dict[str, Any], auth: Any = None) -> None:
        """Register a new connection, to which no values were sent yet. Then let Reflex send it the first update."""
        if is_reconnect(auth):
            await self._leave_old_socket(_token_in(environ))
        socket = self.server.eio.sockets[self.server.manager.eio_sid_from_sid(sid, self.namespace)]
        reads_added = isinstance(auth, dict) and auth.get(_READS_ADDED) is True
        connection = Connection(secrets.token_urlsafe(4), self._kinds, is_shared, reads_added=reads_added)
        self._clients[sid] = _Client(connection, socket, Backlog(socket.queue))
        try:
            await super().on_connect(sid, environ, auth)
        except BaseException:
            self._forget(sid)  # `on_disconnect` is not called for a refused connection
            raise

    def on_disconnect(self, sid: str) -> asyncio.Task[None] | None:
        self._forget(sid)
        return super().on_disconnect(sid)

    async def _leave_old_socket(self, token: str) -> None:
        """Release the token of a page that reconnects before the server noticed the end of its old socket.

        Otherwise Reflex would treat the page as a second tab, with a new token and a new state: open dialogs are lost.
        """
        record = self._token_manager.token_to_socket.get(token)
        if record is None:
            return
        old = self._clients.get(record.sid)
        if (unlinked := self.on_disconnect(record.sid)) is not None:
            await unlinked
        if old is not None:
            self._cut(old)

    async def trigger_event(self, event: str, *args: Any) -> Any:
        """Refuse messages that no page sends, with one log line. Socket.IO would log a traceback."""
        most = _ARGUMENTS.get(event) if isinstance(event, str) else None  # pyright: ignore[reportUnnecessaryIsInstance] - a browser can send any type
        if most is None or not 1 <= len(args) <= most or self._is_forged(event, args[0]):
            self._refuse(str(args[0]) if args else "", "an unknown message")
            return None
        return await super().trigger_event(event, *args)

    def _is_forged(self, event: str, sid: str) -> bool:
        """Return True if a browser sent an event that only Socket.IO may report: the start or end of a connection."""
        if event == "disconnect":
            return self.server.manager.is_connected(sid, self.namespace)
        return event == "connect" and sid in self._clients

    def refuse_packet(self, eio_sid: str, fault: str) -> None:
        """Log that a packet was refused. `eio_sid` is the id of the Engine.IO socket that received it."""
        self._refuse(eio_sid, f"a packet: {fault}")

    def _refuse(self, connection: str, what: str) -> None:
        self._refusals.write(connection, f"Refused {what}.")

    async def on_event(self, sid: str, data: Any = None) -> None:
        """Handle an event of the page, or refuse an invalid one. If the event requests all values, send them whole."""
        if (fault := self._find_fault(data)) is not None:
            self._refuse(sid, f"an event: {fault} (name: {events.name_of(data)})")
            return
        if sid not in self.sid_to_token:  # without this check, Reflex would log the whole event
            self._refuse(sid, "an event of a connection without a token")
            return
        client = self._clients.get(sid)
        if client is not None and isinstance(data, dict) and str(data.get("name")).rpartition(".")[2] in HYDRATES:
            client.connection.forget()
        await super().on_event(sid, data)

    async def emit_update(self, update: StateUpdate, token: str) -> None:
        client = self.client_of(token)
        if client is None:
            await super().emit_update(update, token)
            return
        news = client.connection.news(update.delta)
        if news or update.events:
            await self._send(client, self._frame(news, update.events))
        await asyncio.sleep(0)  # as in Reflex: let the writer run before the handler continues

    async def append(self, client: _Client, state: Any, name: str, value: object) -> bool:
        """Assign a value that only adds text to a var, and send the text to a browser that has the earlier value.

        Return False if nothing was done. Call it only while no handler holds the lock of `state`.
        """
        owner, var = state.get_full_name(), f"{name}{FIELD_MARKER}"
        sent = client.connection.append(owner, var, value)
        if sent is None:
            return False
        vars(state)[name] = value  # an assignment would mark the var, and the next delta would compare it again
        frame = self._text_frame(sent) if isinstance(sent, AddedText) else self._frame({owner: {var: sent}})
        await self._send(client, frame)
        await asyncio.sleep(0)  # let the writer run, as in `emit_update`
        return True

    def _frame(self, news: dict[str, dict[str, SentValue]], events: Sequence[Event] = ()) -> str:
        """Return a Socket.IO packet with the event that Reflex's page expects."""
        parts: dict[str, str] = {}
        if news:
            parts["delta"] = to_object({state: to_object(self._written(sent)) for state, sent in news.items()})
        if events:
            parts["events"] = to_json(events, fast=False, default=_DEFAULT)
        return f'{self._head}["event",{to_object(parts)}]'

    def _text_frame(self, added: AddedText) -> str:
        """Return a packet with only a text. Its data is not JSON: the page's `createReader` makes an event of it."""
        return f"{self._head}{head_of_text(added.place, added.number)}{added.text}"

    def _written(self, values: dict[str, SentValue]) -> dict[str, str]:
        return {name: to_json(sent.value, fast=sent.fast, default=_DEFAULT) for name, sent in values.items()}

    async def _send(self, client: _Client, frame: str) -> None:
        if client.socket.closed:  # Socket.IO reports the disconnect to Reflex later
            return
        await self.server.eio.send(client.socket.sid, frame)
        client.backlog.add(frame)
        if client.backlog.is_too_long:
            self._cut(client)

    def _cut(self, client: _Client) -> None:
        """End a connection whose browser does not read. If the browser reconnects, it gets all values whole, once."""
        scope: dict[str, Any] = self.server.environ[client.socket.sid].get("asgi.scope", {})
        abort = scope.get("extensions", {}).get(ABORT)
        if abort is None:
            _log.warning(
                "A browser does not read its messages, and the server has no %r to close the connection.", ABORT
            )
        else:
            abort()

    def _forget(self, sid: str) -> None:
        client = self._clients.pop(sid, None)
        if client is not None:
            client.backlog.close()


def is_reconnect(auth: Any) -> bool:
    """Return True if a page reconnects.

    A page that was just opened sends hashes of its default values. A page that reconnects does not.
    """
    event = auth.get(CompileVars.CONNECT_AUTH_EVENT) if isinstance(auth, dict) else None
    payload = event.get("payload") if isinstance(event, dict) else None
    return isinstance(payload, dict) and "hashes" not in payload


def _token_in(environ: dict[str, Any]) -> str:
    return parse_qs(str(environ.get("QUERY_STRING", ""))).get("token", [""])[0]


@cache
def is_shared(state: str, var: str) -> bool:
    """Return True if a page changes the value of a var itself, so that an equal value must be sent again.

    These are the vars in the browser's storage, which other tabs change as well. `is_hydrated` is not one of them: a
    page sets it to false when it opens another address, but the server does the same, because every page has load
    events.
    """
    try:
        field = State.get_class_substate(state).get_fields().get(var.removesuffix(FIELD_MARKER))
    except ValueError:  # no such state
        return False
    if field is None:  # a computed var
        return False
    kinds = Cookie, LocalStorage, SessionStorage
    return isinstance(field.default, kinds) or (isinstance(field.type_, type) and issubclass(field.type_, kinds))


def has_own_json(kind: type) -> bool:
    """Return True if Reflex has a special JSON form for this dataclass or enum, other than its fields or its value."""
    serializer: Any = get_serializer(kind)
    return serializer is not (serialize_enum if issubclass(kind, Enum) else None)
