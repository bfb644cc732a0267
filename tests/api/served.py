"""The real API on a real port: uvicorn as it serves Inview, SQLite in a temporary folder, the offline provider."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import httpx2
import uvicorn
from fastapi import FastAPI
from starlette.types import ASGIApp

from app.api.app import create_api
from app.config.settings import load_settings
from app.runs.app_context import AppContext
from app.runs.runtime.clock import STEADY, Clock
from app.runs.wiring import open_app_context
from app.web.request_parser import RequestProtocol
from tests.databases import lay_database
from tests.serving import listen
from tests.sockets import close


@dataclass(frozen=True)
class Served:
    """A server on a free port. `host` is `127.0.0.1:port`."""

    host: str
    server: uvicorn.Server

    def unsent(self) -> int:
        """Return the number of bytes that wait in this process for clients to read them."""
        return sum(connection.transport.get_write_buffer_size() for connection in self.server.server_state.connections)


@asynccontextmanager
async def serve(app: ASGIApp, ws: type[asyncio.Protocol] | str = "websockets-sansio") -> AsyncGenerator[Served]:
    """Serve the app on a free port of 127.0.0.1. `ws`: the protocol class for its sockets."""
    listener = listen()
    config = uvicorn.Config(
        app,
        lifespan="off",
        http=RequestProtocol,
        ws=ws,
        ws_per_message_deflate=False,
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=1,
    )
    config.load()
    server = uvicorn.Server(config)
    server.lifespan = config.lifespan_class(config)
    await server.startup(sockets=[listener])
    await server.on_tick(0)  # the headers of every answer
    try:
        yield Served("{}:{}".format(*listener.getsockname()), server)
    finally:
        await _end(server)


async def _end(server: uvicorn.Server) -> None:
    """End a server as uvicorn does. Uvicorn itself checks ten times per second for its end, most of a short test."""
    state = server.server_state
    for each in server.servers:
        await close(each)
    for connection in list(state.connections):
        connection.shutdown()
    with suppress(TimeoutError):
        async with asyncio.timeout(1):
            while state.connections or state.tasks:  # noqa: ASYNC110 - uvicorn has no event for it
                await asyncio.sleep(0.001)
    for connection in list(state.connections):
        connection.transport.abort()
    for task in state.tasks:
        task.cancel()
    await asyncio.gather(*state.tasks, return_exceptions=True)
    await asyncio.sleep(0)  # an aborted connection closes its socket in the next turn of the loop


@dataclass(frozen=True)
class Api:
    """A served API: `http` is its client, `ctx` its app context."""

    http: httpx2.AsyncClient
    ctx: AppContext
    served: Served

    @property
    def host(self) -> str:
        return self.served.host

    @property
    def port(self) -> int:
        return int(self.host.partition(":")[2])


@cache
def the_api() -> FastAPI:
    """Create the API once: it stores no data of a test, and creating its hundred routes takes half a second."""
    return create_api()


@asynccontextmanager
async def serve_api(data_dir: Path, clock: Clock = STEADY, /, **environment: str) -> AsyncGenerator[Api]:
    """Serve the API over a separate data folder with these settings. Titles are off unless the settings enable them."""
    lay_database(data_dir)
    settings = load_settings({"INVIEW_DATA_DIR": str(data_dir), "INVIEW_TITLES": "off", **environment})
    async with (
        open_app_context(settings, clock) as ctx,
        serve(the_api()) as served,
        httpx2.AsyncClient(base_url=f"http://{served.host}/api/v1", timeout=None) as http,
    ):
        yield Api(http, ctx, served)
