"""Providers that bill: they answer over HTTP as the vendors do, and bill requests by the public rules.

    async with serve_billing(AnthropicBill()) as peer:
        …an app context with peer.environment…
        peer.asked[-1].usage

Minutes pass without waiting: `peer.pass_time(seconds)` moves its clock, and `age(ctx, seconds)` the stored times.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import orjson
from sqlalchemy import select, update
from starlette.types import Receive, Scope, Send

from app.providers.registry import PROVIDERS
from app.runs.app_context import AppContext
from app.store.cache.rows_prompt_cache import PROMPT_CACHE
from app.store.conversation.rows import RUN
from tests.api.served import serve

Usage = dict[str, Any]
Bill = Callable[[dict[str, Any], datetime], Usage]
Words = Callable[[int], str]
"""The answer to the request with this number."""


@dataclass(frozen=True)
class AskedFor:
    """A request for a reply, its time by the peer's clock, and its bill."""

    body: dict[str, Any]
    at: datetime
    usage: Usage


@dataclass
class BillingPeer:
    """A provider that answers with `words`. `play` encodes them as the vendor's stream.

    `windows` are the windows of the models that it lists.
    """

    name: str
    bill: Bill
    play: Callable[[str, Usage], bytes]
    words: Words = lambda _number: "Very well."
    windows: dict[str, int] = field(default_factory=dict[str, int])
    asked: list[AskedFor] = field(default_factory=list[AskedFor])
    host: str = ""
    ahead: timedelta = timedelta()
    came: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when a request arrived."""
    free: asyncio.Event = field(default_factory=asyncio.Event)
    """Answers wait for it: see `holding_back`."""

    def __post_init__(self) -> None:
        self.free.set()

    @property
    def environment(self) -> dict[str, str]:
        row = PROVIDERS[self.name]
        assert row.base_url_env
        assert row.key_env
        return {row.base_url_env: f"http://{self.host}/v1", row.key_env: "sk-test-1234567890"}

    @asynccontextmanager
    async def holding_back(self) -> AsyncGenerator[None]:
        """Delay the answers to requests until the block ends."""
        self.came.clear()
        self.free.clear()
        try:
            yield
        finally:
            self.free.set()

    def pass_time(self, seconds: float) -> None:
        self.ahead += timedelta(seconds=seconds)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        raw = b""
        while (message := await receive()).get("more_body"):
            raw += message["body"]
        raw += message.get("body", b"")
        if scope["method"] == "GET":
            models = [{"id": name, "max_model_len": window} for name, window in self.windows.items()]
            return await _answer(send, b"application/json", orjson.dumps({"data": models, "object": "list"}))
        body, at = orjson.loads(raw), datetime.now(UTC) + self.ahead
        usage = self.bill(body, at)
        self.asked.append(AskedFor(body, at, usage))
        self.came.set()
        await self.free.wait()
        return await _answer(send, b"text/event-stream", self.play(self.words(len(self.asked)), usage))


@asynccontextmanager
async def serve_billing(peer: BillingPeer) -> AsyncGenerator[BillingPeer]:
    async with serve(peer) as served:
        peer.host = served.host
        yield peer


async def age(ctx: AppContext, seconds: float) -> None:
    """Make the calls that the app context knows older by `seconds`."""
    async with ctx.store.write() as session:
        for table, column in ((PROMPT_CACHE, "at"), (RUN, "attempt_started_at")):
            key = next(iter(table.primary_key))
            rows = (await session.execute(select(key, table.c[column]))).all()
            for one, at in rows:
                older = {column: at - timedelta(seconds=seconds)}
                await session.execute(update(table).where(key == one).values(older))


def play_anthropic(words: str, usage: Usage) -> bytes:
    """Encode a reply of the Messages API: https://platform.claude.com/docs/en/build-with-claude/streaming."""
    start: dict[str, Any] = {
        "id": "m",
        "type": "message",
        "role": "assistant",
        "content": [],
        "usage": usage | {"output_tokens": 1},
    }
    return _events(
        {"type": "message_start", "message": start},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": words}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": len(words) // 4}},
        {"type": "message_stop"},
    )


def play_openai(words: str, usage: Usage) -> bytes:
    """Encode a reply of the Responses API: https://developers.openai.com/api/docs/guides/streaming-responses."""
    item: dict[str, Any] = {"type": "message", "id": "msg_1", "role": "assistant", "content": []}
    counted = usage | {"output_tokens": len(words) // 4, "output_tokens_details": {"reasoning_tokens": 0}}
    return _events(
        {"type": "response.created", "response": {"id": "r"}},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {
            "type": "response.output_text.delta",
            "item_id": "msg_1",
            "output_index": 0,
            "content_index": 0,
            "delta": words,
        },
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": {"id": "r", "status": "completed", "usage": counted}},
    )


def play_alibaba(words: str, usage: Usage) -> bytes:
    """Encode a reply of Chat Completions as DashScope does: usage comes last, in an event without choices."""
    output = len(words) // 4
    counted = usage | {"completion_tokens": output, "total_tokens": usage["prompt_tokens"] + output}
    chunk: dict[str, Any] = {"object": "chat.completion.chunk", "id": "chatcmpl-1", "usage": None}
    chunks: tuple[dict[str, Any], ...] = (
        chunk | {"choices": [{"index": 0, "delta": {"role": "assistant", "content": words}, "finish_reason": None}]},
        chunk | {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
        chunk | {"choices": [], "usage": counted},
    )
    return b"".join(b"data: %b\n\n" % orjson.dumps(one) for one in chunks) + b"data: [DONE]\n\n"


def _events(*events: dict[str, Any]) -> bytes:
    return b"".join(b"event: %b\ndata: %b\n\n" % (event["type"].encode(), orjson.dumps(event)) for event in events)


async def _answer(send: Send, content_type: bytes, body: bytes) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", content_type)]})
    await send({"type": "http.response.body", "body": body})
