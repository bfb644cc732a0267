"""Starts and ends an ASGI application by the lifespan protocol, instead of the server.

Servers end the lifespan last, after every connection has closed. In this application the end of the lifespan saves the
running replies, so it must not wait for a browser. If the lifespan fails, the application is not served (servers would
ignore the failure).
"""

from __future__ import annotations

import asyncio
from typing import Literal

from starlette.types import ASGIApp, Message

from app.domain.errors import InviewError


class LifespanError(InviewError):
    """Error: the application failed to start or to end. The cause is chained."""


class Lifespan:
    """The lifespan of an application: call `await start()`, serve, then call `await end()`.

    Source: the ASGI lifespan specification, version 2.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._orders: asyncio.Queue[Message] = asyncio.Queue()
        self._answers: asyncio.Queue[Message] = asyncio.Queue()
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        self._task = asyncio.create_task(self._run())
        await self._send("startup")

    async def end(self) -> None:
        await self._send("shutdown")

    async def _run(self) -> None:
        scope = {"type": "lifespan", "asgi": {"version": "3.0", "spec_version": "2.0"}, "state": {}}
        await self._app(scope, self._orders.get, self._answers.put)

    async def _send(self, what: Literal["startup", "shutdown"]) -> None:
        if self._task is None:
            raise LifespanError(f"The {what} event cannot be sent before the application has started.")
        await self._orders.put({"type": f"lifespan.{what}"})
        answer = asyncio.create_task(self._answers.get())
        await asyncio.wait({answer, self._task}, return_when=asyncio.FIRST_COMPLETED)
        if not answer.done():
            answer.cancel()
            raise LifespanError(f"The application ended during its {what}.") from self._task.exception()
        if answer.result()["type"] != f"lifespan.{what}.complete":
            raise LifespanError(f"The application failed during its {what}: {answer.result().get('message', '')}")
