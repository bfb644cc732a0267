"""A server of patches on a real port, without an app: uvicorn as it serves Inview, Socket.IO, and our namespace.

async with serving() as server:
    server.show("state", rows=(...))   # what a handler does
"""

# Socket.IO has no types, Reflex has some, and this test server uses private attributes.
# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false
# pyright: reportMissingTypeStubs=false, reportPrivateUsage=false, reportUnknownLambdaType=false

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import socketio
import uvicorn
from reflex.state import StateUpdate
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.patches import namespace as patches
from app.patches.namespace import PatchedNamespace
from app.patches.packets import guard_packets
from app.web.sockets import SocketProtocol
from tests.serving import listen

PATH = "/_event"
ROOT = "root"


class Server(PatchedNamespace):
    """Our namespace with a simple state instead of Reflex's: `values`, the same for all tabs."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}
        self.hydrates = 0
        self.port = 0
        processor = SimpleNamespace(enqueue=self._hydrate, _on_disconnect=lambda _token: None)
        app: Any = SimpleNamespace(_state=None, event_processor=processor, _event_processor=None, router=str)
        super().__init__(PATH, app, lambda _event: None)  # no handler is registered

    async def show(self, token: str = "", **values: Any) -> None:
        """Assign vars, and send them to one tab or to all, as Reflex does when a handler ends."""
        self.values.update(values)
        delta = {ROOT: {f"{name}_rx_state_": value for name, value in values.items()}}
        for each in [token] if token else list(self._token_manager.token_to_socket):
            await self.emit_update(StateUpdate(delta=delta), each)

    async def add(self, **values: Any) -> None:
        """Assign vars to which only text was added, and send this text as a flush of a reply does: without a delta.

        A tab to which it cannot be sent gets an update.
        """
        root = SimpleNamespace(get_full_name=lambda: ROOT)
        self.values.update(values)
        for token in list(self._token_manager.token_to_socket):
            client = self.client_of(token)
            for name, value in values.items():
                if client is None or not await self.append(client, root, name, value):
                    await self.show(token, **{name: value})

    def cut_all(self) -> None:
        """End all connections, as for browsers that have stopped reading."""
        for client in list(self._clients.values()):
            self._cut(client)

    async def _hydrate(self, token: str, event: Any) -> None:
        assert event.name.endswith(".hydrate_and_load")
        self.hydrates += 1
        await self.show(token, **self.values | {"is_hydrated": False})
        await self.show(token, is_hydrated=True)


@asynccontextmanager
async def serving(server: Server | None = None, page: ASGIApp | None = None) -> AsyncGenerator[Server]:
    """Serve on a free port of 127.0.0.1. `page` answers requests that are not for Socket.IO."""
    server = server or Server()
    sio: Any = socketio.AsyncServer(async_mode="asgi", transports=["websocket"], async_handlers=False)
    sio.register_namespace(server)
    guard_packets(sio, server.refuse_packet)
    patches._namespaces.add(server)
    listener = listen()
    config = uvicorn.Config(
        _with_subprotocol(socketio.ASGIApp(sio, page, socketio_path=PATH)),
        lifespan="off",
        ws=SocketProtocol,
        ws_per_message_deflate=True,
        log_config=None,
        timeout_graceful_shutdown=1,
    )
    uvicorn_server = uvicorn.Server(config)
    task = asyncio.create_task(uvicorn_server.serve(sockets=[listener]))
    server.port = listener.getsockname()[1]
    try:
        yield server
    finally:
        patches._namespaces.discard(server)
        uvicorn_server.should_exit = True
        await task
        await sio.shutdown()


def _with_subprotocol(app: ASGIApp) -> ASGIApp:
    """Accept the subprotocol of Reflex's page: the version of Reflex."""

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        async def accept(message: Message) -> None:
            if message["type"] == "websocket.accept" and scope["subprotocols"]:
                message["subprotocol"] = scope["subprotocols"][0]
            await send(message)

        await app(scope, receive, accept)

    return serve
