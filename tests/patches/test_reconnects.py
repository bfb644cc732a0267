"""A page that reconnects before the server has noticed the end of its old socket, and a second tab with its token."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from tests.patches.served import PATH, Server, serving


@pytest.fixture
async def server() -> AsyncGenerator[Server]:
    async with serving() as served:
        yield served


@asynccontextmanager
async def a_page(server: Server, payload: dict[str, Any]) -> AsyncGenerator[ClientConnection]:
    """Open a page of the tab "tab" that hydrates while it connects, as Reflex's page does."""
    url = f"ws://127.0.0.1:{server.port}{PATH}/?EIO=4&transport=websocket&token=tab"
    event = {"name": "root.hydrate_and_load", "payload": payload, "router_data": {}}
    async with connect(url, close_timeout=0.1) as page:
        assert str(await page.recv()).startswith("0")
        await page.send(f"40{PATH},{json.dumps({'event': event})}")
        yield page


async def text_until(page: ClientConnection, end: str) -> str:
    """Return all frames up to the one that contains `end`."""
    text = ""
    while end not in text:
        text += str(await asyncio.wait_for(page.recv(), 10))
    return text


async def test_a_page_that_comes_back_keeps_its_token_and_ends_its_old_socket(server: Server) -> None:
    async with a_page(server, {"hashes": {}}) as old:
        await text_until(old, "is_hydrated_rx_state_")
        async with a_page(server, {}) as new:
            greeting = await text_until(new, "is_hydrated_rx_state_")
            assert "new_token" not in greeting
            with pytest.raises(ConnectionClosed):
                await text_until(old, "nothing")

            await server.show("tab", rows=("a",))

            assert '"a"' in await text_until(new, "rows_rx_state_")


async def test_a_second_tab_with_the_same_token_gets_a_new_one(server: Server) -> None:
    async with a_page(server, {"hashes": {}}) as first, a_page(server, {"hashes": {}}) as second:
        await text_until(first, "is_hydrated_rx_state_")

        assert "new_token" in await text_until(second, "new_token")
        await server.show("tab", rows=("a",))
        assert '"a"' in await text_until(first, "rows_rx_state_")
