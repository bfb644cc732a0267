"""Servers in the test process that leave no socket open: one for raw connections, and the end of any other.

async with serve_connections(answer) as port:
    ...  # `answer` has the reader and the writer of each connection
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

from tests.runs.clock import take_turns

Answer = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def serve_connections(answer: Answer) -> AsyncGenerator[int]:
    """Answer each connection to a free port of 127.0.0.1. Yield the port; at the end open connections are aborted.

    A connection that its client leaves early ends its answer without an error.
    """
    writers = dict[asyncio.Task[None], asyncio.StreamWriter]()

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        writers[task] = writer
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            await answer(reader, writer)
        writer.close()

    server = await asyncio.start_server(accept, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        await close(server)
        for task in writers:
            task.cancel()
        await asyncio.gather(*writers, return_exceptions=True)
        for writer in writers.values():
            writer.transport.abort()  # `close` waits for a client that has stopped reading
        await asyncio.sleep(0)  # a transport closes its socket in the next turn of the loop


async def close(server: asyncio.Server) -> None:
    """Close a server, once its protocols have received each connection that it has accepted.

    Python 3.11 leaves the socket of a connection open that the server accepted just before it was closed. The warning
    would appear in a later test.
    """
    for listener in server.sockets:
        asyncio.get_running_loop().remove_reader(listener.fileno())
    await take_turns()
    server.close()
