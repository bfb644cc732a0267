"""A line to a server on this machine, which a test can cut: nothing arrives then, as in a partitioned network.

async with Line.to_socket(folder, ".s.PGSQL.5432") as line:   # programs connect to a socket so named in `line.folder`
async with Line.to_port(6379) as line:                        # or to `line.port`
    line.cut()
    line.mend()
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]
CHUNK = 65_536


@dataclass
class Line:
    """`connect` reaches the server. While the line is cut nothing gets through, and nobody hears that it does not."""

    connect: Callable[[], Awaitable[Streams]]
    folder: Path = Path()
    port: int = 0
    _open: asyncio.Event = field(default_factory=asyncio.Event)
    _writers: set[asyncio.StreamWriter] = field(default_factory=set[asyncio.StreamWriter])

    def cut(self) -> None:
        """Hold everything back from now on."""
        self._open.clear()

    def mend(self) -> None:
        """Close the connections there were, as a router that has forgotten them does, and let new ones through."""
        self._open.set()
        for writer in self._writers:
            writer.transport.abort()

    @classmethod
    @asynccontextmanager
    async def to_socket(cls, folder: Path, name: str) -> AsyncGenerator[Line]:
        """A line to the socket of this name in a folder."""
        with TemporaryDirectory(prefix="inview-line-", dir="/tmp") as own:  # the path of a socket has 107 bytes at most
            line = cls(lambda: asyncio.open_unix_connection(folder / name), folder=Path(own))
            async with await asyncio.start_unix_server(line._answer, Path(own) / name):
                yield line.opened()
                line.mend()

    @classmethod
    @asynccontextmanager
    async def to_port(cls, port: int) -> AsyncGenerator[Line]:
        """A line to a port of 127.0.0.1."""
        line = cls(lambda: asyncio.open_connection("127.0.0.1", port))
        async with await asyncio.start_server(line._answer, "127.0.0.1", 0) as server:
            line.port = server.sockets[0].getsockname()[1]
            yield line.opened()
            line.mend()

    def opened(self) -> Line:
        """The line, which lets through what comes."""
        self._open.set()
        return self

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        try:
            await self._open.wait()
            there, back = await self.connect()
            self._writers.add(back)
            try:
                async with asyncio.TaskGroup() as both:
                    both.create_task(self._carry(reader, back))
                    both.create_task(self._carry(there, writer))
            finally:
                self._writers.discard(back)
                back.transport.abort()
        except* OSError:
            pass  # the server is away, or one of the two has hung up: the other one is told by the closing below
        finally:
            self._writers.discard(writer)
            writer.transport.abort()

    async def _carry(self, source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        while data := await source.read(CHUNK):
            await self._open.wait()
            target.write(data)
            await target.drain()
        with suppress(OSError):
            target.write_eof()
        raise ConnectionResetError("one side has hung up")
