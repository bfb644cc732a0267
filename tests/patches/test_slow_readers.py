"""Browsers that read slowly or not at all, on real sockets: bounded memory, and nobody else waits."""

from __future__ import annotations

import asyncio
import json
import secrets
import socket as sockets
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection, connect

from app.patches import backlog
from app.patches.namespace import drained, is_congested
from tests.patches.served import PATH, Server, serving


@pytest.fixture
async def server() -> AsyncGenerator[Server]:
    async with serving() as served:
        yield served


@asynccontextmanager
async def a_tab(server: Server, token: str) -> AsyncGenerator[ClientConnection]:
    """A connected tab with a small buffer: nothing is read unless the test does it."""
    client = sockets.create_connection(("127.0.0.1", server.port))
    client.setsockopt(sockets.SOL_SOCKET, sockets.SO_RCVBUF, 32_768)
    url = f"ws://127.0.0.1:{server.port}{PATH}/?EIO=4&transport=websocket&token={token}"
    async with connect(url, sock=client, max_queue=1, max_size=None, close_timeout=0.1) as tab:
        assert str(await tab.recv()).startswith("0")
        await tab.send(f"40{PATH},")
        assert str(await tab.recv()).startswith(f"40{PATH}")
        yield tab


async def stuff(server: Server, token: str) -> int:
    """Send text that cannot be compressed until the socket takes no more; return how much that was."""
    sent = 0
    while not is_congested(token):
        text = secrets.token_urlsafe(150_000)
        await server.show(token, rows=(text,))
        sent += len(text)
        await asyncio.sleep(0.01)
        assert sent < 50_000_000
    return sent


async def rows_of(tab: ClientConnection) -> Any:
    """What the next frame about `rows` says."""
    while True:
        frame = str(await tab.recv())
        if "rows_rx_state_" in frame:
            return json.loads(frame[frame.index("[") :])[1]["delta"]["root"]["rows_rx_state_"]


async def test_a_reader_that_keeps_up_is_not_waited_for(server: Server) -> None:
    async with a_tab(server, "quick") as tab:
        await server.show("quick", rows=("a",))
        assert (await rows_of(tab))["whole"] == ["a"]
        assert not is_congested("quick")
        assert await drained("quick", within=0)


async def test_a_follower_waits_for_a_reader_that_stopped_until_it_reads_again(server: Server) -> None:
    async with a_tab(server, "slow") as tab:
        await stuff(server, "slow")
        assert not await drained("slow", within=0.05)

        waiting = asyncio.create_task(drained("slow"))
        while not waiting.done():
            await asyncio.wait_for(tab.recv(), 10)

        assert await waiting


async def test_a_follower_does_not_wait_for_a_reader_that_went(server: Server) -> None:
    async with a_tab(server, "gone") as tab:
        await stuff(server, "gone")
        waiting = asyncio.create_task(drained("gone"))
        await asyncio.sleep(0)
        tab.transport.abort()

        assert await asyncio.wait_for(waiting, 10)
    assert not is_congested("gone")


async def test_a_reader_that_stopped_is_cut_off_at_a_bound_and_delays_nobody(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backlog, "MAX_CHARACTERS", 1_000_000)
    async with a_tab(server, "stopped"), a_tab(server, "other") as other:
        await stuff(server, "stopped")
        sent = 0
        while server.client_of("stopped") is not None:
            await server.show("stopped", rows=(secrets.token_urlsafe(75_000),))
            sent += 100_000
            started = asyncio.get_running_loop().time()
            await server.show("other", rows=(str(sent),))
            assert (await rows_of(other))["$rev"]
            assert asyncio.get_running_loop().time() - started < 0.5
            assert sent < 3_000_000
        await asyncio.sleep(0.1)
        assert len(server.server.eio.sockets) == 1


async def test_a_reader_that_was_cut_off_comes_back_to_everything_whole(server: Server) -> None:
    async with a_tab(server, "tab") as tab:
        await server.show("tab", rows=("a",))
        await rows_of(tab)
        server.cut_all()
    async with a_tab(server, "tab") as tab:
        await server.show("tab", rows=("a", "b"))

        assert (await rows_of(tab))["whole"] == ["a", "b"]


async def test_a_writer_is_passed_by_only_while_it_waits_with_nothing_in_its_hands() -> None:
    queue: asyncio.Queue[str] = asyncio.Queue()
    waits, given = backlog.Backlog(queue), list[str]()

    async def write() -> None:
        while True:
            given.append(await asyncio.wait_for(queue.get(), 10))  # as Engine.IO does, through a task

    assert not waits.is_awaited, "nobody writes yet"
    writer = asyncio.create_task(write())
    for _ in range(3):
        await asyncio.sleep(0)
    assert waits.is_awaited
    queue.put_nowait("frame")
    while not given:
        assert not waits.is_awaited, "it was given a frame and has not written it"
        await asyncio.sleep(0)
    await asyncio.sleep(0.01)
    assert waits.is_awaited
    writer.cancel()


async def test_what_is_sent_at_once_keeps_its_order_with_what_waited(server: Server) -> None:
    async with a_tab(server, "quick") as tab:
        await server.show("quick", rows=("0",))
        for number in range(1, 200):
            await server.show("quick", rows=(str(number),))
            if number % 7 == 0:
                await server.server.eio.send(server.client_of("quick").socket.sid, "2/_event,[]")  # pyright: ignore[reportOptionalMemberAccess]
            if number % 11 == 0:
                await asyncio.sleep(0)
        assert [(await rows_of(tab))["$rev"][1] for _ in range(200)] == list(range(1, 201))
