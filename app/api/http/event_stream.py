"""Encodes the event log of a run as server-sent events. When the stream is idle, comments keep it open.

`id:` is the position after the event in the log. `domain/run/run_log.py` defines the content of the log;
`runs/watch/broadcast.py` decides when events are sent.

    id: 14
    event: text
    data: {"index":0,"text":"Hello"}
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import Any

from starlette.responses import StreamingResponse

from app.api.http.negotiation import EVENT_STREAM
from app.domain.run.run_log import LogEvent
from app.views.encode import to_json

EVENT_KINDS = frozenset(
    {
        "run", "status", "retry", "part_started", "text", "thinking", "tool_input", "tool_call", "tool_result",
        "mcp_servers", "permission_request", "tool_progress", "value", "usage", "done", "error", "cancelled",
    }
)  # fmt: skip
KEEPALIVE_SECONDS = 15.0
KEEPALIVE = b": still here\n\n"
EVENT_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "description": "One event of a run. `id` is the position after it; `data` is JSON, on one line.",
    "properties": {
        "id": {"type": "string", "pattern": "^[0-9]+$"},
        "event": {"enum": sorted(EVENT_KINDS)},
        "data": {"type": "string", "contentMediaType": "application/json"},
    },
    "required": ["id", "event", "data"],
}

# No cache may store the stream, and no proxy may buffer it (the second header is nginx's).
_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


def answer_events(batches: AsyncIterator[tuple[LogEvent, ...]]) -> StreamingResponse:
    """Return a response that streams a run's event log. The stream ends after the last event."""
    return StreamingResponse(_encode(batches), headers=_HEADERS, media_type=EVENT_STREAM)


def encode_event(event: LogEvent) -> bytes:
    """Encode one event of a run. The data is one line, because JSON escapes every line break."""
    return b"id: %d\nevent: %b\ndata: %b\n\n" % (event.position, event.kind.encode(), to_json(event.data))


async def _encode(batches: AsyncIterator[tuple[LogEvent, ...]]) -> AsyncIterator[bytes]:
    following = asyncio.ensure_future(anext(batches, None))
    try:
        while True:
            # The timeout must not cancel `anext`, because that would end the iterator.
            done, _ = await asyncio.wait((following,), timeout=KEEPALIVE_SECONDS)
            if not done:
                yield KEEPALIVE
                continue
            batch = following.result()
            if batch is None:
                return
            yield b"".join(map(encode_event, batch))
            following = asyncio.ensure_future(anext(batches, None))
    finally:
        following.cancel()


def events_documented(description: str) -> dict[int | str, dict[str, Any]]:
    """Return the OpenAPI `responses` of a route whose answer is an event stream."""
    return {
        200: {
            "description": description,
            "content": {EVENT_STREAM: {"itemSchema": {"$ref": "#/components/schemas/Event"}}},
        }
    }
