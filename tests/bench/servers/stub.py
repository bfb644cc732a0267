"""The stub provider: Chat Completions and Messages as server-sent events, with the send time of every chunk.

It is not a mock of a vendor: every request gets a normal reply. The model's name chooses the reply (`script.py`). Its
clock is `time.time()`, which equals the browser's `performance.timeOrigin + performance.now()`.

    python -m tests.bench.servers.stub 3450        # 0: a free port, which it prints
    curl -N 127.0.0.1:3450/v1/chat/completions -d '{"model":"t20-r5","stream":true,"messages":[…]}'
    curl 127.0.0.1:3450/log?key=hello      # the log of the request whose last message was "hello"
"""

from __future__ import annotations

import asyncio
import re
import sys
import time
from dataclasses import asdict, dataclass, field
from functools import cache
from typing import Any
from urllib.parse import parse_qs, urlsplit

import orjson

from tests.bench.servers.script import Script, model_name, script_of, warm_up

MODELS = [
    model_name(2000, 100),
    model_name(16000, 0),
    model_name(500, 50),
    model_name(300, 100),
    model_name(20, 100),
    model_name(20, 100, wait=300),
]
MODEL_IN_BODY = re.compile(rb'"model"\s*:\s*"([^"]+)"')
WARM_UP = "warm-up"  # a prompt that starts with this gets a short answer, whatever the model
WINDOW = 100_000_000
"""Window in tokens that it reports for its models: every stored history fits."""
EVENT_STREAM = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"


@dataclass
class Call:
    """One request to the stub; times are seconds of the wall clock, 0 if not reached yet."""

    model: str
    body_bytes: int
    arrived: float  # when its last byte was read
    key: str = ""  # the last message's text
    messages: int = 0
    sent: list[float] = field(default_factory=list[float])  # when each chunk was sent, by chunk index
    finished: float = 0.0
    cut: bool = False  # the client disconnected before the end


@dataclass(frozen=True)
class Frames:
    """A script in a vendor's dialect, ready to write: the opening, one frame per chunk, the closing."""

    opening: bytes
    chunks: tuple[bytes, ...]
    closing: bytes


CALLS: list[Call] = []


async def serve(port: int) -> None:
    server = await asyncio.start_server(_answer_connection, "127.0.0.1", port)
    print("listening on http://{}:{}".format(*server.sockets[0].getsockname()), flush=True)
    async with server:
        await server.serve_forever()


async def _answer_connection(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while True:
            try:
                head = await reader.readuntil(b"\r\n\r\n")
            except (asyncio.IncompleteReadError, ConnectionResetError):
                return
            target = head.split(b" ", 2)[1].decode()
            length = re.search(rb"content-length: *(\d+)", head, re.IGNORECASE)
            body = await reader.readexactly(int(length[1])) if length else b""
            if head.startswith(b"POST "):
                await _stream_reply(target, body, writer)
            else:
                _write_json(writer, _answer_get(target))
            await writer.drain()
    except ConnectionResetError:
        return
    finally:
        writer.close()


def _answer_get(target: str) -> Any:
    url = urlsplit(target)
    if url.path == "/v1/models":
        told = {"object": "model", "created": 1, "owned_by": "stub", "max_model_len": WINDOW}
        models = [{"id": model, **told} for model in MODELS]
        return {"object": "list", "data": models}
    if url.path == "/log":
        wanted = parse_qs(url.query).get("key")
        return [asdict(call) for call in CALLS if wanted is None or call.key in wanted]
    return {"stub": "ready"}


async def _stream_reply(target: str, body: bytes, writer: asyncio.StreamWriter) -> None:
    arrived = time.time()
    model = MODEL_IN_BODY.search(body)
    if model is None:
        raise ValueError(f"A request to {target} names no model: {body[:200]!r}")
    script = script_of(model[1].decode())
    call = Call(script.model, len(body), arrived)
    if len(body) < 10_000:
        _read_body(call, body)
    if WARM_UP.encode() in body[body.rfind(b'"content"') :]:
        script = warm_up()
    CALLS.append(call)
    frames = frames_of(target.partition("?")[0], script)
    writer.write(EVENT_STREAM + frames.opening)
    try:
        await _pace(script, frames, call.sent, writer)
        writer.write(frames.closing + b"0\r\n\r\n")
        await writer.drain()
    except ConnectionResetError:
        call.cut = True
        raise
    finally:
        if not call.key:  # a large body is parsed only after the reply, so that it delays nothing that is measured
            _read_body(call, body)
        call.finished = time.time()


async def _pace(script: Script, frames: Frames, sent: list[float], writer: asyncio.StreamWriter) -> None:
    if script.wait:
        await asyncio.sleep(script.wait)
    started = time.time()
    for index, frame in enumerate(frames.chunks):
        if script.rate:
            await asyncio.sleep(max(0.0, started + index / script.rate - time.time()))
        sent.append(time.time())
        writer.write(frame)
        await writer.drain()


def _read_body(call: Call, body: bytes) -> None:
    messages = orjson.loads(body)["messages"]
    content = messages[-1]["content"]
    call.messages = len(messages)
    call.key = content if isinstance(content, str) else content[-1]["text"]


@cache
def frames_of(path: str, script: Script) -> Frames:
    """Return the script's frames in the dialect of `path`, with HTTP chunk framing."""
    dialects = {"/v1/chat/completions": _chat_completions, "/v1/messages": _messages}
    opening, chunks, closing = dialects[path](script)
    return Frames(_framed(opening), tuple(map(_framed, chunks)), _framed(closing))


def _chat_completions(script: Script) -> tuple[bytes, list[bytes], bytes]:
    def event(choices: list[dict[str, Any]], **more: Any) -> bytes:
        head = {"id": "chatcmpl-9fK2xQbT7vLm", "object": "chat.completion.chunk", "created": 1764000000}
        return b"data: " + orjson.dumps(head | {"model": script.model, "choices": choices} | more) + b"\n\n"

    def delta(content: dict[str, str], finish: str | None = None) -> bytes:
        return event([{"index": 0, "delta": content, "logprobs": None, "finish_reason": finish}])

    usage = {"prompt_tokens": 10, "completion_tokens": script.tokens, "total_tokens": 10 + script.tokens}
    return (
        delta({"role": "assistant", "content": ""}),
        [delta({"content": chunk}) for chunk in script.chunks],
        delta({}, "stop") + event([], usage=usage) + b"data: [DONE]\n\n",
    )


def _messages(script: Script) -> tuple[bytes, list[bytes], bytes]:
    def event(kind: str, **fields: Any) -> bytes:
        return f"event: {kind}\ndata: ".encode() + orjson.dumps({"type": kind, **fields}) + b"\n\n"

    def delta(chunk: str) -> bytes:
        return event("content_block_delta", index=0, delta={"type": "text_delta", "text": chunk})

    begin: dict[str, Any] = {
        "id": "msg_stub", "type": "message", "role": "assistant", "model": script.model, "content": [],
        "stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 10, "output_tokens": 1},
    }  # fmt: skip
    block = event("content_block_start", index=0, content_block={"type": "text", "text": ""})
    end = event("message_delta", delta={"stop_reason": "end_turn"}, usage={"output_tokens": script.tokens})
    return (
        event("message_start", message=begin) + block,
        [delta(chunk) for chunk in script.chunks],
        event("content_block_stop", index=0) + end + event("message_stop"),
    )


def _framed(payload: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(payload), payload)


def _write_json(writer: asyncio.StreamWriter, value: Any) -> None:
    body = orjson.dumps(value)
    head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(body)
    writer.write(head + body)


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1])))
