"""Serve API, sockets and page on one port from one process: granian inside our own event loop.

Not what is served (`app.app`). One process, because a reply belongs to the process that streams it, and because a
master beside a worker costs 30 MB and half a second for nothing (docs/decisions).
"""

from __future__ import annotations

import asyncio
import importlib
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Final

from granian.constants import HTTPModes, Interfaces
from granian.server.embed import Server
from starlette.types import ASGIApp

from app.cli.build import ROOT
from app.settings import Settings

# app.app is the top of the house: nothing below may import it, so the server finds it by name, as any ASGI server does.
_APPLICATION: Final = "app.app"

_REFLEX: Final = {
    "REFLEX_ENV_MODE": "prod",
    "REFLEX_TELEMETRY_ENABLED": "false",
    "REFLEX_CHECK_LATEST_VERSION": "false",
    # Internal names of Reflex 0.10.1 (hence its pin): the page is built, do not compile it again.
    "__REFLEX_SKIP_COMPILE": "true",
}


def run(settings: Settings, page: Path, say: Callable[[str], None]) -> None:
    """Serve until SIGTERM or SIGINT, then end the lifespan (which saves what runs) and return."""
    os.chdir(ROOT)  # Reflex reads rxconfig.py and .web from the working folder
    os.environ.update(_REFLEX)
    create: Callable[[Settings, Path], ASGIApp] = importlib.import_module(_APPLICATION).create_asgi
    application = create(settings, page)
    asyncio.run(_serve(application, settings, say))


async def _serve(application: ASGIApp, settings: Settings, say: Callable[[str], None]) -> None:
    server = Server(
        application,
        address=settings.host,
        port=settings.port,
        interface=Interfaces.ASGI,
        http=HTTPModes.http1,
        log_enabled=False,
    )
    loop = asyncio.get_running_loop()
    for stopping in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(stopping, server.stop)
    shown = f"[{settings.host}]" if ":" in settings.host else settings.host
    say(f"Inview: {settings.public_url or f'http://{shown}:{settings.port}'}  (Ctrl+C stops it)")
    await server.serve()
