"""The largest messages of an MCP server: they are read within the memory limit, over each transport."""

from __future__ import annotations

import asyncio
import json
from typing import Final

import pytest

from app.domain.attachments.attachments import MAX_BYTES
from app.domain.conversation.parts import Text
from app.domain.tools.tool_servers import OverHttp
from app.domain.tools.tools import ToolFailedError, ToolFault, ToolOutcome
from app.tools.network.bounds import MAX_MESSAGE
from tests.outside.memory import Memory
from tests.sockets import serve_connections
from tests.tools.servers import a_session, ask, script
from tests.tools.test_lying_http import answer_other

MOST_MB: Final = 80
"""60 to 70 MB were measured. Before messages had a memory limit: 122 to 300 MB."""
PIECE: Final = b"x" * 50_000
EMOJI: Final = "😀"
HALVES: Final = "\\ud83d\\ude00"
TEXT: Final = '"type":"text","text":"'
PICTURE: Final = '"type":"image","mimeType":"image/png","data":"'
LARGEST: Final = {
    "picture": (PICTURE, MAX_MESSAGE - 100_000, ""),
    "text": (TEXT, MAX_BYTES - len(PIECE), ""),
    "wide": (TEXT, MAX_MESSAGE // 2 - 100_000, "漢"),
    "emoji": (TEXT, MAX_MESSAGE // 4 - 100_000, EMOJI),
    "halves": (TEXT, MAX_MESSAGE // 4 - 100_000, HALVES),
}
"""The largest content of each kind: its beginning, its number of characters, and its end."""


Content = tuple[str, int, str]


async def _write_answer(writer: asyncio.StreamWriter, asked: dict[str, object], kind: str, content: Content) -> None:
    start, size, end = content
    frame = ("data: ", "\n\n") if kind == "text/event-stream" else ("", "")
    begin = f'{frame[0]}{{"jsonrpc":"2.0","id":{asked["id"]},"result":{{"content":[{{{start}'.encode()
    last = f'{end}"}}]}}}}{frame[1]}'.encode()
    pieces = size // len(PIECE)
    length = len(begin) + pieces * len(PIECE) + len(last)
    writer.write(f"HTTP/1.1 200 So\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\r\n".encode())
    for piece in (begin, *(PIECE,) * pieces, last):
        writer.write(piece)
        await writer.drain()


async def _ask_over_http(kind: str, content: Content) -> tuple[float, int]:
    """Call a tool that answers with this. Return the additional memory in MB and the characters or bytes read."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
            if not head.startswith("post"):
                writer.write(b"HTTP/1.1 405 No\r\nContent-Length: 0\r\n\r\n")
                continue
            length = next(int(line[15:]) for line in head.split("\r\n") if line.startswith("content-length:"))
            asked = json.loads(await reader.readexactly(length))
            if asked.get("method") == "tools/call":
                await _write_answer(writer, asked, kind, content)
            else:
                writer.write(answer_other(asked))

    async with (
        serve_connections(serve) as port,
        a_session(OverHttp(f"http://127.0.0.1:{port}/mcp", allow_private=True)) as session,
    ):
        await session.settle(30)
        memory = Memory.now()
        outcome = await ask(session, "act", seconds=60)
        growth = memory.growth()
    return growth, _size_of(outcome)


def _size_of(outcome: ToolOutcome) -> int:
    (part,) = outcome.content
    return len(part.text) if isinstance(part, Text) else len(outcome.attachments[0].data)


@pytest.mark.parametrize("kind", ["application/json", "text/event-stream"])
@pytest.mark.parametrize("content", LARGEST.values(), ids=LARGEST)
async def test_the_largest_answer_over_http_is_read_within_its_bound(kind: str, content: Content) -> None:
    growth, read = await _ask_over_http(kind, content)

    start, size, _ = content
    assert read >= (size // 4 * 3 if start == PICTURE else size) - len(PIECE)
    assert growth <= MOST_MB


@pytest.mark.parametrize("kind", ["application/json", "text/event-stream"])
@pytest.mark.parametrize("end", ["漢", EMOJI, HALVES])
async def test_an_answer_that_takes_too_much_memory_is_left_within_its_bound(kind: str, end: str) -> None:
    memory = Memory.now()
    with pytest.raises(ToolFailedError, match="a message of more than 11 MB in memory") as raised:
        await _ask_over_http(kind, (TEXT, MAX_MESSAGE - 100_000, end))

    assert raised.value.fault is ToolFault.TOO_LARGE
    assert memory.growth() <= MOST_MB


@pytest.mark.parametrize("content", LARGEST.values(), ids=LARGEST)
async def test_the_largest_answer_of_a_program_is_read_within_its_bound(content: Content) -> None:
    start, size, end = content
    text = f"'{{{start}' + 'x' * {size // len(PIECE) * len(PIECE)} + r'{end}\"}}'"
    message = f"""'{{"jsonrpc":"2.0","id":' + str(asked["id"]) + ',"result":{{"content":[' + {text} + ']}}}}'"""
    program = f"sys.stdout.reconfigure(encoding='utf-8')\ndef act(asked):\n    print({message}, flush=True)\n"
    async with a_session(script(f"{program}greet()\nserve(act)")) as session:
        await session.settle(30)
        memory = Memory.now()
        outcome = await ask(session, "act", seconds=60)
        growth = memory.growth()

    assert _size_of(outcome) >= (size // 4 * 3 if start == PICTURE else size) - len(PIECE)
    assert growth <= MOST_MB
