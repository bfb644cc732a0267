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
from collections.abc import Callable
from pathlib import Path
from typing import Final

import uvicorn
import uvloop
from starlette.types import ASGIApp

from app.cli.build import ROOT
from app.cli.reduced_imports import do_without_redis, import_sparingly
from app.runs.process.collector import return_large_blocks
from app.settings import OPEN_TO_OTHERS, Settings
from app.web import files, gate
from app.web.lifespan import Lifespan
from app.web.readiness_gate import ReadinessGate
from app.web.requests import RequestProtocol
from app.web.sockets import MAX_MESSAGE, SocketProtocol

# app.app is the top of the house: nothing below may import it, so the server finds it by name, as any ASGI server does.
_APPLICATION: Final = "app.app"

_REFLEX: Final = {
    "REFLEX_ENV_MODE": "prod",
    "REFLEX_TELEMETRY_ENABLED": "false",
    "REFLEX_CHECK_LATEST_VERSION": "false",
    # A sign of life every 20 s; the page does not trust a connection that is silent for longer (app/ui/kit/link.ts).
    "REFLEX_SOCKET_INTERVAL": "20",
    "REFLEX_SOCKET_TIMEOUT": "25",
    # Internal name of Reflex 0.10.1 (hence its pin): the page is built, do not compile it again.
    "__REFLEX_SKIP_COMPILE": "true",
    "REFLEX_SOCKET_MAX_HTTP_BUFFER_SIZE": str(MAX_MESSAGE),
}
_STOPPING: Final = (signal.SIGTERM, signal.SIGINT)
_DRAIN_SECONDS: Final = 1  # what is being sent when the end comes may take this long; saving does not wait for it
_LINGER_SECONDS: Final = 1.0  # for threads that still work once all is saved


def run(settings: Settings, page: Path, listener: socket.socket, say: Callable[[str], None]) -> None:
    """Serve on the bound `listener` until SIGTERM or SIGINT; then save what runs, close what is open, and return."""
    if settings.is_open_to_others:
        say(OPEN_TO_OTHERS.format(host=settings.host))
    return_large_blocks()
    os.chdir(ROOT)  # Reflex reads rxconfig.py and .web from the working folder
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_serve(settings, page, listener, lambda: say(_greeting(settings))))
        leave_soon()


async def _serve(settings: Settings, page: Path, listener: socket.socket, say_ready: Callable[[], None]) -> None:
    door = ReadinessGate(files.serving(page))
    config = uvicorn.Config(
        gate.guarded(door, gate.GateRules.of(settings)),
        lifespan="off",  # ours ends before the connections do
        http=RequestProtocol,
        ws=SocketProtocol,
        ws_max_size=MAX_MESSAGE,
        ws_per_message_deflate=True,  # a patch is a hundred characters of names around ten of text
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_DRAIN_SECONDS,
    )
    server = uvicorn.Server(config)
    stopping = asyncio.Event()
    for signal_number in _STOPPING:
        # uvicorn notices the signal by itself and closes the connections; this is for the saving beside it.
        asyncio.get_running_loop().add_signal_handler(signal_number, stopping.set)
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    stopped = asyncio.create_task(stopping.wait())
    application = await asyncio.to_thread(build_house, settings)
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
    say_ready()
    await asyncio.wait({serving, stopped}, return_when=asyncio.FIRST_COMPLETED)
    stopped.cancel()
    await lifespan.end()
    await serving


def leave_soon() -> None:
    """End this process in a moment, though a thread still works: all is saved, and nobody waits for it any more.

    Python waits for such threads to the end, and what one converts or checks for a model may take a minute.
    """
    leaving = threading.Timer(_LINGER_SECONDS, os._exit, (0,))
    leaving.daemon = True
    leaving.start()


def build_house(settings: Settings) -> ASGIApp:
    """Import everything: seconds, in a thread of its own."""
    os.environ.update(_REFLEX)
    do_without_redis()
    import_sparingly("engineio")
    create: Callable[[Settings], ASGIApp] = importlib.import_module(_APPLICATION).create_asgi
    return create(settings)


def _greeting(settings: Settings) -> str:
    shown = f"[{settings.host}]" if ":" in settings.host else settings.host
    return f"Inview: {settings.public_url or f'http://{shown}:{settings.port}'}  (Ctrl+C stops it)"
