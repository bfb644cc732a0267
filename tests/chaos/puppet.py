"""A provider whose every word and fault the test controls: it implements Chat Completions on a real socket.

    async with a_puppet() as puppet:
        ...                                   # send something to puppet.url
        call = await puppet.next_call()
        await call.say("Hel"), await call.say("lo"), await call.finish()

It answers nothing before the test says so. A test can therefore hold a reply at any word for any time.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import orjson

from app.domain.errors import ErrorClass
from tests.sockets import serve_connections

PROMPT_TOKENS = 7
"""Input tokens reported for every finished reply. The reported output tokens are its number of characters."""


MODELS = b'{"object": "list", "data": [{"id": "any", "object": "model"}]}'


@dataclass(frozen=True)
class Refusal:
    """An answer without a stream. `retried`: Inview must try again immediately. `waited_for`: it must wait first."""

    error_class: ErrorClass
    status: int = 200
    error: Mapping[str, str] = field(default_factory=dict[str, str])
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    retried: bool = False
    waited_for: bool = False
    hangs_up: bool = False


NOW = {"Retry-After": "0"}
REFUSALS: Mapping[str, Refusal] = MappingProxyType(
    {
        "bad key": Refusal(ErrorClass.AUTH, 401, {"code": "invalid_api_key"}),
        "no credit": Refusal(ErrorClass.AUTH, 429, {"code": "insufficient_quota"}),
        "no such model": Refusal(ErrorClass.MODEL, 404, {"code": "model_not_found"}),
        "too long": Refusal(ErrorClass.CONTEXT_LENGTH, 400, {"code": "context_length_exceeded"}),
        "declined": Refusal(ErrorClass.CONTENT_FILTER, 400, {"code": "content_filter"}),
        "come back in an hour": Refusal(ErrorClass.RATE, 429, {}, {"Retry-After": "3600"}),
        "too many": Refusal(ErrorClass.RATE, 429, {}, NOW, retried=True),
        "overloaded": Refusal(ErrorClass.OVERLOADED, 529, {}, NOW, retried=True),
        "out of order": Refusal(ErrorClass.SERVER, 500, {}, retried=True),
        "come back in a minute": Refusal(ErrorClass.RATE, 429, {}, {"Retry-After": "59"}, waited_for=True),
        "hangs up": Refusal(ErrorClass.NETWORK, retried=True, hangs_up=True),
        "answers with a page": Refusal(ErrorClass.STREAM, 200, {}, {"Content-Type": "text/html"}),
        "says nothing": Refusal(ErrorClass.STREAM, 200, {}, {"Content-Type": "text/event-stream"}),
    }
)
"""Failures of a call before its first word."""

BREAKS: Mapping[str, ErrorClass] = MappingProxyType(
    {
        "cut": ErrorClass.STREAM,
        "ends early": ErrorClass.STREAM,
        "garbage": ErrorClass.STREAM,
        "error event": ErrorClass.SERVER,
        "content filter": ErrorClass.CONTENT_FILTER,
    }
)
"""Failures of a stream after some words."""


def messages_in(body: bytes) -> list[dict[str, str]]:
    """Return the messages of a request."""
    return [{"role": said["role"], "content": said["content"]} for said in orjson.loads(body)["messages"]]


@dataclass(eq=False)
class Call:
    """A request that waits for the test. `said` is the text sent so far; `left` is set when the client disconnects."""

    body: bytes
    writer: asyncio.StreamWriter
    said: str = ""
    began: bool = False
    over: asyncio.Event = field(default_factory=asyncio.Event)
    left: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def messages(self) -> list[dict[str, str]]:
        return messages_in(self.body)

    async def say(self, text: str) -> None:
        """Stream these words."""
        self._begin()
        self.said += text
        await self._write(_event({"index": 0, "delta": {"content": text}, "finish_reason": None}))

    async def finish(self) -> None:
        """End the reply normally, with its usage."""
        self._begin()
        await self._write(_event({"index": 0, "delta": {}, "finish_reason": "stop"}))
        usage = {"prompt_tokens": PROMPT_TOKENS, "completion_tokens": len(self.said)}
        await self._write(_data({"choices": [], "usage": usage}) + b"data: [DONE]\n\n")
        await self._end()

    async def refuse(self, how: Refusal) -> None:
        """Fail before the first word."""
        if how.hangs_up:
            await self._hang_up()
            return
        headers = {"Content-Type": "application/json", **how.headers}
        self._begin(how.status, headers)
        if how.error or how.status >= 400:
            await self._write(orjson.dumps({"error": {"message": "No.", **how.error}}))
        elif "html" in headers["Content-Type"]:
            await self._write(b"<title>Welcome</title>")
        await self._end()

    async def break_off(self, how: str) -> None:
        """Fail in the middle."""
        match how:
            case "cut":
                await self._hang_up()
                return
            case "ends early":
                pass
            case "garbage":
                await self._write(b'data: {"choices": [{]}\n\n')
            case "error event":
                await self._write(_data({"error": {"type": "server_error", "message": "Oops."}}))
            case "content filter":
                await self._write(_event({"index": 0, "delta": {}, "finish_reason": "content_filter"}))
            case _:
                raise ValueError(how)
        await self._end()

    def _begin(self, status: int = 200, headers: Mapping[str, str] = MappingProxyType({})) -> None:
        if not self.began:
            self.began = True
            shown = {"Content-Type": "text/event-stream", "Transfer-Encoding": "chunked", **headers}
            lines = "".join(f"{name}: {value}\r\n" for name, value in shown.items())
            self.writer.write(f"HTTP/1.1 {status} Pulled\r\n{lines}\r\n".encode())

    async def _write(self, chunk: bytes) -> None:
        self.writer.write(b"%x\r\n%b\r\n" % (len(chunk), chunk))
        await self.writer.drain()

    async def _end(self) -> None:
        self.writer.write(b"0\r\n\r\n")
        await self.writer.drain()
        self.over.set()

    async def _hang_up(self) -> None:
        self.writer.close()
        self.over.set()


@dataclass(eq=False)
class Puppet:
    """The provider. `heard` counts its calls; `calls` has the calls that the test has not taken yet."""

    url: str = ""
    heard: int = 0
    calls: asyncio.Queue[Call] = field(default_factory=asyncio.Queue[Call])

    async def next_call(self) -> Call:
        async with asyncio.timeout(10):
            return await self.calls.get()

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                if head.startswith(b"GET"):
                    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(MODELS), MODELS))
                    continue
                call = Call(await reader.readexactly(_length_of(head)), writer)
                self.heard += 1
                self.calls.put_nowait(call)
                gone = asyncio.ensure_future(_closed(reader))
                over = asyncio.ensure_future(call.over.wait())
                await asyncio.wait({gone, over}, return_when=asyncio.FIRST_COMPLETED)
                left = not over.done()
                gone.cancel()
                over.cancel()
                await asyncio.gather(gone, over, return_exceptions=True)
                if left:
                    call.left.set()
                    return
        except (asyncio.IncompleteReadError, ConnectionError):
            pass


async def _closed(reader: asyncio.StreamReader) -> None:
    """Return once the client has disconnected: it sends nothing while it receives the answer."""
    with suppress(ConnectionError):
        await reader.read(1)


def _length_of(head: bytes) -> int:
    lines = head.decode("latin-1").lower().split("\r\n")
    return next(int(line.partition(":")[2]) for line in lines if line.startswith("content-length:"))


def _event(choice: dict[str, Any]) -> bytes:
    return _data({"id": "c", "object": "chat.completion.chunk", "choices": [choice]})


def _data(said: dict[str, Any]) -> bytes:
    return b"data: " + orjson.dumps(said) + b"\n\n"


@asynccontextmanager
async def a_puppet() -> AsyncGenerator[Puppet]:
    puppet = Puppet()
    async with serve_connections(puppet.answer) as port:
        puppet.url = f"http://127.0.0.1:{port}"
        yield puppet
