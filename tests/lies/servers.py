"""Servers that lie: a provider at the other end of the network with impossible reports, lists and streams."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

import orjson
from starlette.types import Receive, Scope, Send

Event = dict[str, object]

HONEST = "honest"
LIAR = "liar"


def count_honestly(body: bytes) -> int:
    """Count what a model of this server really reads: one token per four characters, and four per message."""
    said = orjson.loads(body)
    return 3 + sum(4 + _count_characters(message["content"]) // 4 for message in said.get("messages") or said["input"])


def _count_characters(content: str | Sequence[Mapping[str, str]]) -> int:
    return len(content) if isinstance(content, str) else sum(len(block.get("text", "")) for block in content)


def report(**changes: object) -> Callable[[int], object]:
    """Return a function that reports usage with only these counters wrong."""
    return lambda tokens: {"prompt_tokens": tokens, "completion_tokens": 2, **changes}


USAGE_LIES: Mapping[str, Callable[[int], object]] = {
    "always ten": report(prompt_tokens=10),
    "zero": report(prompt_tokens=0),
    "a fraction": report(prompt_tokens=1.5),
    "1e300": report(prompt_tokens=1e300),
    "2**63": report(prompt_tokens=2**63),
    "the largest that counts": report(prompt_tokens=100_000_000),
    "negative": report(prompt_tokens=-5_000, completion_tokens=-5_000),
    "an object": report(prompt_tokens={"total": 7}),
    "a text": report(prompt_tokens="12"),
    "a boolean": report(prompt_tokens=True),
    "missing": lambda _: {"total_tokens": 5},
    "a list": lambda _: [1, 2, 3],
    "only a text": lambda _: "many",
    "more cached than read": report(prompt_tokens_details={"cached_tokens": 10**7}),
    "details of another type": report(prompt_tokens_details=[7], completion_tokens_details="x"),
    "a tenth": lambda tokens: report(prompt_tokens=tokens // 10)(tokens),
    "ten times": lambda tokens: report(prompt_tokens=tokens * 10 + 10_000)(tokens),
}
LIST_LIES: Mapping[str, object] = {
    "a number as a name": {"id": 7},
    "no name": {"id": None},
    "a window as text": {"id": "w1", "max_model_len": "8192"},
    "a list as a window": {"id": "w2", "max_model_len": [8192]},
    "a fraction as a window": {"id": "w3", "max_model_len": 8192.5},
    "a negative window": {"id": "w4", "max_model_len": -1},
    "an absurd window": {"id": "w5", "max_model_len": 2**63},
    "1e300 as a window": {"id": "w6", "max_model_len": 1e300},
    "details of another type": {"id": "w7", "meta": 7},
    "a name that turns others round": {"id": "w\u202e8"},
    "no object": 7,
}
STREAM_LIES: Mapping[str, bytes] = {
    "choices as a text": b'data: {"choices":"none"}\n\n',
    "a delta as a number": b'data: {"choices":[{"delta":7}]}\n\n',
    "content as a number": b'data: {"choices":[{"delta":{"content":7}}]}\n\n',
    "no JSON": b"data: {\n\n",
    "a list": b"data: []\n\n",
    "a stop reason of another type": b'data: {"choices":[{"delta":{},"finish_reason":{"why":1}}]}\n\n',
    "nothing": b"",
}


@dataclass
class Server:
    """A server that lies about the model `liar`, by `usage`, `stream` and its list `models`, and never about `honest`.

    It implements Chat Completions, Anthropic's Messages and OpenAI's Responses. `window` is that of `liar`.
    """

    usage: Callable[[int], object] = field(default_factory=report)
    stream: bytes | None = None
    models: list[object] = field(default_factory=list[object])
    window: object = 4_000
    bodies: list[bytes] = field(default_factory=list[bytes])

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = b""
        while (message := await receive()).get("more_body"):
            body += message["body"]
        body += message.get("body", b"")
        if scope["path"] == "/v1/models":
            listed = [
                {"id": HONEST, "max_model_len": 1_000_000},
                *self.models,
                {"id": LIAR, "max_model_len": self.window},
            ]
            await _answer(send, b"application/json", json.dumps({"data": listed}).encode())
            return
        self.bodies.append(body)
        lies = orjson.loads(body)["model"] == LIAR
        tokens = count_honestly(body)
        usage = self.usage(tokens) if lies else report()(tokens)
        if lies and self.stream is not None:
            await _answer(send, b"text/event-stream", self.stream)
            return
        await _answer(send, b"text/event-stream", _SPOKEN[scope["path"]](usage))


async def _answer(send: Send, content_type: bytes, body: bytes) -> None:
    headers = [(b"content-type", content_type)]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _complete_chat(usage: object) -> bytes:
    said = {"choices": [{"index": 0, "delta": {"content": SAID}, "finish_reason": "stop"}]}
    told: Event = {"choices": (), "usage": usage}
    return _encode_event(said) + _encode_event(told) + b"data: [DONE]\n\n"


def _write_message(usage: object) -> bytes:
    usage = _rename(usage, "cache_read_input_tokens")
    events: tuple[Event, ...] = (
        {"type": "message_start", "message": {"type": "message", "role": "assistant", "content": (), "usage": usage}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": SAID}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": usage},
        {"type": "message_stop"},
    )
    return b"".join(map(_encode_event, events))


def _write_response(usage: object) -> bytes:
    usage = _rename(usage, "input_tokens_details")
    text: Event = {"type": "output_text", "text": SAID, "annotations": ()}
    message: Event = {"id": "m", "type": "message", "status": "completed", "role": "assistant", "content": (text,)}
    ended: Event = {"id": "r", "object": "response", "status": "completed", "output": (message,), "usage": usage}
    here: Event = {"item_id": "m", "output_index": 0, "content_index": 0}
    events: tuple[Event, ...] = (
        {"type": "response.created", "response": {**ended, "status": "in_progress", "output": (), "usage": None}},
        {"type": "response.output_item.added", "output_index": 0, "item": {**message, "content": ()}},
        {"type": "response.content_part.added", **here, "part": {**text, "text": ""}},
        {"type": "response.output_text.delta", **here, "delta": SAID},
        {"type": "response.output_item.done", "output_index": 0, "item": message},
        {"type": "response.completed", "response": ended},
    )
    return b"".join(_encode_event({**event, "sequence_number": at}) for at, event in enumerate(events))


def _rename(usage: object, cached: str) -> object:
    """Rename the counters of a lie for another vendor. `cached` is the name for cache details."""
    if not isinstance(usage, dict):
        return usage
    names = {"prompt_tokens": "input_tokens", "completion_tokens": "output_tokens", "prompt_tokens_details": cached}
    renamed: Event = {names.get(name, name): value for name, value in cast("Event", usage).items()}
    details = renamed.get("cache_read_input_tokens")
    if isinstance(details, dict):
        renamed["cache_read_input_tokens"] = cast("Event", details)["cached_tokens"]
    return renamed


def _encode_event(event: Mapping[str, object]) -> bytes:
    name = f"event: {event['type']}\n" if "type" in event else ""
    return f"{name}data: {json.dumps(event)}\n\n".encode()


SAID = "Well said."
_SPOKEN: Mapping[str, Callable[[object], bytes]] = {
    "/v1/chat/completions": _complete_chat,
    "/v1/messages": _write_message,
    "/v1/responses": _write_response,
}
