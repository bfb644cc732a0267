"""Browsers that read slowly or not at all, on real sockets: memory is bounded, and other tabs do not wait."""

from __future__ import annotations

import asyncio
import json
import secrets
import socket as sockets
from collections.abc import AsyncGenerator, Coroutine
from contextlib import asynccontextmanager
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection, connect

from app.patches import backlog, namespace
from app.patches.namespace import drained, is_congested
from tests.patches.rows import Row
from tests.patches.served import PATH, Server, serving
from tests.waiting import until


@pytest.fixture
async def server() -> AsyncGenerator[Server]:
    async with serving() as served:
        yield served


@asynccontextmanager
async def a_tab(server: Server, token: str, auth: str = "") -> AsyncGenerator[ClientConnection]:
    """Connect a tab with a small buffer: it reads only what the test reads. `auth`: what it says when it connects."""
    client = sockets.create_connection(("127.0.0.1", server.port))
    client.setsockopt(sockets.SOL_SOCKET, sockets.SO_RCVBUF, 32_768)
    url = f"ws://127.0.0.1:{server.port}{PATH}/?EIO=4&transport=websocket&token={token}"
    async with connect(url, sock=client, max_queue=1, max_size=None, close_timeout=0.1) as tab:
        assert str(await tab.recv()).startswith("0")
        await tab.send(f"40{PATH},{auth}")
        assert str(await tab.recv()).startswith(f"40{PATH}")
        yield tab


async def stuff(server: Server, token: str) -> int:
    """Send text that cannot be compressed until the socket takes no more; return its length."""
    sent = 0
    while not is_congested(token):
        text = secrets.token_urlsafe(150_000)
        await server.show(token, rows=(text,))
        sent += len(text)
        await asyncio.sleep(0.01)
        assert sent < 50_000_000
    return sent


async def turns_of(sending: Coroutine[object, object, None]) -> int:
    """Return the number of turns of the event loop that this takes: it waits only for its turn."""
    turns, task = 0, asyncio.create_task(sending)
    while not task.done():
        await asyncio.sleep(0)
        turns += 1
    return turns


async def no_update(*_: object, **__: object) -> None:
    raise AssertionError("The text was sent in an update.")


async def rows_of(tab: ClientConnection) -> Any:
    """Return the value of `rows` in the next frame that has one."""
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


async def test_text_is_added_without_an_update_to_what_a_tab_has(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with a_tab(server, "tab") as tab:
        await server.add(rows=(Row(1, "Once"),))
        assert [row["text"] for row in (await rows_of(tab))["whole"]] == ["Once"]

        monkeypatch.setattr(server, "show", no_update)
        half, other = "\ud83d", "\ude00"  # UTF-8 has no form for half of a pair of surrogates
        for text, more in (("Once upon", " upon"), (f"Once upon{half}", half), (f"Once upon{half}{other}", other)):
            await server.add(rows=(Row(1, text),))
            assert (await rows_of(tab))["patch"] == [["+", [0, "text"], more]]
        assert not is_congested("tab")


async def test_a_tab_that_reads_them_gets_texts_without_names(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    async with a_tab(server, "tab", '{"reads_added":true}') as tab:
        await server.add(rows=(Row(1, "Once"),))
        await rows_of(tab)
        monkeypatch.setattr(server, "show", no_update)
        await server.add(rows=(Row(1, "Once upon"),))
        assert (await rows_of(tab))["place"] == 1
        await server.add(rows=(Row(1, 'Once upon\n"a" time'),))

        assert await tab.recv() == f'42{PATH},+1,0D\n"a" time'


async def test_an_equal_scalar_is_sent_again_only_if_the_page_changes_it_itself(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    def is_shared(_state: str, var: str) -> bool:
        return var == "kept_rx_state_"

    monkeypatch.setattr(namespace, "is_shared", is_shared)
    async with a_tab(server, "tab") as tab:
        for mark in (1, 1, 2):
            await server.show("tab", kept="chats", mark=mark)

        frames = [str(await tab.recv()) for _ in range(3)]
        assert ['"kept_rx_state_":"chats"' in frame for frame in frames] == [True, True, True]
        assert ['"mark_rx_state_"' in frame for frame in frames] == [True, False, True]


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


async def test_a_stopped_reader_is_disconnected_at_a_limit_and_delays_no_other(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backlog, "MAX_CHARACTERS", 1_000_000)
    async with a_tab(server, "stopped"), a_tab(server, "other") as other:
        quiet = await turns_of(server.show("other", rows=("",)))
        await rows_of(other)
        await stuff(server, "stopped")
        sent = 0
        while server.client_of("stopped") is not None:
            await server.show("stopped", rows=(secrets.token_urlsafe(75_000),))
            sent += 100_000
            assert await turns_of(server.show("other", rows=(str(sent),))) == quiet
            assert (await rows_of(other))["$rev"]
            assert sent < 3_000_000
        await until(lambda: len(server.server.eio.sockets) == 1)


async def test_a_frame_larger_than_the_bound_is_read_whole(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backlog, "MAX_CHARACTERS", 100_000)
    large = secrets.token_urlsafe(750_000)
    async with a_tab(server, "tab") as tab:
        await server.show("tab", rows=(large,))
        await server.show("tab", rows=(large, "and what follows it"))

        assert (await rows_of(tab))["whole"] == [large]
        assert "and what follows it" in json.dumps((await rows_of(tab))["patch"])


async def test_a_reader_that_was_cut_off_comes_back_to_everything_whole(server: Server) -> None:
    async with a_tab(server, "tab") as tab:
        await server.show("tab", rows=("a",))
        await rows_of(tab)
        server.cut_all()
    async with a_tab(server, "tab") as tab:
        await server.show("tab", rows=("a", "b"))

        assert (await rows_of(tab))["whole"] == ["a", "b"]
