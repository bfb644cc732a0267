"""Bodies of requests within bounds: of bytes, of seconds, and of values in JSON. One beyond them gets a problem.

What is in an import is counted where it is read (`app/runs/transfer/import_scan.py`), a list item at a time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Final

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.api.http.problems import answer_problem
from app.domain.json_size import MAX_VALUES, ValueCount
from app.views.problem import describe_problem

MAX_LENGTH = 18
"""Digits of a length that is worth reading as a number."""
BODY_SECONDS: Final = 600.0
"""For all of a body: the largest takes so long at a megabit a second."""
MAX_TOGETHER: Final = 68 * 1024 * 1024
"""Bytes of the bodies of all requests that are not answered yet: the largest file fits together with small ones."""
SMALL: Final = 1024 * 1024
"""Bytes that every body may have, whatever the others have."""


class BodyLimit:
    """Refuses bodies of more than `most` bytes with 413, and those that take too long with 408.

    `larger` are the paths that take more, and how much. Their values are not counted.
    """

    def __init__(self, app: ASGIApp, most: int, larger: Mapping[str, int]) -> None:
        self._app = app
        self._most = most
        self._larger = larger
        self._together = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        most = self._larger.get(scope["path"], self._most)
        announced = dict(scope["headers"]).get(b"content-length", b"0")
        if announced.isdigit() and (len(announced) > MAX_LENGTH or int(announced) > most):
            await answer_problem(describe_problem("body-too-large", _describe_most(most)))(scope, receive, send)
            return
        body = _Body(receive, most, None if scope["path"] in self._larger else ValueCount(), self._hold)
        try:
            await self._app(scope, body.receive, send)
        except ClientDisconnect:
            pass  # in the middle of its body: the client is gone
        finally:
            self._together -= body.received

    def _hold(self, size: int, received: int) -> None:
        """Count `size` more bytes of a body that has `received` with them.

        Raises:
            HTTPException: all bodies have too many.
        """
        self._together += size
        if self._together > MAX_TOGETHER and received > SMALL:
            words = "Too many large bodies are on their way. Send it again."
            raise HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, words, {"Retry-After": "5"})


class _Body:
    """The body of one request, while it is received."""

    def __init__(
        self, receive: Receive, most: int, values: ValueCount | None, hold: Callable[[int, int], None]
    ) -> None:
        self.received = 0
        self._hold = hold
        self._receive = receive
        self._most = most
        self._values = values
        self._due: float | None = asyncio.get_running_loop().time() + BODY_SECONDS

    async def receive(self) -> Message:
        """The next message. After the body it is that the client has gone, whenever that is."""
        limit = asyncio.timeout_at(self._due)
        try:
            async with limit:
                message = await self._receive()
        except TimeoutError:
            if not limit.expired():
                raise
            raise HTTPException(
                HTTPStatus.REQUEST_TIMEOUT, f"A body may take {BODY_SECONDS:g} seconds. Send less at once."
            ) from None
        if not message.get("more_body", False):
            self._due = None
        body: bytes = message.get("body", b"")
        self.received += len(body)
        self._hold(len(body), self.received)
        if self.received > self._most:
            raise HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, _describe_most(self._most))
        if self._values is not None and self._values.feed(body) > MAX_VALUES:
            raise HTTPException(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"A body may have {MAX_VALUES:,} values. Send it in parts."
            )
        return message


def _describe_most(most: int) -> str:
    return f"A body may have {most:,} bytes."
