"""The real API on a real port: uvicorn as it serves Inview, SQLite in a temporary folder, the offline provider."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2
import uvicorn
from starlette.types import ASGIApp

from app.api.app import create_api
from app.runs.workbench import Workbench, open_workbench
from app.settings import load_settings


@asynccontextmanager
async def serve(app: ASGIApp) -> AsyncGenerator[str]:
    """The app on a free port of 127.0.0.1; gives `127.0.0.1:port`."""
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
        yield "{}:{}".format(*listener.getsockname())
    finally:
        server.should_exit = True
        await serving


@dataclass(frozen=True)
class Api:
    """A served API: `http` asks it, `wb` is what is behind it."""

    http: httpx2.AsyncClient
    wb: Workbench
    host: str

    def live_url(self, conversation_id: str) -> str:
        return f"ws://{self.host}/api/v1/conversations/{conversation_id}/live"


@asynccontextmanager
async def serve_api(data_dir: Path) -> AsyncGenerator[Api]:
    async with (
        open_workbench(load_settings({"INVIEW_DATA_DIR": str(data_dir)})) as wb,
        serve(create_api()) as host,
        httpx2.AsyncClient(base_url=f"http://{host}/api/v1", timeout=20) as http,
    ):
        yield Api(http, wb, host)
