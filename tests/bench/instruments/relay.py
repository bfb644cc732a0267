"""Bytes on the wire: a relay between a browser and a server that counts what passes.

DevTools reports the length of a websocket's messages before compression.

    async with Relay("127.0.0.1:3453") as relay:
        await tab.go(relay.through("http://127.0.0.1:3453/c/…"))
        relay.bytes      # so far, in both directions: TCP's payload, with the headers of requests and frames
"""

from __future__ import annotations

import asyncio
from typing import Self
from urllib.parse import urlsplit

CHUNK = 65_536


class Relay:
    """A relay on a free port of this machine that passes everything on to `address`."""

    def __init__(self, address: str) -> None:
        self.bytes = 0
        self._address = address
        self._pumps: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        self._own = f"127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *fault: object) -> None:
        self._server.close()
        for pump in self._pumps:
            pump.cancel()
        await asyncio.gather(*self._pumps, return_exceptions=True)

    def through(self, url: str) -> str:
        """Return the URL of the same page through this relay."""
        return urlsplit(url)._replace(netloc=self._own).geturl()

    async def _connected(self, browser_in: asyncio.StreamReader, browser_out: asyncio.StreamWriter) -> None:
        host, _, port = self._address.partition(":")
        server_in, server_out = await asyncio.open_connection(host, int(port))
        for source, sink in ((browser_in, server_out), (server_in, browser_out)):
            pump = asyncio.create_task(self._pump(source, sink))
            self._pumps.add(pump)
            pump.add_done_callback(self._pumps.discard)

    async def _pump(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        try:
            while chunk := await source.read(CHUNK):
                self.bytes += len(chunk)
                sink.write(chunk)
                await sink.drain()
        except ConnectionError:
            pass  # a browser closes a page without a notice
        finally:
            sink.close()
