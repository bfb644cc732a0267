"""The real API on a real port: uvicorn as it serves Inview, SQLite in a temporary folder, the offline provider."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import httpx2
import uvicorn
from fastapi import FastAPI
from starlette.types import ASGIApp

from app.api.app import create_api
from app.api.http.sign_in_gate import SignInGate
from app.runs.wiring import open_workbench
from app.runs.workbench import Workbench
from app.settings import load_settings
from tests.databases import installation

NO_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""What clients of plain HTTP are given: one of their own reads all certificates, which takes 40 ms of a processor."""


@dataclass(frozen=True)
class Served:
    """A server on a free port. `host` is `127.0.0.1:port`."""

    host: str
    server: uvicorn.Server

    def unsent(self) -> int:
        """Bytes that wait in this process for readers to take them."""
        return sum(connection.transport.get_write_buffer_size() for connection in self.server.server_state.connections)


@asynccontextmanager
async def serve(app: ASGIApp) -> AsyncGenerator[Served]:
    """The app on a free port of 127.0.0.1."""
    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(
        app,
        lifespan="off",
        http="httptools",
        ws="websockets-sansio",
        ws_per_message_deflate=False,
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=1,
    )
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server.serve(sockets=[listener]))  # who connects earlier waits in its backlog
    try:
        yield Served("{}:{}".format(*listener.getsockname()), server)
    finally:
        server.should_exit = True
        await serving


@dataclass(frozen=True)
class Api:
    """A served API: `http` asks it, `wb` is what is behind it."""

    http: httpx2.AsyncClient
    wb: Workbench
    served: Served

    @property
    def host(self) -> str:
        return self.served.host

    @property
    def port(self) -> int:
        return int(self.host.partition(":")[2])


@cache
def ungated_api() -> FastAPI:
    """Made once: it keeps nothing of its own, and making its hundred routes takes half a second."""
    return create_api()


@cache
def the_api() -> SignInGate:
    return SignInGate(ungated_api())


def api_document() -> dict[str, Any]:
    """The OpenAPI document, not to be changed. It is made once, which takes a second and a half of a processor."""
    return ungated_api().openapi()


@asynccontextmanager
async def serve_api(data_dir: Path, **environment: str) -> AsyncGenerator[Api]:
    """The API over its own data folder, set up by these variables; nobody is asked for titles unless they say so."""
    settings = load_settings({"INVIEW_TITLES": "off", **installation(data_dir), **environment})
    async with (
        open_workbench(settings) as wb,
        serve(the_api()) as served,
        httpx2.AsyncClient(base_url=f"http://{served.host}/api/v1", timeout=20, verify=NO_TLS) as http,
    ):
        yield Api(http, wb, served)
