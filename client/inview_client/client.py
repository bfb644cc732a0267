"""The clients: carry out a request, and follow a reply. `AsyncClient` does the same as `Client`, awaited.

Not here: what can be asked (`requests.py`) and with what (`models.py`), which are generated.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Final, Self, TypeVar

import httpx2
from pydantic import TypeAdapter

from inview_client.errors import StreamLostError, describe_refusal
from inview_client.events import Event, EventReader
from inview_client.models import DraftToSend
from inview_client.request import Request
from inview_client.requests import post_conversation_send

T = TypeVar("T")

PREFIX: Final = "/api/v1"
ATTEMPTS: Final = 5
"""Connections in a row that bring no event before following ends."""
_WAITS: Final = (0.0, 0.5, 1.0, 2.0, 4.0)
_STREAM_TIMEOUT: Final = httpx2.Timeout(20, read=60)  # the server sends a comment every 15 seconds


class Client:
    """Asks one Inview, at `url`, as the person of the token; without one where it has no accounts.

    with Client("http://127.0.0.1:3000") as inview:
        print(inview.call(requests.get_health()).status)
    """

    def __init__(self, url: str, token: str | None = None, *, timeout: float = 60) -> None:
        self._http = httpx2.Client(base_url=url.rstrip("/") + PREFIX, headers=_headers(token), timeout=timeout)

    def call(self, request: Request[T]) -> T:
        """The answer. Raises `InviewError` where it is a refusal, `httpx2.TransportError` where none came."""
        answer = self._http.request(request.method, request.path, **_arguments(request))
        return _read(request, answer)

    def send(self, conversation_id: str, draft: DraftToSend, *, idempotency_key: str | None = None) -> Iterator[Event]:
        """Send, and give the events of the reply to its end. Leaving early stops nothing: the reply is the server's."""
        started = self.call(post_conversation_send(conversation_id, draft, idempotency_key=idempotency_key))
        return self.follow(started.run_id)

    def follow(self, run_id: str, after: int = 0) -> Iterator[Event]:
        """The events of a run from a position on, each once; a connection that breaks is taken up where it ended."""
        place = _Place(run_id, after)
        while not place.ended:
            time.sleep(place.next_wait())
            try:
                with self._http.stream("GET", place.path, params=place.query, timeout=_STREAM_TIMEOUT) as answer:
                    if not answer.is_success:
                        raise describe_refusal(answer.status_code, answer.read())
                    reader = EventReader()
                    for line in answer.iter_lines():
                        if event := reader.read(line):
                            place.pass_by(event)
                            yield event
            except httpx2.TransportError as lost:
                place.lost = lost

    def close(self) -> None:
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, at: TracebackType | None) -> None:
        self.close()


class AsyncClient:
    """As `Client`, for programs with an event loop."""

    def __init__(self, url: str, token: str | None = None, *, timeout: float = 60) -> None:
        self._http = httpx2.AsyncClient(base_url=url.rstrip("/") + PREFIX, headers=_headers(token), timeout=timeout)

    async def call(self, request: Request[T]) -> T:
        answer = await self._http.request(request.method, request.path, **_arguments(request))
        return _read(request, answer)

    async def send(
        self, conversation_id: str, draft: DraftToSend, *, idempotency_key: str | None = None
    ) -> AsyncIterator[Event]:
        started = await self.call(post_conversation_send(conversation_id, draft, idempotency_key=idempotency_key))
        async for event in self.follow(started.run_id):
            yield event

    async def follow(self, run_id: str, after: int = 0) -> AsyncIterator[Event]:
        place = _Place(run_id, after)
        while not place.ended:
            await asyncio.sleep(place.next_wait())
            try:
                async with self._http.stream("GET", place.path, params=place.query, timeout=_STREAM_TIMEOUT) as answer:
                    if not answer.is_success:
                        raise describe_refusal(answer.status_code, await answer.aread())
                    reader = EventReader()
                    async for line in answer.aiter_lines():
                        if event := reader.read(line):
                            place.pass_by(event)
                            yield event
            except httpx2.TransportError as lost:
                place.lost = lost

    async def close(self) -> None:
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, at: TracebackType | None
    ) -> None:
        await self.close()


@dataclass
class _Place:
    """How far the events of a run were read, and how many connections in a row brought none."""

    run_id: str
    after: int
    attempts: int = 0
    ended: bool = False
    lost: httpx2.TransportError | None = None

    @property
    def path(self) -> str:
        return f"/runs/{self.run_id}/events"

    @property
    def query(self) -> dict[str, int]:
        return {"after": self.after}

    def pass_by(self, event: Event) -> None:
        self.after, self.attempts, self.ended = event.id, 0, event.is_last

    def next_wait(self) -> float:
        """Seconds before the next connection. Raises `StreamLostError` after too many that brought nothing."""
        if self.attempts == ATTEMPTS:
            raise StreamLostError(self.run_id, self.after) from self.lost
        self.attempts += 1
        return _WAITS[self.attempts - 1]


def _headers(token: str | None) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"} if token else {}


def _arguments(request: Request[Any]) -> dict[str, Any]:
    headers = {name: value for name, value in request.headers.items() if value is not None}
    # A send would answer with its events where JSON is not asked for.
    headers["Accept"] = "*/*" if request.answer is bytes else "application/json"
    content = request.content()
    if content is not None:
        headers["Content-Type"] = request.media_type
    return {"params": request.params(), "headers": headers, "content": content}


def _read(request: Request[T], answer: httpx2.Response) -> T:
    if not answer.is_success:
        raise describe_refusal(answer.status_code, answer.content)
    if request.answer is None or request.answer is bytes:
        return None if request.answer is None else answer.content  # pyright: ignore[reportReturnType]  (it is T)
    return TypeAdapter(request.answer).validate_json(answer.content)
