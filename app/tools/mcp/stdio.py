"""Runs an MCP server as a program on this machine: starts it, exchanges lines with it, and ends it.

The SDK has such a transport too. This one reports how the program ended, logs its standard error, and has limits for
lines, values and bytes per minute (`lines.py`). It ends a program with all its child processes, in the order of the
specification (close its input, wait, terminate, kill): modelcontextprotocol.io/specification, Lifecycle, Shutdown.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing, asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client.stdio import get_default_environment
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter

from app.domain.tools.tool_servers import OverStdio
from app.tools.mcp.connection_terms import ConnectionEnd
from app.tools.mcp.lines import PIECE, Messages, Words, read_lines
from app.tools.network.bounds import TooMuchError

if TYPE_CHECKING:
    from mcp.client._transport import TransportStreams  # the SDK's name for the pair of streams; there is no public one

PATIENCE: Final = 0.6
"""Seconds that a program has to end after its input was closed, and again after the signal to terminate."""

Tell = Callable[[str, str], None]
"""A function that is called with a level and a line for the server's log."""


@asynccontextmanager
async def run_program(
    way: OverStdio, environment: Mapping[str, str], tell: Tell, ending: ConnectionEnd
) -> AsyncGenerator[TransportStreams]:
    """Start the program of a server, and yield the streams that send and receive messages.

    `tell` logs a line, and `ending` records the reason if the program ends.

    The program gets a few harmless environment variables and those that the user entered for this server. It gets no
    keys of this installation. The folder of Inview's Python is added at the end of its PATH. So programs in this folder
    (such as node and npx) are found if no other folder has them.

    Raises:
        OSError: the program cannot be started.
    """
    inherited = get_default_environment()
    path = os.pathsep.join(filter(None, (inherited.get("PATH"), str(Path(sys.executable).parent))))
    try:
        process = await asyncio.create_subprocess_exec(
            way.command,
            *way.arguments,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            limit=PIECE,
            env={**inherited, "PATH": path, **environment},
            cwd=way.folder,
            start_new_session=True,
        )
    except OSError as error:
        if error.filename is None:  # errors of uvloop do not name the file
            error.filename = _name_missing(way)
        raise
    heard, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    outgoing, to_say = anyio.create_memory_object_stream[SessionMessage](0)
    tasks = [
        asyncio.create_task(_hear(process, heard, tell, ending)),
        asyncio.create_task(_say(process, to_say)),
        asyncio.create_task(_overhear(process, tell, ending)),
    ]
    try:
        yield incoming, outgoing
    finally:
        ending.requested = True
        await asyncio.shield(asyncio.ensure_future(_end(process, tasks)))
        for stream in (heard, incoming, outgoing, to_say):
            stream.close()


def _name_missing(way: OverStdio) -> str:
    """Return the folder or program that does not exist, for the error message."""
    return way.folder if way.folder and not Path(way.folder).is_dir() else way.command


async def _hear(
    process: asyncio.subprocess.Process,
    heard: MemoryObjectSendStream[SessionMessage | Exception],
    tell: Tell,
    ending: ConnectionEnd,
) -> None:
    assert process.stdout is not None  # noqa: S101 - the process was started with a pipe
    words = ""
    try:
        async with aclosing(read_lines(process.stdout, Messages())) as lines:
            async for line in lines:
                try:
                    message = jsonrpc_message_adapter.validate_json(line, by_name=False)
                except ValueError:
                    if line.strip():
                        tell("warning", f"Not a message: {line[:200].decode(errors='replace').strip()}")
                    continue
                await heard.send(SessionMessage(message))
    except TooMuchError as error:
        words = f"sent {error}"
    except (anyio.ClosedResourceError, anyio.BrokenResourceError):
        return
    if not words:
        with suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE):
                await process.wait()
        words = _describe_end(process.returncode)
    ending.note(words)
    heard.close()


async def _say(process: asyncio.subprocess.Process, to_say: MemoryObjectReceiveStream[SessionMessage]) -> None:
    assert process.stdin is not None  # noqa: S101 - the process was started with a pipe
    with suppress(ConnectionError, anyio.ClosedResourceError):
        async for message in to_say:
            process.stdin.write(message.message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n")
            await process.stdin.drain()


async def _overhear(process: asyncio.subprocess.Process, tell: Tell, ending: ConnectionEnd) -> None:
    assert process.stderr is not None  # noqa: S101 - the process was started with a pipe
    try:
        async with aclosing(read_lines(process.stderr, Words())) as lines:
            async for line in lines:
                tell("stderr", line.decode(errors="replace").rstrip())
    except TooMuchError as error:
        ending.note(f"sent {error} to its standard error")


async def _end(process: asyncio.subprocess.Process, tasks: list[asyncio.Task[None]]) -> None:
    if process.stdin is not None:
        process.stdin.close()
    for kind in (None, signal.SIGTERM, signal.SIGKILL):
        if kind is not None:
            # Signal the whole group, because child processes must end too, even if the program has already ended.
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, kind)
        with suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE):
                while process.returncode is None:  # noqa: ASYNC110 - wait() would wait for grandchildren's pipes as well
                    await asyncio.sleep(0.01)
            break
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    # A child process that left the group may keep the pipes open, and no public method closes them.
    process._transport.close()  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType] # noqa: SLF001 - see above


def _describe_end(code: int | None) -> str:
    if code is None:
        return "closed its output"
    if code < 0:
        return f"was ended by signal {-code} ({signal.strsignal(-code) or 'unknown'})"
    return f"ended with code {code}"
