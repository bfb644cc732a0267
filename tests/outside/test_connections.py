"""Hostile connections to Inview, apart from bodies: refused with a message, within limits, with a line in the log."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress

import pytest
from starlette.types import Receive, Scope, Send
from websockets.asyncio.client import ClientConnection, connect
from websockets.frames import Frame, Opcode

from app.patches.sampling import Sampler
from app.web import refusals
from app.web.request_parser import HEAD_SECONDS, MAX_REST, REST_SECONDS
from app.web.sockets import MAX_CONTROLS, MAX_FRAMES, MAX_MESSAGE, MAX_UNFINISHED, SocketProtocol
from tests.api.served import Served, serve
from tests.outside.memory import Memory
from tests.runs.clock import LoopClock

HOST = b"Host: 127.0.0.1\r\n"
POST = b"POST / HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\n"
HEADS = {
    "an address without end": (b"GET /", b"a" * 65_536, b"431"),
    "a header without end": (b"GET / HTTP/1.1\r\nA: ", b"a" * 65_536, b"431"),
    "a name of a header without end": (b"GET / HTTP/1.1\r\nA", b"a" * 65_536, b"431"),
    "headers without end": (b"GET / HTTP/1.1\r\n" + HOST, b"A: b\r\n" * 10_000, b"431"),
    "headers after the body without end": (POST + b"2\r\n{}\r\n0\r\n", b"A: b\r\n" * 10_000, b"431"),
    "the extension of a chunk without end": (POST + b"2;a=", b"a" * 65_536, b"431"),
    "waiting requests": (b"", (b"GET / HTTP/1.1\r\n" + HOST + b"\r\n") * 2_000, b"429"),
}
MOST_MB = 64
"""Additional memory for reading."""


@pytest.fixture(autouse=True)
def log_of_this_test(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(refusals, "_sampler", Sampler(logging.getLogger(refusals.__name__).warning))


async def stay_silent(scope: Scope, receive: Receive, send: Send) -> None:
    """Read everything, and answer nothing until the client has disconnected."""
    del scope, send
    while (await receive())["type"] != "http.disconnect":
        pass


async def take_all(scope: Scope, receive: Receive, send: Send) -> None:
    """Accept a socket, and answer each message with its length."""
    del scope
    await receive()
    await send({"type": "websocket.accept"})
    while (message := await receive())["type"] == "websocket.receive":
        await send({"type": "websocket.send", "text": str(len(message["text"]))})


@pytest.mark.parametrize("name", HEADS)
async def test_a_head_without_end_is_refused(name: str, caplog: pytest.LogCaptureFixture) -> None:
    first, rest, status = HEADS[name]
    async with serve(stay_silent) as served:
        reader, writer = await asyncio.open_connection(*served.host.split(":"))
        memory = Memory.now()
        answered = asyncio.ensure_future(reader.readline())
        writer.write(first)
        sent = 0
        while not answered.done() and sent < 100_000_000:
            writer.write(rest)
            sent += len(rest)
            drained = asyncio.ensure_future(writer.drain())
            await asyncio.wait({answered, drained}, return_when=asyncio.FIRST_COMPLETED, timeout=20)
            assert answered.done() or drained.done(), "nothing is read and nothing is answered"
            await asyncio.sleep(0)
        assert answered.done()
        assert answered.result().split()[1:2] == [status]
        assert memory.growth() <= MOST_MB
        writer.transport.abort()

    assert caplog.text.count("Refused a request: ") == 1


async def test_a_head_that_drips_is_left_when_its_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    async with serve(stay_silent) as served:
        clock = LoopClock.at_work(monkeypatch)
        reader, writer = await asyncio.open_connection(*served.host.split(":"))
        answered = asyncio.ensure_future(reader.readline())
        while not answered.done() and clock.ahead <= 3 * HEAD_SECONDS:
            writer.write(b"\r\n")
            await clock.move(HEAD_SECONDS / 20)
        assert answered.done()
        assert b"408" in answered.result()
        writer.transport.abort()


async def answer_at_once(scope: Scope, receive: Receive, send: Send) -> None:
    """Refuse a request without reading its body."""
    del scope, receive
    await send({"type": "http.response.start", "status": 413, "headers": [(b"content-length", b"0")]})
    await send({"type": "http.response.body", "body": b""})


async def test_a_body_that_continues_after_its_answer_is_dropped(caplog: pytest.LogCaptureFixture) -> None:
    block = b"100000\r\n" + bytes(0x100000) + b"\r\n"
    async with serve(answer_at_once) as served:
        reader, writer = await asyncio.open_connection(*served.host.split(":"))
        writer.write(POST + block)
        assert b"413" in await reader.readuntil(b"\r\n\r\n")
        sent = 0
        while not writer.is_closing() and sent < 4 * MAX_REST:
            writer.write(block)
            sent += len(block)
            with suppress(ConnectionError):
                await writer.drain()
        writer.transport.abort()

    assert MAX_REST // 2 < sent < 2 * MAX_REST
    assert "The request body continued after the response." in caplog.text


async def answer_with_the_path(scope: Scope, receive: Receive, send: Send) -> None:
    del receive
    length = str(len(scope["path"])).encode()
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", length)]})
    await send({"type": "http.response.body", "body": scope["path"].encode()})


BROKEN = {
    "no request at all": (b"\0\r\n\r\n", b"400"),
    "a header without end": (b"GET /c HTTP/1.1\r\nA: " + b"a" * 200_000, b"431"),
}


@pytest.mark.parametrize("name", BROKEN)
async def test_requests_before_one_that_is_refused_get_their_own_answers(name: str) -> None:
    broken, status = BROKEN[name]
    async with serve(answer_with_the_path) as served:
        reader, writer = await asyncio.open_connection(*served.host.split(":"))
        writer.write(b"".join(b"GET %b HTTP/1.1\r\n%b\r\n" % (path, HOST) for path in (b"/a", b"/b")) + broken)
        answer = await reader.read()
        writer.transport.abort()

    statuses = [line.split()[1] for line in answer.split(b"\r\n") if b"HTTP/1.1 " in line]
    assert statuses == [b"200", b"200", status]
    assert answer.index(b"/a") < answer.index(b"/b")


REFUSED_LATE = {
    "a body": (b"POST / HTTP/1.1\r\nConnection: close\r\nContent-Length: 33554432\r\n" + HOST + b"\r\n", b"413"),
    "headers": (b"GET / HTTP/1.1\r\n" + HOST + b"A: ", b"431"),
}


@pytest.mark.parametrize("name", REFUSED_LATE)
async def test_a_client_that_reads_after_it_has_sent_all_reads_why_it_is_refused(name: str) -> None:
    head, status = REFUSED_LATE[name]
    block = b" " * 0x100000
    async with serve(answer_at_once) as served:
        reader, writer = await asyncio.open_connection(*served.host.split(":"))
        writer.write(head)
        for _ in range(32):
            writer.write(block)
            await writer.drain()
        writer.write_eof()
        answer = await reader.read()
        writer.transport.abort()

    assert answer.split()[1] == status


async def test_a_body_that_drips_after_the_last_answer_of_a_connection_is_left(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with serve(answer_at_once) as served:
        clock = LoopClock.at_work(monkeypatch)
        reader, writer = await asyncio.open_connection(*served.host.split(":"))
        writer.write(POST.replace(HOST, HOST + b"Connection: close\r\n") + b"1\r\n \r\n")
        assert b"413" in await reader.read()  # up to the end of the answer
        (connection,) = served.server.server_state.connections
        while not connection.transport.is_closing() and clock.ahead <= 3 * REST_SECONDS:
            writer.write(b"1\r\n \r\n")
            await clock.move(REST_SECONDS / 20)
        assert connection.transport.is_closing()
        writer.transport.abort()

    assert "The request body continued after the response." in caplog.text


async def test_a_body_that_drips_after_its_answer_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    async with serve(answer_at_once) as served:
        clock = LoopClock.at_work(monkeypatch)
        reader, writer = await asyncio.open_connection(*served.host.split(":"))
        writer.write(POST + b"1\r\n \r\n")
        assert b"413" in await reader.readuntil(b"\r\n\r\n")
        ended = asyncio.ensure_future(reader.read())
        while not ended.done() and clock.ahead <= 3 * REST_SECONDS:
            writer.write(b"1\r\n \r\n")
            await clock.move(REST_SECONDS / 20)
        assert ended.done()
        writer.transport.abort()


async def test_a_connection_whose_body_ended_after_its_answer_serves_on() -> None:
    async with serve(answer_at_once) as served:
        reader, writer = await asyncio.open_connection(*served.host.split(":"))
        for _ in range(3):
            writer.write(POST + b"1\r\n \r\n")
            assert b"413" in await reader.readuntil(b"\r\n\r\n")
            writer.write(b"0\r\n\r\n" + POST)
            assert b"413" in await reader.readuntil(b"\r\n\r\n")
            writer.write(b"0\r\n\r\n")
        writer.transport.abort()


async def test_a_connection_on_which_nothing_comes_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    async with serve(stay_silent) as served:
        clock = LoopClock.at_work(monkeypatch)
        reader, writer = await asyncio.open_connection(*served.host.split(":"))
        ended = asyncio.ensure_future(reader.read())
        while not ended.done() and clock.ahead <= 3 * HEAD_SECONDS:
            await clock.move(HEAD_SECONDS / 20)
        assert ended.done()
        assert ended.result() == b""
        writer.close()


@asynccontextmanager
async def a_socket(served: Served) -> AsyncGenerator[ClientConnection]:
    async with connect(f"ws://{served.host}/", max_size=None, compression=None, ping_interval=None) as socket:
        yield socket


async def closed(socket: ClientConnection) -> str:
    """Return why the server closes the socket."""
    async with asyncio.timeout(20):
        await socket.wait_closed()
    assert socket.close_code != 1006, "the connection was lost"
    return socket.close_reason or ""


def put(socket: ClientConnection, *frames: Frame) -> None:
    """Send frames unchanged and immediately."""
    socket.transport.write(b"".join(frame.serialize(mask=True, extensions=[]) for frame in frames))


async def test_the_largest_text_of_the_page_takes_little_memory_and_one_that_is_larger_as_text_is_refused(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with serve(take_all, ws=SocketProtocol) as served, a_socket(served) as socket:
        memory = Memory.now()
        await socket.send("😀" * 4_000_000)
        assert await socket.recv() == "4000000"
        assert memory.growth() <= MOST_MB + 32  # includes the client's half
        await socket.send("x" * (MAX_MESSAGE // 4) + "😀")
        assert "bytes as text" in await closed(socket)
    assert caplog.text.count("Closed a socket because of what it sent: ") == 1


async def test_frames_without_end_close_the_socket(caplog: pytest.LogCaptureFixture) -> None:
    async with serve(take_all, ws=SocketProtocol) as served, a_socket(served) as socket:
        put(socket, Frame(Opcode.TEXT, b"", fin=False), *[Frame(Opcode.CONT, b"", fin=False)] * (MAX_FRAMES + 1))
        assert f"A message may have at most {MAX_FRAMES:,} frames." in await closed(socket)
    assert "1,000 frames" in caplog.text


async def test_pings_without_end_close_the_socket() -> None:
    async with serve(take_all, ws=SocketProtocol) as served, a_socket(served) as socket:
        for _ in range(MAX_CONTROLS + 1):
            await socket.ping()
        assert "pings" in await closed(socket)


async def test_messages_without_end_close_the_socket() -> None:
    async def read_nothing(scope: Scope, receive: Receive, send: Send) -> None:
        del scope
        await receive()
        await send({"type": "websocket.accept"})
        await asyncio.Event().wait()

    async with serve(read_nothing, ws=SocketProtocol) as served, a_socket(served) as socket:
        put(socket, *[Frame(Opcode.TEXT, b"x")] * 2_000)
        assert "messages may wait" in await closed(socket)


async def test_unfinished_messages_of_many_connections_have_a_bound_together() -> None:
    async with serve(take_all, ws=SocketProtocol) as served:
        half = Frame(Opcode.TEXT, b"x" * (MAX_UNFINISHED // 4), fin=False)
        sockets = [await connect(f"ws://{served.host}/", compression=None, ping_interval=None) for _ in range(5)]
        for socket in sockets:
            put(socket, half)
        ended = [asyncio.ensure_future(closed(socket)) for socket in sockets]
        done, others = await asyncio.wait(ended, return_when=asyncio.FIRST_COMPLETED)
        assert "too many large messages" in done.pop().result()
        for other in others:
            other.cancel()
        async with a_socket(served) as another:  # a small request still fits
            await another.send("x")
            assert await another.recv() == "1"
        for socket in sockets:
            socket.transport.abort()
