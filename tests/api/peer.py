"""A scripted provider on a real port: it implements Chat Completions, stores requests and plays a script."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from random import Random

import orjson
from starlette.types import Receive, Scope, Send

from tests.api.served import serve

Piece = tuple[float, str, str]
"""Seconds to wait, the delta's field (`content` or `reasoning_content`), its text."""
Script = Callable[[], Iterable[Piece]]


@dataclass
class Peer:
    """A scripted provider. `bodies` are those of all requests for a reply. `script` is its reply, `usage` its report.

    Its one model `m` has this `window`; None: its list does not have one.
    """

    script: Script = lambda: [(0, "content", "ok")]
    usage: dict[str, int] | None = None
    window: int | None = None
    bodies: list[bytes] = field(default_factory=list[bytes])
    host: str = ""

    @property
    def environment(self) -> dict[str, str]:
        return {"INVIEW_COMPATIBLE": f"peer=http://{self.host}/v1"}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = await _read(receive)
        if scope["path"] == "/v1/models":
            await _start(send, b"application/json")
            model = {"id": "m", "object": "model", "max_model_len": self.window}
            await _write(send, orjson.dumps({"object": "list", "data": [model]}), more=False)
            return
        self.bodies.append(body)
        await _start(send, b"text/event-stream")
        for seconds, field_name, text in self.script():
            await asyncio.sleep(seconds)
            await _write(send, _event({"index": 0, "delta": {field_name: text}, "finish_reason": None}))
        await _write(send, _event({"index": 0, "delta": {}, "finish_reason": "stop"}))
        if self.usage is not None:
            await _write(send, _event(usage=self.usage))
        await _write(send, b"data: [DONE]\n\n", more=False)


@asynccontextmanager
async def serve_peer() -> AsyncGenerator[Peer]:
    peer = Peer()
    async with serve(peer) as served:
        peer.host = served.host
        yield peer


def cut_at_random(random: Random, text: str, pieces: int) -> list[str]:
    """Cut a text at random into at most `pieces` pieces."""
    cuts = sorted(random.randrange(len(text) + 1) for _ in range(pieces - 1))
    return [text[start:end] for start, end in pairwise([0, *cuts, len(text)]) if start < end]


def _event(*choices: dict[str, object], **fields: object) -> bytes:
    chunk = {"id": "c", "object": "chat.completion.chunk", "choices": choices, **fields}
    return b"data: " + orjson.dumps(chunk) + b"\n\n"


async def _read(receive: Receive) -> bytes:
    body = b""
    while True:
        message = await receive()
        body += message.get("body", b"")
        if not message.get("more_body"):
            return body


async def _start(send: Send, content_type: bytes) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", content_type)]})


async def _write(send: Send, body: bytes, *, more: bool = True) -> None:
    await send({"type": "http.response.body", "body": body, "more_body": more})
