"""A small web site on this machine, for clients that should or should not visit it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from tests.sockets import serve_connections


@dataclass
class Site:
    """A site with the requests that it received: their paths, and their host names."""

    port: int = 0
    asked: list[str] = field(default_factory=list[str])
    hosts: list[str] = field(default_factory=list[str])


@asynccontextmanager
async def a_site(
    pages: Mapping[str, str | bytes],
    *,
    redirects: Mapping[str, str] | None = None,
    kind: str = "text/html; charset=utf-8",
    headers: str = "",
    hangs: bool = False,
    drips: float = 0.0,
) -> AsyncGenerator[Site]:
    site = Site()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        path = head.split(" ", 2)[1]
        site.asked.append(path)
        site.hosts.append(next(line[6:] for line in head.split("\r\n") if line.lower().startswith("host: ")))
        if hangs:
            await asyncio.sleep(60)
        if drips:
            await asyncio.sleep(drips)
        if away := (redirects or {}).get(path):
            writer.write(f"HTTP/1.1 302 Found\r\nLocation: {away}\r\nContent-Length: 0\r\n\r\n".encode())
        elif path in pages:
            page = pages[path]
            body = page if isinstance(page, bytes) else page.encode()
            start = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n{headers}Content-Length: {len(body)}\r\n\r\n"
            writer.write(start.encode())
            for at in range(len(body) if drips else 0):
                writer.write(body[at : at + 1])
                await writer.drain()
                await asyncio.sleep(drips)
            writer.write(b"" if drips else body)
        else:
            writer.write(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
        await writer.drain()

    async with serve_connections(serve) as site.port:
        yield site
