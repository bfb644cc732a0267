"""The server that tests start: warnings about its remains would be reported for a later test."""

from __future__ import annotations

import asyncio
import gc
import socket

import pytest
from starlette.types import Receive, Scope, Send

from app.web.request_parser import RequestProtocol
from tests.api.served import serve
from tests.runs.clock import take_turns


async def answer_nothing(scope: Scope, receive: Receive, send: Send) -> None: ...


@pytest.mark.parametrize("turns", range(6))
async def test_connection_that_comes_as_the_server_ends_is_closed(monkeypatch: pytest.MonkeyPatch, turns: int) -> None:
    made: list[asyncio.Transport] = []
    make = RequestProtocol.connection_made

    def note(self: RequestProtocol, transport: asyncio.Transport) -> None:
        made.append(transport)
        make(self, transport)

    monkeypatch.setattr(RequestProtocol, "connection_made", note)
    async with serve(answer_nothing) as served:
        host, port = served.host.split(":")
        client = socket.create_connection((host, int(port)))
        for _ in range(turns):
            await asyncio.sleep(0)
    with client:
        await take_turns()
        gc.collect()  # a transport that was left open warns now, and not in a later test

        assert all(transport.is_closing() for transport in made)
