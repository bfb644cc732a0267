"""Limits for bodies of requests: bytes, seconds, and values in JSON. A body beyond a limit is answered with a problem.

The JSON values in an imported file are counted elsewhere, one list item at a time, when the file is read
(`app/runs/transfer/import_scan.py`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from http import HTTPStatus
from typing import Final

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.api.http.problems import answer_problem
from app.domain.text.json_size import MAX_VALUES, ValueCount
from app.views.problem import describe_problem

MAX_LENGTH = 18
"""Maximum digits of a `Content-Length` that is read as a number."""
BODY_SECONDS: Final = 600.0
"""Maximum seconds for a whole body. At a megabit per second, the largest body takes about this time."""
MAX_TOGETHER: Final = 68 * 1024 * 1024
"""Maximum bytes of the bodies of all open requests together: enough for the largest file and some small bodies."""
SMALL: Final = 256 * 1024
"""Maximum bytes of a small body. Small bodies may use `MAX_MORE` in addition to `MAX_TOGETHER`."""
MAX_MORE: Final = 8 * 1024 * 1024
"""Additional bytes for all bodies together. Only small bodies may use them."""
LEAST_HELD: Final = 16 * 1024
"""Minimum number of bytes that a body counts as, because even a request without a body takes about this much memory."""
LEAST_RATE: Final = 16 * 1024
"""Minimum bytes per second. A slower body is refused if another body needs its memory."""
RETRY_SECONDS: Final = 5

_FULL: Final = f"Inview is receiving too many large request bodies. Send this one again in {RETRY_SECONDS} seconds."
_SLOW: Final = (
    "This request body arrived too slowly, and its memory was needed for others. Send it again in "
    f"{RETRY_SECONDS} seconds."
)


class BodyLimit:
    """Middleware that refuses bodies.

    A body above `most` bytes is refused with 413, a slow one with 408, and one that exceeds the memory for all bodies
    with 503. `larger` has the paths with a higher limit in bytes. The JSON values in bodies for these paths are not
    counted.
    """

    def __init__(self, app: ASGIApp, most: int, larger: Mapping[str, int]) -> None:
        self._app = app
        self._most = most
        self._larger = larger
        self._memory = _Memory()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        most = self._larger.get(scope["path"], self._most)
        announced = dict(scope["headers"]).get(b"content-length", b"0")
        if announced.isdigit() and (len(announced) > MAX_LENGTH or int(announced) > most):
            await answer_problem(describe_problem("body-too-large", _describe_most(most)))(scope, receive, send)
            return
        body = _Body(receive, most, None if scope["path"] in self._larger else ValueCount(), self._memory)
        try:
            await self._app(scope, body.receive, send)
        except ClientDisconnect:
            pass  # the client disconnected while it sent its body
        finally:
            self._memory.release(body)


class _Memory:
    """The count of the bytes that the bodies of all open requests take together."""

    def __init__(self) -> None:
        self._held: dict[_Body, int] = {}
        self._together = 0

    def hold(self, body: _Body) -> None:
        """Count the bytes of a body that is being received.

        If all bodies together have too many bytes, refuse the body that is furthest behind `LEAST_RATE`.

        Raises:
            HTTPException: this body is refused, because no other body is too slow.
        """
        self.release(body)
        self._held[body] = size = max(body.received, LEAST_HELD)
        self._together += size
        most = MAX_TOGETHER if body.received > SMALL else MAX_TOGETHER + MAX_MORE
        while self._together > most:
            slowest = max(self._held, key=_Body.measure_lag)
            if slowest is body or slowest.measure_lag() <= 0:
                raise _refuse(_FULL)
            self.release(slowest)
            slowest.give_way()

    def release(self, body: _Body) -> None:
        self._together -= self._held.pop(body, 0)


class _Body:
    """The body of one request, while it is received."""

    def __init__(self, receive: Receive, most: int, values: ValueCount | None, memory: _Memory) -> None:
        self.received = 0
        self._memory = memory
        self._receive = receive
        self._most = most
        self._values = values
        self._now = asyncio.get_running_loop().time
        self._began = self._now()
        self._due: float | None = self._began + BODY_SECONDS
        self._waiting: asyncio.Timeout | None = None
        self._is_slow = False

    def measure_lag(self) -> float:
        """Return the number of bytes by which this body is behind `LEAST_RATE`.

        Negative: it is ahead. 0: it was received completely.
        """
        return 0.0 if self._due is None else (self._now() - self._began) * LEAST_RATE - self.received

    def give_way(self) -> None:
        """Refuse this body, which is too slow, so that others can be received."""
        self._is_slow = True
        if self._waiting is not None:
            self._waiting.reschedule(self._now())

    async def receive(self) -> Message:
        """Return the next message. After the end of the body, this waits until the client disconnects."""
        message = await self._wait()
        if not message.get("more_body", False):
            self._due = None
        body: bytes = message.get("body", b"")
        self.received += len(body)
        if self.received > self._most:
            raise HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, _describe_most(self._most))
        if body:
            self._memory.hold(self)
        if self._values is not None and self._values.feed(body) > MAX_VALUES:
            raise HTTPException(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
                f"A request body may have at most {MAX_VALUES:,} values. Send it in parts.",
            )
        return message

    async def _wait(self) -> Message:
        """Wait for the next message.

        Raises:
            HTTPException: the body is too slow.
        """
        limit = asyncio.timeout_at(self._due)
        self._waiting = limit
        try:
            async with limit:
                message = await self._receive()
        except TimeoutError:
            if not limit.expired():
                raise
            if self._is_slow:
                raise _refuse(_SLOW) from None
            words = f"A request body must arrive within {BODY_SECONDS:g} seconds. Send less at once."
            raise HTTPException(HTTPStatus.REQUEST_TIMEOUT, words) from None
        finally:
            self._waiting = None
        if self._is_slow:
            raise _refuse(_SLOW)
        return message


def _refuse(words: str) -> HTTPException:
    return HTTPException(HTTPStatus.SERVICE_UNAVAILABLE, words, {"Retry-After": str(RETRY_SECONDS)})


def _describe_most(most: int) -> str:
    return f"A request body may have at most {most:,} bytes."
