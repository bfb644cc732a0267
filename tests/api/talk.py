"""Steps of most API tests: create, send, follow and read."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Any

import orjson

from tests.api.served import Api

AT_ONCE = {"Accept": "application/json"}
TEXTS = {"text", "thinking", "tool_input"}


@dataclass(frozen=True)
class Event:
    """One server-sent event."""

    id: int
    kind: str
    data: dict[str, Any]


async def create_conversation(api: Api, **fields: Any) -> str:
    answer = await api.http.post("/conversations", json=fields)
    assert answer.status_code == 201, answer.text
    return answer.json()["id"]


async def send(api: Api, conversation_id: str, text: str, **fields: Any) -> dict[str, Any]:
    """Start a reply and do not wait for it."""
    body = {"text": text, **fields}
    answer = await api.http.post(f"/conversations/{conversation_id}/send", json=body, headers=AT_ONCE)
    assert answer.status_code == 202, answer.text
    return answer.json()


async def follow(
    api: Api, run_id: str, after: int = 0, last_event_id: int | None = None, **parameters: str
) -> list[Event]:
    """Return a run's events until it ends."""
    headers = {} if last_event_id is None else {"Last-Event-ID": str(last_event_id)}
    parameters |= {"after": str(after)}
    async with api.http.stream("GET", f"/runs/{run_id}/events", params=parameters, headers=headers) as answer:
        assert answer.status_code == 200
        return [event async for event in read_events(answer.aiter_bytes())]


async def answered(api: Api, conversation_id: str, text: str = "/long 5 /rate 0") -> dict[str, Any]:
    """Send, wait until the reply ends, and return the pair."""
    started = await send(api, conversation_id, text)
    await follow(api, started["run_id"])
    (pair,) = (await api.http.get(f"/conversations/{conversation_id}/pairs", params={"limit": 1})).json()["items"]
    assert pair["id"] == started["pair_id"]
    return pair


async def read_events(chunks: AsyncGenerator[bytes, None] | Any) -> AsyncGenerator[Event, None]:
    """Yield the events of a stream, however it is cut, without comments."""
    waiting = b""
    async for chunk in chunks:
        *blocks, waiting = (waiting + chunk).split(b"\n\n")
        for block in blocks:
            if not block.startswith(b":"):
                yield parse_event(block)
    assert waiting == b"", "the stream was cut inside an event"


def parse_event(block: bytes) -> Event:
    fields = dict(line.split(b": ", 1) for line in block.split(b"\n"))
    assert list(fields) == [b"id", b"event", b"data"]
    return Event(int(fields[b"id"]), fields[b"event"].decode(), orjson.loads(fields[b"data"]))


def log_of(events: list[Event]) -> list[tuple[int, str, Any]]:
    """Return a log independent of its cuts: one entry per position, text by the character."""
    entries: list[tuple[int, str, Any]] = []
    for event in events:
        if event.kind in TEXTS:
            text: str = event.data["text"]
            first = event.id - len(text) + 1
            entries += [(first + place, event.kind, character) for place, character in enumerate(text)]
        else:
            entries.append((event.id, event.kind, event.data))
    return entries


def words_of(events: list[Event]) -> str:
    return "".join(event.data["text"] for event in events if event.kind == "text")
