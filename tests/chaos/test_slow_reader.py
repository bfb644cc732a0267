"""A browser on a line of 1 KB per second, at a real server: it costs bounded memory and delays no other client."""

from __future__ import annotations

import asyncio
import socket as sockets
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from websockets.asyncio.client import ClientConnection, connect

from tests.bench.instruments.machine import proportional_megabytes
from tests.bench.instruments.reflex_page import TRANSCRIPT, ReflexPage
from tests.e2e.written import call
from tests.serving import serving

ASKED = "/long 60000 /rate 0"
REPLY_BYTES = 200_000
"""Minimum length of the reply: far more than fits into the buffers on the way."""
BOUND_MB = 40.0
"""Maximum memory added by a reply of this length, its two pages and everything queued for the slow page."""


@dataclass
class Line:
    """Limits of the line from the server: `rate` bytes per second. The first `head` bytes pass freely, to open the
    page.
    """

    rate: int
    head: int
    passed: int = 0

    async def carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while chunk := await reader.read(4096 if self.passed < self.head else self.rate // 4):
            self.passed += len(chunk)
            writer.write(chunk)
            await writer.drain()
            if self.passed >= self.head:
                await asyncio.sleep(len(chunk) / self.rate)
        writer.close()


@asynccontextmanager
async def a_line(line: Line, port: int) -> AsyncGenerator[str]:
    """Yield the address at which the server on `port` is reached through this line."""

    async def relay(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        served = sockets.create_connection(("127.0.0.1", port))
        served.setsockopt(sockets.SOL_SOCKET, sockets.SO_RCVBUF, 16_384)
        served.setblocking(False)
        from_server, to_server = await asyncio.open_connection(sock=served, limit=4096)
        there = asyncio.create_task(Line(10**9, 10**12).carry(reader, to_server))
        try:
            await line.carry(from_server, writer)
        except ConnectionError:
            writer.close()
        finally:
            there.cancel()
            to_server.close()

    async with await asyncio.start_server(relay, "127.0.0.1", 0, limit=4096) as server:
        host, own_port = server.sockets[0].getsockname()
        yield f"{host}:{own_port}"


async def read_until_end(page: ReflexPage, socket: ClientConnection) -> None:
    """Read until the reply ends."""
    while page.shown(TRANSCRIPT, "ended") in (None, ""):
        await page.read(socket)


def text_of(page: ReflexPage) -> str:
    return "".join(part["text"] for part in page.shown(TRANSCRIPT, "pairs")[-1]["parts"])


@pytest.mark.exhaustive
async def test_a_reader_at_a_kilobyte_a_second_costs_bounded_memory_and_delays_no_other(tmp_path: Path) -> None:
    with serving(tmp_path / "data", {}) as server:
        warm, created = (call(server.url, "POST", "/conversations", {"model": "offline:demo"})["id"] for _ in range(2))
        # what the first reply loads stays in memory
        call(server.url, "POST", f"/conversations/{warm}/send", {"text": ASKED})
        line = Line(rate=1024, head=200_000)
        async with a_line(line, server.port) as address:
            await watch_a_reply(server.url, server.process.pid, created, line, address)


async def watch_a_reply(url: str, pid: int, conversation: str, line: Line, address: str) -> None:
    slow, quick = ReflexPage(f"/c/{conversation}"), ReflexPage(f"/c/{conversation}")
    async with (
        connect(slow.url(address), max_size=None, max_queue=1, ping_interval=None) as slow_socket,
        connect(quick.url(url.removeprefix("http://")), max_size=None, ping_interval=None) as quick_socket,
    ):
        await slow.open(slow_socket)
        await quick.open(quick_socket)
        line.head = 0  # from now on the line is slow
        before = proportional_megabytes(pid)
        reading = asyncio.create_task(read_until_end(slow, slow_socket))
        ending = asyncio.create_task(read_until_end(quick, quick_socket))
        await asyncio.to_thread(call, url, "POST", f"/conversations/{conversation}/send", {"text": ASKED})
        await asyncio.wait_for(ending, 60)
        after = proportional_megabytes(pid)
        assert len(text_of(quick).encode()) > REPLY_BYTES
        assert not reading.done(), "The slow reader has all of it: the line is not slow."
        assert after - before < BOUND_MB

        line.rate = 10**8  # the line is fast again
        await asyncio.wait_for(reading, 60)
        assert text_of(slow) == text_of(quick)
