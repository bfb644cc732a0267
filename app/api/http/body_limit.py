"""Refuses bodies that are too large: by the length they announce, or where they grow past the limit without one.

Starlette has the same, but answers in plain text before any handler of ours is asked.
"""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.api.http.problems import answer_problem
from app.views.problem import describe_problem

MAX_LENGTH = 18
"""Digits of a length that is worth reading as a number."""


class BodyLimit:
    """Refuses bodies of more than `most` bytes with 413. `larger` are the paths that take more, and how much."""

    def __init__(self, app: ASGIApp, most: int, larger: Mapping[str, int]) -> None:
        self._app = app
        self._most = most
        self._larger = larger

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        most = self._larger.get(scope["path"], self._most)
        announced = dict(scope["headers"]).get(b"content-length", b"0")
        if announced.isdigit() and (len(announced) > MAX_LENGTH or int(announced) > most):
            detail = f"A body may have {most:,} bytes."
            await answer_problem(describe_problem("body-too-large", detail))(scope, receive, send)
            return
        received = 0

        async def count() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > most:
                raise HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
            return message

        await self._app(scope, count, send)
