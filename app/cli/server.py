"""Serves API, sockets and page on one port, from one process and one event loop. The page is served first.

The application is `app.app`. Reasons for one process: docs/decisions/0005; for uvicorn and uvloop: docs/decisions/0006;
for serving the page first: docs/decisions/0044.
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
from app.config.settings import OPEN_TO_OTHERS, Settings
from app.runs.memory.collector import return_large_blocks
from app.web import files, host_check
from app.web.lifespan import Lifespan
from app.web.readiness_gate import ReadinessGate
from app.web.request_parser import RequestProtocol
from app.web.sockets import MAX_MESSAGE, SocketProtocol

# No other module may import app.app, the top of the application. So the server finds it by its name, as ASGI servers
# do.
_APPLICATION: Final = "app.app"

_REFLEX: Final = {
    "REFLEX_ENV_MODE": "prod",
    "REFLEX_TELEMETRY_ENABLED": "false",
    "REFLEX_CHECK_LATEST_VERSION": "false",
    # Seconds between two pings. The page treats a connection that is silent for longer as lost
    # (ui/kit/connection/link.ts).
    "REFLEX_SOCKET_INTERVAL": "20",
    "REFLEX_SOCKET_TIMEOUT": "25",
    # An internal name of Reflex 0.10.1 (hence its pin). It means that the page is built and must not be compiled again.
    "__REFLEX_SKIP_COMPILE": "true",
    "REFLEX_SOCKET_MAX_HTTP_BUFFER_SIZE": str(MAX_MESSAGE),
}
_STOPPING: Final = (signal.SIGTERM, signal.SIGINT)
_DRAIN_SECONDS: Final = 1  # for answers that are being sent at the end; saving does not wait for them
_LINGER_SECONDS: Final = 1.0  # for threads that are still working after everything is saved


def run(settings: Settings, page: Path, listener: socket.socket, say: Callable[[str], None]) -> None:
    """Serve on the bound `listener` until SIGTERM or SIGINT. Then save running replies, close everything and return.

    `page` is the folder of the built page. `say` prints a line for the person who started the server.
    """
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
        host_check.guarded(door, host_check.GateRules.of(settings)),
        lifespan="off",  # Inview's lifespan must end before the connections end
        http=RequestProtocol,
        ws=SocketProtocol,
        ws_max_size=MAX_MESSAGE,
        ws_per_message_deflate=True,  # a patch has a hundred characters of names for ten characters of text
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_DRAIN_SECONDS,
    )
    server = uvicorn.Server(config)
    stopping = asyncio.Event()
    for signal_number in _STOPPING:
        # uvicorn also handles the signal and closes the connections. This handler starts the saving.
        asyncio.get_running_loop().add_signal_handler(signal_number, stopping.set)
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    stopped = asyncio.create_task(stopping.wait())
    application = await asyncio.to_thread(build_house, settings)
    if stopping.is_set():  # stopped before the application was started
        await serving
        return
    lifespan = Lifespan(application)
    await lifespan.start()
    # From now on the collector ignores the imported objects. Otherwise full collections would pause a stream for a
    # tenth of a second, and the process would end in one second instead of a tenth.
    gc.freeze()
    gc.enable()
    door.open(application)
    say_ready()
    await asyncio.wait({serving, stopped}, return_when=asyncio.FIRST_COMPLETED)
    stopped.cancel()
    await lifespan.end()
    await serving


def leave_soon() -> None:
    """End this process within a second, even if a thread is still working. Call it when everything is saved.

    Python would wait until such threads finish. A thread that converts or checks data for a model may take a minute.
    """
    leaving = threading.Timer(_LINGER_SECONDS, os._exit, (0,))
    leaving.daemon = True
    leaving.start()


def build_house(settings: Settings) -> ASGIApp:
    """Import the application and create its ASGI app. This takes seconds, so call this function in a thread."""
    os.environ.update(_REFLEX)
    do_without_redis()
    import_sparingly("engineio")
    create: Callable[[Settings], ASGIApp] = importlib.import_module(_APPLICATION).create_asgi
    return create(settings)


def _greeting(settings: Settings) -> str:
    shown = f"[{settings.host}]" if ":" in settings.host else settings.host
    return f"Inview: {settings.public_url or f'http://{shown}:{settings.port}'}  (Ctrl+C stops it)"
