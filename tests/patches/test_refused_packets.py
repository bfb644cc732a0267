"""Packets that a page cannot send: they are no events, are nested deeply, or pretend that the connection ends."""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest
from websockets.asyncio.client import ClientConnection, connect

from app.patches.sampling import FIRST
from tests.patches.served import PATH, Server, serving
from tests.patches.test_reconnects import text_until


@asynccontextmanager
async def a_page(server: Server) -> AsyncGenerator[ClientConnection]:
    url = f"ws://127.0.0.1:{server.port}{PATH}/?EIO=4&transport=websocket&token=tab"
    async with connect(url, close_timeout=0.1) as page:
        assert str(await page.recv()).startswith("0")
        await page.send(f"40{PATH},")
        await text_until(page, "sid")
        yield page


def find_fault(_event: object) -> str:
    return "no handler has this name"


async def heard(page: ClientConnection) -> None:
    """Wait until the server has read everything that was sent."""
    await page.send(f'42{PATH},["ping"]')
    await text_until(page, "pong")


@pytest.mark.parametrize(
    "packet",
    [
        '["event",' + "[" * 5_000 + "]" * 5_000 + "]",
        '["event",' + '{"a":' * 500 + "1" + "}" * 500 + "]",
        '["event",' + "[" * 60 + "]" * 60 + "]",
        '["event",{"secret"',
        '{"secret":1}',
        "[]",
        '[["secret"]]',
        '["secret"]',
        '["disconnect"]',
        '["disconnect","secret"]',
        '["connect",{"QUERY_STRING":"token=secret"}]',
    ],
)
async def test_a_packet_that_no_page_sends_is_a_line_of_the_log_and_nothing_else(
    packet: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with serving() as server, a_page(server) as page:
        await page.send(f"42{PATH},{packet}")
        await heard(page)

        await server.show("tab", rows=("a",))
        assert '"a"' in await text_until(page, "rows_rx_state_")

    lines = [record for record in caplog.records if record.levelno >= logging.WARNING]
    assert [record.getMessage().partition(" ")[0] for record in lines] == ["Refused"]
    assert not any(record.exc_info or "secret" in record.getMessage() for record in lines)


async def test_many_refused_events_are_a_few_lines_without_their_data(caplog: pytest.LogCaptureFixture) -> None:
    event = json.dumps(["event", {"name": "secret", "payload": {"text": "secret"}}])
    async with serving() as server, a_page(server) as page:
        server._find_fault = find_fault  # pyright: ignore[reportPrivateUsage]
        await page.send(f'42{PATH},["disconnect"]')
        for _ in range(200):
            await page.send(f"42{PATH},{event}")
        await heard(page)

    lines = [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]
    assert len(lines) == FIRST
    assert not any("secret" in line for line in lines)
