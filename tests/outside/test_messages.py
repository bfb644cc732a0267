"""The largest messages of an MCP server: they are read within the bound on memory, over each way that they come."""

from __future__ import annotations

import asyncio
import json
from typing import Final

import pytest

from app.domain.conversation.parts import Text
from app.domain.tools.tool_servers import OverHttp
from app.domain.tools.tools import ToolFailedError, ToolFault
from app.tools.bounds import MAX_DECODED, MAX_MESSAGE
from tests.outside.memory import Memory
from tests.sockets import serve_connections
from tests.tools.servers import a_session, ask, script
from tests.tools.test_lying_http import answer_other

MOST_MB: Final = 64
PIECE: Final = b"x" * 50_000
LARGEST: Final = MAX_MESSAGE - 100_000
EMOJI: Final = "😀"
HALVES: Final = "\\ud83d\\ude00"


async def _write_answer(writer: asyncio.StreamWriter, asked: dict[str, object], kind: str, size: int, end: str) -> None:
    frame = ("data: ", "\n\n") if kind == "text/event-stream" else ("", "")
    begin = f'{frame[0]}{{"jsonrpc":"2.0","id":{asked["id"]},"result":{{"content":[{{"type":"text","text":"'.encode()
    last = f'{end}"}}]}}}}{frame[1]}'.encode()
    pieces = size // len(PIECE)
    length = len(begin) + pieces * len(PIECE) + len(last)
    writer.write(f"HTTP/1.1 200 So\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\r\n".encode())
    for piece in (begin, *(PIECE,) * pieces, last):
        writer.write(piece)
        await writer.drain()


async def _ask_over_http(kind: str, size: int, end: str) -> tuple[float, int]:
    """Call a tool that answers so many characters; returns the additional memory in MB and the characters read."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
            if not head.startswith("post"):
                writer.write(b"HTTP/1.1 405 No\r\nContent-Length: 0\r\n\r\n")
                continue
            length = next(int(line[15:]) for line in head.split("\r\n") if line.startswith("content-length:"))
            asked = json.loads(await reader.readexactly(length))
            if asked.get("method") == "tools/call":
                await _write_answer(writer, asked, kind, size, end)
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
    (part,) = outcome.content
    assert isinstance(part, Text)
    return growth, len(part.text)


JSON: Final = "application/json"
STREAM: Final = "text/event-stream"


@pytest.mark.parametrize(
    ("kind", "size", "end"),
    [
        (JSON, LARGEST, ""),
        (JSON, LARGEST, EMOJI),
        (JSON, LARGEST, HALVES),
        (STREAM, LARGEST, ""),
        (STREAM, MAX_DECODED // 2 - 100_000, "漢"),
        (STREAM, MAX_DECODED // 4 - 100_000, EMOJI),
    ],
    ids=["plain", "emoji", "halves", "plain, in a stream", "wide, in a stream", "emoji, in a stream"],
)
async def test_the_largest_answer_over_http_is_read_within_its_bound(kind: str, size: int, end: str) -> None:
    growth, read = await _ask_over_http(kind, size, end)

    assert read >= size - len(PIECE)
    assert growth <= MOST_MB


@pytest.mark.parametrize("end", ["漢", EMOJI, HALVES])
async def test_an_event_that_is_large_once_decoded_is_left_within_its_bound(end: str) -> None:
    memory = Memory.now()
    with pytest.raises(ToolFailedError, match="a message of more than 11 MB once decoded") as raised:
        await _ask_over_http(STREAM, LARGEST, end)

    assert raised.value.fault is ToolFault.TOO_LARGE
    assert memory.growth() <= MOST_MB


@pytest.mark.parametrize("end", ["", EMOJI])
async def test_the_largest_answer_of_a_program_is_read_within_its_bound(end: str) -> None:
    content = f'[{{"type": "text", "text": "x" * {LARGEST} + {end!r}}}]'
    message = f'{{"jsonrpc": "2.0", "id": asked["id"], "result": {{"content": {content}}}}}'
    act = f"print(json.dumps({message}, ensure_ascii=False))"
    program = f"sys.stdout.reconfigure(encoding='utf-8')\ndef act(asked):\n    {act}\n    sys.stdout.flush()\n"
    async with a_session(script(f"{program}greet()\nserve(act)")) as session:
        await session.settle(30)
        memory = Memory.now()
        outcome = await ask(session, "act", seconds=60)
        growth = memory.growth()

    (part,) = outcome.content
    assert isinstance(part, Text)
    assert len(part.text) >= LARGEST
    assert growth <= MOST_MB
