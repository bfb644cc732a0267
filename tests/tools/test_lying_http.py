"""Servers over HTTP that lie: each lie has a clear outcome, and nothing hangs."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from app.domain.tools.tool_servers import OverHttp
from app.domain.tools.tools import ToolFailedError, ToolFault
from app.tools.mcp.link import CLOSE_SECONDS
from app.tools.mcp.sessions import LIST_SECONDS, Health, ServerSession
from tests.runs.clock import HANG_SECONDS, LoopClock
from tests.sockets import serve_connections
from tests.tools.servers import a_session, ask

Lie = Callable[[dict[str, Any]], Awaitable[bytes] | bytes | None]


def _answer(message: Any, kind: str = "application/json", status: int = 200) -> bytes:
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    head = f"HTTP/1.1 {status} So\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


def _result(asked: dict[str, Any], **result: Any) -> bytes:
    return _answer({"jsonrpc": "2.0", "id": asked["id"], "result": result})


def answer_other(asked: dict[str, Any]) -> bytes:
    """Return the answer to every request that is not a call."""
    answer = _serve(asked, lambda _: None)
    assert isinstance(answer, bytes)
    return answer


def _serve(asked: dict[str, Any], call: Lie) -> Awaitable[bytes] | bytes | None:
    match asked.get("method"):
        case "initialize":
            about = {"name": "liar", "version": "1"}
            return _result(asked, protocolVersion="2025-06-18", capabilities={"tools": {}}, serverInfo=about)
        case "tools/list":
            return _result(asked, tools=[{"name": "act", "inputSchema": {"type": "object"}}])
        case "tools/call":
            return call(asked)
        case _ if "id" in asked:
            return _answer({"jsonrpc": "2.0", "id": asked["id"], "error": {"code": -32601, "message": "not known"}})
        case _:
            return b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n"


DRIP = b"HTTP/1.1 200 So\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
"""The beginning of an answer that does not end."""


@asynccontextmanager
async def serve_lies(lie: Lie, ending: asyncio.Event | None = None) -> AsyncGenerator[OverHttp]:
    """Serve a server over HTTP that answers requests with this; None: never.

    With `ending`, it sets that event at the end of a session, and its answer then drips.
    """

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
            length = next((int(line[15:]) for line in head.split("\r\n") if line.startswith("content-length:")), 0)
            if ending is not None and head.startswith("delete"):
                ending.set()
                writer.write(DRIP)
                continue
            if not head.startswith("post"):
                writer.write(b"HTTP/1.1 405 No\r\nContent-Length: 0\r\n\r\n")
                continue
            answer = lie(json.loads(await reader.readexactly(length)))
            if answer is None:
                await asyncio.Event().wait()
                return
            if isinstance(answer, Awaitable):
                answer = await answer
            writer.write(answer)
            if b"Content-Length" not in answer:
                return

    async with serve_connections(serve) as port:
        yield OverHttp(f"http://127.0.0.1:{port}/mcp", allow_private=True)


@asynccontextmanager
async def a_liar(call: Lie) -> AsyncGenerator[ServerSession]:
    """Open a session with a server over HTTP that answers calls with this; None: never."""
    async with serve_lies(lambda asked: _serve(asked, call)) as way, a_session(way) as session:
        await session.settle(30)
        yield session


FAILS = {ToolFault.PROTOCOL, ToolFault.DIED}
LIES: list[tuple[Lie, float, set[ToolFault]]] = [
    (lambda _: None, 0.4, {ToolFault.TIMED_OUT}),
    (lambda _: _answer(b"<html>Sign in</html>", "text/html"), 20, FAILS),
    (lambda _: _answer(b"{]"), 20, FAILS),
    (lambda _: _answer(b"oops", "text/plain", 500), 20, FAILS),
    (lambda _: _answer({"jsonrpc": "2.0", "id": 99, "result": {"content": []}}), 0.4, set(ToolFault)),
    (lambda _: _answer(b"data: {]\n\n", "text/event-stream"), 0.4, set(ToolFault)),
    (lambda _: _answer(b" " * 17_000_000), 20, {ToolFault.TOO_LARGE}),
    (lambda _: b"HTTP/1.1 200 So\r\n", 20, FAILS),
]


@pytest.mark.parametrize(
    ("call", "seconds", "faults"),
    LIES,
    ids=["hangs", "a page", "no JSON", "an error", "another's id", "a broken stream", "a huge body", "hangs up"],
)
async def test_server_over_http_that_lies_gives_a_fault_in_words(
    call: Lie, seconds: float, faults: set[ToolFault]
) -> None:
    async with a_liar(call) as session:
        async with asyncio.timeout(25):
            with pytest.raises(ToolFailedError) as caught:
                await ask(session, "act", seconds=seconds)

    assert caught.value.fault in faults, str(caught.value)
    assert '"act" of "lab"' in str(caught.value)


async def test_each_of_two_calls_at_the_same_time_has_its_own_fault() -> None:
    asked_to_refuse, refuse = asyncio.Event(), asyncio.Event()

    async def answer(asked: dict[str, Any]) -> bytes:
        if asked["params"]["arguments"] == {"how": "huge"}:
            return _answer(b" " * 17_000_000)
        asked_to_refuse.set()
        await refuse.wait()
        return _answer({"jsonrpc": "2.0", "id": asked["id"], "error": {"code": -32000, "message": "I will not"}})

    async with a_liar(answer) as session, asyncio.timeout(25):
        other = asyncio.create_task(ask(session, "act", how="refuse", seconds=20))
        await asked_to_refuse.wait()
        with pytest.raises(ToolFailedError, match="it sent more than 11,000,000 bytes"):
            await ask(session, "act", how="huge", seconds=20)
        refuse.set()
        with pytest.raises(ToolFailedError, match="was refused: I will not"):
            await other


async def test_server_whose_list_of_tools_drips_is_reported_as_too_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    begun = asyncio.Event()

    def drip(asked: dict[str, Any]) -> Awaitable[bytes] | bytes | None:
        if asked.get("method") != "tools/list":
            return _serve(asked, lambda _: None)
        begun.set()
        return DRIP

    words = "The server took longer than 60 seconds to list its tools, resources and prompts"
    async with serve_lies(drip) as way, a_session(way) as session:
        await begun.wait()
        begun.clear()
        await LoopClock.at_work(monkeypatch).move(LIST_SECONDS)
        first = (session.health, session.problem)
        await begun.wait()
        second = (session.health, session.problem)

    assert (first, second) == ((Health.WAITING, words), (Health.STARTING, words))


async def test_server_that_drips_at_the_end_of_its_session_is_connected_to_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun, ending = asyncio.Event(), asyncio.Event()

    def drip(asked: dict[str, Any]) -> Awaitable[bytes] | bytes | None:
        if asked.get("method") == "tools/list":
            begun.set()
            return DRIP
        answer = answer_other(asked)
        return answer.replace(b"\r\n", b"\r\nMcp-Session-Id: a\r\n", 1)

    async with (
        serve_lies(drip, ending) as way,
        a_session(way) as session,
        asyncio.timeout(HANG_SECONDS + LIST_SECONDS + CLOSE_SECONDS),
    ):
        await begun.wait()
        begun.clear()
        clock = LoopClock.at_work(monkeypatch)
        await clock.move(LIST_SECONDS)
        await ending.wait()
        await clock.move(CLOSE_SECONDS)
        await begun.wait()

        assert session.health is Health.STARTING
