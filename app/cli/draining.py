"""Draining: the end of a process whose work others take over, so that nobody notices.

    await drain(server, application, seconds=300, hurried=second_signal)

First it says that it is not ready, and still serves, as proxies look only every second or so. Then it takes no more
connections and closes those of its pages, which connect to another process. What it receives from providers, and
answers that are on their way, go on to their end. Whoever calls this saves and closes afterwards.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from math import ceil
from typing import Final, Protocol

import structlog
import uvicorn

LEAVE_SECONDS: Final = 5.0
"""How long it still serves once it has said that it is not ready. Proxies have to look more often than that."""
LOOK_SECONDS: Final = 0.1

log = structlog.get_logger(__name__)


class Drained(Protocol):
    """What is drained."""

    def start_draining(self) -> None:
        """Say from now on that this process is not ready."""
        ...

    def is_idle(self) -> bool:
        """Whether no reply is received here."""
        ...


async def drain(server: uvicorn.Server, application: Drained, seconds: float, hurried: asyncio.Event) -> None:
    """Return when all is done, after so many seconds, or once it is `hurried`. The port is closed then."""
    application.start_draining()
    log.info("this process is to end; it goes on with its replies", seconds=seconds)
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await _wait(hurried, min(LEAVE_SECONDS, seconds))
            server.config.timeout_graceful_shutdown = ceil(seconds)
            server.should_exit = True
            while not (hurried.is_set() or (application.is_idle() and not server.server_state.tasks)):
                await _wait(hurried, LOOK_SECONDS)
    server.should_exit = True


async def _wait(hurried: asyncio.Event, seconds: float) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await hurried.wait()
