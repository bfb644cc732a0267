"""Serve API, sockets and page on one port, from one process and one event loop; the page first.

Not what is served (`app.app`). Why one process: docs/decisions/0005. Why uvicorn and uvloop: docs/decisions/0006. Why
the page comes first: docs/decisions/0044.
"""

from __future__ import annotations

import asyncio
import gc
import importlib
import os
import signal
import socket
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Protocol

import uvicorn
import uvloop
from starlette.types import ASGIApp, Receive, Scope, Send

from app.cli.build import ROOT
from app.cli.draining import drain
from app.cli.preferred_language import read_language
from app.language.choice import prefer_language
from app.settings import Settings
from app.web import files, gate
from app.web.lifespan import Lifespan
from app.web.readiness_gate import ReadinessGate
from app.web.sockets import SocketProtocol

# app.app is the top of the house: nothing below may import it, so the server finds it by name, as any ASGI server does.
_APPLICATION: Final = "app.app"

MAX_EVENT: Final = 32 * 1024 * 1024
"""Bytes of an event of the page: a text of 4,000,000 characters fits, whatever they are."""

_REFLEX: Final = {
    "REFLEX_ENV_MODE": "prod",
    "REFLEX_TELEMETRY_ENABLED": "false",
    "REFLEX_CHECK_LATEST_VERSION": "false",
    # A sign of life every 20 s; the page does not trust a connection that is silent for longer (app/ui/kit/link.ts).
    "REFLEX_SOCKET_INTERVAL": "20",
    "REFLEX_SOCKET_TIMEOUT": "25",
    # Internal name of Reflex 0.10.1 (hence its pin): the page is built, do not compile it again.
    "__REFLEX_SKIP_COMPILE": "true",
    "REFLEX_SOCKET_MAX_HTTP_BUFFER_SIZE": str(MAX_EVENT),
}
_STOPPING: Final = (signal.SIGTERM, signal.SIGINT)
_CLOSE_SECONDS: Final = 1  # what is being sent when the end comes may take this long; saving does not wait for it
_LINGER_SECONDS: Final = 1.0  # for threads that still work once all is saved


def run(settings: Settings, page: Path, listener: socket.socket, say: Callable[[str], None]) -> None:
    """Serve on the bound `listener` until SIGTERM or SIGINT; then save what runs, close what is open, and return.

    With `settings.drain_seconds` replies are received to their end first (`draining.py`). A second signal ends that.
    """
    os.chdir(ROOT)  # Reflex reads rxconfig.py and .web from the working folder
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_serve(settings, page, listener, say))
        leave_soon()


async def _serve(settings: Settings, page: Path, listener: socket.socket, say: Callable[[str], None]) -> None:
    prefer_language(read_language(settings.database_url))
    built = files.serving(page)
    door = ReadinessGate(built, page_waits=settings.accounts)
    config = uvicorn.Config(
        gate.guarded(door, gate.GateRules.of(settings)),
        lifespan="off",  # ours ends before the connections do
        http="httptools",
        ws=SocketProtocol,
        ws_max_size=MAX_EVENT,
        ws_per_message_deflate=True,  # a patch is a hundred characters of names around ten of text
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_CLOSE_SECONDS,
    )
    server = Server(config)
    stopping, hurried = asyncio.Event(), asyncio.Event()

    def stop() -> None:
        if stopping.is_set():
            hurried.set()
        stopping.set()
        if hurried.is_set() or not (door.is_open and settings.drain_seconds):
            server.should_exit = True

    for signal_number in _STOPPING:
        asyncio.get_running_loop().add_signal_handler(signal_number, stop)
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    stopped = asyncio.create_task(stopping.wait())
    application = await asyncio.to_thread(build_house, settings, built)
    if stopping.is_set():  # nobody wants it any more, and nothing has begun
        await serving
        return
    lifespan = Lifespan(application)
    await lifespan.start()
    # What has been imported stays: out of sight of the collector, its full rounds do not stop a stream for a tenth of a
    # second, and the process ends in a tenth of a second instead of one.
    gc.freeze()
    gc.enable()
    door.open(application)
    say(_greeting(settings))
    if (link := await application.first_link()) is not None:
        say(f"This Inview has no owner yet. Make the account: {settings.address}{link}  (works once)")
    await asyncio.wait({serving, stopped}, return_when=asyncio.FIRST_COMPLETED)
    stopped.cancel()
    if not server.should_exit:
        await drain(server, application, settings.drain_seconds, hurried)
    await lifespan.end()
    await asyncio.wait({serving}, timeout=_CLOSE_SECONDS)
    for request in server.server_state.tasks:
        request.cancel()
    await serving


def leave_soon() -> None:
    """End this process in a moment, though a thread still works: all is saved, and nobody waits for it any more.

    Python waits for such threads to the end, and what one converts or checks for a model may take a minute.
    """
    leaving = threading.Timer(_LINGER_SECONDS, os._exit, (0,))
    leaving.daemon = True
    leaving.start()


class Server(uvicorn.Server):
    """uvicorn's own, which leaves signals alone: it ends when `should_exit` says so."""

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """Capture none."""
        yield


class Application(Protocol):
    """What `create_asgi` makes: an ASGI application that knows the link for its first owner, and what it is at."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None: ...

    async def first_link(self) -> str | None:
        """The path that makes the owner's account; None where accounts are off or there is an owner."""
        ...

    def start_draining(self) -> None:
        """Say from now on that this process is not ready."""
        ...

    def is_idle(self) -> bool:
        """Whether no reply is received here."""
        ...


def build_house(settings: Settings, page: ASGIApp) -> Application:
    """Import everything: seconds, in a thread of its own."""
    os.environ.update(_REFLEX)
    create: Callable[[Settings, ASGIApp], Application] = importlib.import_module(_APPLICATION).create_asgi
    return create(settings, page)


def _greeting(settings: Settings) -> str:
    return f"Inview: {settings.address}  (Ctrl+C stops it)"
