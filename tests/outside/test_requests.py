"""Hostile requests of programs and pages to Inview: each gets a problem with a description, within limits."""

from __future__ import annotations

import asyncio
import gzip
import re
import zlib
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from starlette.exceptions import HTTPException
from starlette.types import Message, Receive, Scope, Send
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosedError

from app.api.http import body_limit
from app.api.http.body_limit import BODY_SECONDS, LEAST_HELD, MAX_MORE, MAX_TOGETHER, SMALL, BodyLimit
from app.runs.transfer.import_file import MAX_BYTES
from app.web.sockets import SocketProtocol
from tests.api.served import serve, serve_api
from tests.outside.attacks import DEEP, WIDE, WRONG
from tests.outside.memory import Memory
from tests.runs.clock import HANG_SECONDS, LoopClock, take_turns

JSON = "application/json"


def _chunk(kind: bytes, data: bytes) -> bytes:
    return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")


READERS = {
    "/conversations": JSON,
    "/import": JSON,
    "/agents/import": JSON,
    "/attachments?name=a.docx": "application/octet-stream",
    "/attachments?name=a.png": "application/octet-stream",
    "/usage/reconcile": "text/csv",
}
BODIES = {
    **{f"deep: {name}": body for name, body in DEEP.items()},
    **{f"wrong: {name}": body for name, body in WRONG.items()},
    "wide": b'{"title":"x","pairs":[' + b"[]," * 4_000_000 + b"[]]}",  # 12 MB of these take 250 MB once they are built
    "digits": b'{"title":"x","pairs":[{"position":' + b"1" * 1_000_000 + b"}]}",
    "blanks": b" " * 15_900_000 + b"x",
    "packed": gzip.compress(b"{}" + b" " * 30_000_000),
    "an archive": b"PK\x03\x04" + bytes(1_000_000),
    "a picture of 10 gigapixels": b"\x89PNG\r\n\x1a\n"
    + _chunk(b"IHDR", (100_000).to_bytes(4, "big") * 2 + b"\x08\6\0\0\0"),
    "empty lines": b"usage_date_utc,model_version,usage_input_tokens_no_cache,usage_output_tokens" + b"\n" * 15_000_000,
    "lines": b"start_time_iso,model,input_tokens,output_tokens\n" + b"2026-01-01,m,1,1\n" * 900_000,
    "a line without end": b"start_time_iso,model,input_tokens,output_tokens\n" + b"x" * 15_000_000,
}
WORDS = {
    ("/conversations", "wide"): "A request body may have at most 100,000 values",
    ("/import", "wide"): "more than 200,000 pairs",
    ("/import", "digits"): "a number of more than 4,096 digits",
}
MOST_MB = 64 + 32
"""Additional memory for reading, and for a body of 16 MB in transit and received."""


@pytest.mark.parametrize("path", READERS)
async def test_a_body_that_is_no_input_gets_a_problem_in_words(path: str, tmp_path: Path) -> None:
    async with serve_api(tmp_path) as api:
        for name, body in BODIES.items():
            if path.startswith("/attachments") and name.startswith(("deep", "wrong", "digits", "wide")):
                continue  # these are texts that can be attached
            memory = Memory.now()
            answer = await api.http.post(path, content=body, headers={"Content-Type": READERS[path]})

            assert 400 <= answer.status_code < 500, name
            assert WORDS.get((path, name), "") in answer.json()["detail"]
            assert len(answer.json()["detail"]) > 10, name
            assert memory.growth() <= MOST_MB, name


@pytest.mark.exhaustive
async def test_every_route_with_a_body_refuses_json_that_is_no_input(tmp_path: Path) -> None:
    async with serve_api(tmp_path) as api:
        paths = (await api.http.get("/openapi.json")).json()["paths"]
        routes = [
            (method, re.sub(r"{\w+}", "x", path.removeprefix("/api/v1")))
            for path, methods in paths.items()
            for method, described in methods.items()
            if JSON in described.get("requestBody", {}).get("content", {})
        ]
        for method, path in routes:
            for name in ("wide", "digits", *(f"deep: {one}" for one in DEEP)):
                memory = Memory.now()
                answer = await api.http.request(method, path, content=BODIES[name], headers={"Content-Type": JSON})

                assert 400 <= answer.status_code < 500, (method, path, name)
                assert len(answer.json()["detail"]) > 10
                assert memory.growth() <= MOST_MB, (method, path, name)

    assert len(routes) > 30


@pytest.mark.parametrize("path", READERS)
async def test_a_body_that_drips_is_left_when_its_time_is_over(
    path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serve_api(tmp_path) as api:
        clock = LoopClock.at_work(monkeypatch)
        reader, writer = await asyncio.open_connection("127.0.0.1", api.port)
        kind = READERS[path]
        lines = f"POST /api/v1{path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: {kind}\r\nTransfer-Encoding: chunked"
        writer.write(f"{lines}\r\n\r\n".encode())
        answered = asyncio.ensure_future(reader.readuntil(b"}"))
        while not answered.done() and clock.ahead <= 3 * BODY_SECONDS:
            writer.write(b"1\r\n \r\n")
            await clock.move(BODY_SECONDS / 20)
        assert answered.done()
        answer = answered.result()
        writer.transport.abort()

    assert answer.startswith(b"HTTP/1.1 408")
    assert b"A request body must arrive within 600 seconds. Send less at once." in answer


async def test_a_message_of_too_many_values_closes_the_socket_before_it_is_parsed() -> None:
    heard: list[int] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        await send({"type": "websocket.accept"})
        while (message := await receive())["type"] == "websocket.receive":
            heard.append(len(message["text"]))
            await send({"type": "websocket.send", "text": "heard"})

    wide = "[" + "[]," * WIDE + "[]]"
    for parts in (wide, (wide[:1_000], wide[1_000:])):  # in one frame, and in two
        async with serve(app, ws=SocketProtocol) as served, connect(f"ws://{served.host}/", max_size=None) as socket:
            await socket.send('"' + "[,{" * 200_000 + '"')  # a text is one value, whatever it contains
            assert await socket.recv() == "heard"
            await socket.send(parts)
            with pytest.raises(ConnectionClosedError, match="A message may have at most 100,000 values"):
                await socket.recv()

    assert len(heard) == 2


async def test_large_bodies_of_many_requests_have_a_bound_together_and_leave_no_trace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(body_limit, "MAX_TOGETHER", 8_000_000)
    lines = "POST /api/v1/import HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json"
    head = f"{lines}\r\nContent-Length: 9000000\r\n\r\n"
    async with serve_api(tmp_path) as api:
        connections = [await asyncio.open_connection("127.0.0.1", api.port) for _ in range(4)]
        for _, writer in connections:
            writer.write(head.encode() + b" " * 3_000_000)
        answers = [asyncio.ensure_future(reader.readuntil(b"}")) for reader, _ in connections]
        done, others = await asyncio.wait(answers, return_when=asyncio.FIRST_COMPLETED, timeout=20)
        refused = done.pop().result()
        for other in others:
            other.cancel()
        for _, writer in connections:
            writer.transport.abort()
        small = await api.http.post("/conversations", json={"title": "x"})

        async def send_large() -> int:
            return (
                await api.http.post("/import", content=b" " * 7_000_000, headers={"Content-Type": JSON})
            ).status_code

        while await send_large() == 503:
            pass  # the server has not noticed yet that the others have disconnected

    assert refused.startswith(b"HTTP/1.1 503")
    assert b"retry-after: 5" in refused
    assert b"Inview is receiving too many large request bodies. Send this one again in 5 seconds." in refused
    assert small.status_code == 201
    assert "Traceback" not in caplog.text


MIB = 1024 * 1024


class Arrivals:
    """An application behind the limit that reads bodies and never answers. `arrived` counts its messages."""

    def __init__(self) -> None:
        self.arrived = asyncio.Semaphore(0)
        self._limit = BodyLimit(self._read, most=16 * MIB, larger={"/import": MAX_BYTES})

    async def _read(self, _scope: Scope, receive: Receive, _send: Send) -> None:
        more = True
        while more:
            more = (await receive()).get("more_body", False)
            self.arrived.release()
        await asyncio.Event().wait()

    async def send(self, path: str, *pieces: int, drips: bool = False) -> None:
        """Send a body of pieces of this many bytes. A body that drips does not end."""
        left = list(pieces)

        async def receive() -> Message:
            if not left:
                await asyncio.Event().wait()
            return {"type": "http.request", "body": b" " * left.pop(0), "more_body": drips or bool(left)}

        async def send(_message: Message) -> None:
            raise AssertionError("nothing is answered")

        await self._limit({"type": "http", "path": path, "headers": []}, receive, send)


@asynccontextmanager
async def in_progress() -> AsyncGenerator[list[asyncio.Task[None]]]:
    """A list of requests, which are cancelled at the end."""
    sending = list[asyncio.Task[None]]()
    try:
        yield sending
    finally:
        for one in sending:
            one.cancel()
        await asyncio.gather(*sending, return_exceptions=True)


async def test_the_largest_import_fits_with_small_requests_and_not_with_another_large_one() -> None:
    api = Arrivals()
    async with in_progress() as sending:
        for path, count in (("/send", 3), ("/import", MAX_BYTES // MIB)):
            sending.append(asyncio.create_task(api.send(path, *[MIB] * count)))
            for _ in range(count):
                await api.arrived.acquire()

        with pytest.raises(HTTPException, match="too many large request bodies") as refused:
            async with asyncio.timeout(HANG_SECONDS):
                await api.send("/send", *[MIB] * 4)
        sending.append(asyncio.create_task(api.send("/send", SMALL)))
        await api.arrived.acquire()

    assert refused.value.status_code == 503


@pytest.mark.parametrize("size", [1, SMALL])
async def test_bodies_of_any_number_of_requests_have_a_bound_together(size: int) -> None:
    api = Arrivals()
    room = (MAX_TOGETHER + MAX_MORE) // max(size, LEAST_HELD)
    async with in_progress() as sending:
        for _ in range(room):
            sending.append(asyncio.create_task(api.send("/send", size)))
            await api.arrived.acquire()

        with pytest.raises(HTTPException, match="too many large request bodies") as refused:
            async with asyncio.timeout(HANG_SECONDS):
                await api.send("/send", size)

    assert (refused.value.status_code, refused.value.headers) == (503, {"Retry-After": "5"})


async def test_slow_bodies_are_dropped_for_one_that_needs_their_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    api = Arrivals()
    clock = LoopClock.at_work(monkeypatch)
    async with in_progress() as sending:
        for _ in range(500):
            sending.append(asyncio.create_task(api.send("/send", MAX_TOGETHER // 500, drips=True)))
            await api.arrived.acquire()
            if len(sending) == 1:
                await clock.move(60)
        slowest = sending[0]
        await clock.move(60)
        sending.append(asyncio.create_task(api.send("/send", MIB)))
        await api.arrived.acquire()
        await take_turns()

        assert sum(one.done() for one in sending) == 8  # the others keep their memory
        with pytest.raises(HTTPException, match="This request body arrived too slowly") as answer:
            slowest.result()
        assert (answer.value.status_code, answer.value.headers) == (503, {"Retry-After": "5"})
