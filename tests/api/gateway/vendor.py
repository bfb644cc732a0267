"""A provider that serves Chat Completions and plays what a test lays in front of it, chunk by chunk."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import orjson
from starlette.types import Receive, Scope, Send

from tests.api.served import serve

USAGE = {"prompt_tokens": 12, "completion_tokens": 5, "total_tokens": 17}


@dataclass
class Vendor:
    """`deltas` are the reply, `finish` why it ends. `status` other than 200 is answered instead.

    `hangs`: after the deltas nothing comes; `left` is set when the call is closed then. `rounds`: what is played to
    the calls after the first.
    """

    deltas: list[dict[str, Any]] = field(default_factory=lambda: [{"content": "Hel"}, {"content": "lo"}])
    finish: str = "stop"
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict[str, str])
    hangs: bool = False
    rounds: list[list[dict[str, Any]]] = field(default_factory=list[list[dict[str, Any]]])
    bodies: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    asked: asyncio.Event = field(default_factory=asyncio.Event)
    left: asyncio.Event = field(default_factory=asyncio.Event)
    host: str = ""

    @property
    def environment(self) -> dict[str, str]:
        return {"INVIEW_COMPATIBLE": f"peer=http://{self.host}/v1"}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        body, more = b"", True
        while more:
            message = await receive()
            body, more = body + message.get("body", b""), message.get("more_body", False)
        if scope["path"] == "/v1/models":
            model = {
                "id": "m",
                "object": "model",
                "max_model_len": 8_000,
                "supported_parameters": ["tools", "temperature"],
            }
            await _answer(send, 200, {"object": "list", "data": [model]})
            return
        self.bodies.append(orjson.loads(body))
        self.asked.set()
        if self.status != 200:
            await _answer(send, self.status, {"error": {"message": "The vendor says no."}}, self.headers)
            return
        head = {"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/event-stream")]}
        await send(head)
        later = self.rounds.pop(0) if len(self.bodies) > 1 and self.rounds else None
        for delta in self.deltas if later is None else later:
            await send(_chunk({"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}))
        if self.hangs:
            while (await receive())["type"] != "http.disconnect":
                pass
            self.left.set()
            return
        finish = self.finish if later is None else "stop"
        await send(_chunk({"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]}))
        await send(_chunk({"choices": [], "usage": USAGE}))
        await send({"type": "http.response.body", "body": b"data: [DONE]\n\n"})


@asynccontextmanager
async def serve_vendor() -> AsyncGenerator[Vendor]:
    vendor = Vendor()
    async with serve(vendor) as served:
        vendor.host = served.host
        yield vendor


def calls_tool(name: str = "get_weather", arguments: str = '{"city":"Rome"}') -> list[dict[str, Any]]:
    """The deltas of a call of a tool, its input in two pieces."""
    middle = len(arguments) // 2
    begun = {"index": 0, "id": "call_1", "type": "function", "function": {"name": name, "arguments": ""}}
    pieces = ({"index": 0, "function": {"arguments": piece}} for piece in (arguments[:middle], arguments[middle:]))
    return [{"tool_calls": [begun]}, *({"tool_calls": [piece]} for piece in pieces)]


def _chunk(fields: dict[str, Any]) -> dict[str, Any]:
    chunk = {"id": "c", "object": "chat.completion.chunk", **fields}
    return {"type": "http.response.body", "body": b"data: " + orjson.dumps(chunk) + b"\n\n", "more_body": True}


async def _answer(send: Send, status: int, content: object, headers: dict[str, str] | None = None) -> None:
    raw = [(name.encode(), value.encode()) for name, value in (headers or {}).items()]
    raw.append((b"content-type", b"application/json"))
    await send({"type": "http.response.start", "status": status, "headers": raw})
    await send({"type": "http.response.body", "body": orjson.dumps(content)})
