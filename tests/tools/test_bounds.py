"""Limits of a server's data: bytes per minute, the length of a line, and its values."""

from __future__ import annotations

import asyncio
from contextlib import aclosing

import pytest

from app.domain.text.json_size import MAX_VALUES
from app.tools.mcp.lines import MAX_WORDS, PIECE, Messages, Words, read_lines
from app.tools.network.addresses import AddressGuard
from app.tools.network.bounds import FLOW_BYTES, FLOW_SECONDS, LEAST_BYTES, MAX_MESSAGE, ByteFlow, TooMuchError
from app.tools.network.web_client import MAX_GETS, Bounds, open_client
from tests.providers.peer import Answer, a_peer
from tests.runs.clock import LoopClock


async def test_a_stream_has_a_limit_of_bytes_per_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = LoopClock.at_work(monkeypatch)
    flow = ByteFlow()

    for _ in range(3):
        flow.note(FLOW_BYTES)
        with pytest.raises(TooMuchError, match="within 60 seconds"):
            flow.note(1)
        clock.put_forward(FLOW_SECONDS)


async def test_small_messages_count_as_their_work() -> None:
    flow = ByteFlow()
    flow.note(10, FLOW_BYTES // LEAST_BYTES)

    with pytest.raises(TooMuchError):
        flow.note(10)


async def lines_of(text: bytes, made: Words) -> list[bytes]:
    stream = asyncio.StreamReader()
    stream.feed_data(text)
    stream.feed_eof()
    async with aclosing(read_lines(stream, made)) as lines:
        return [line async for line in lines]


@pytest.mark.parametrize("made", [Words, Messages])
async def test_lines_are_whole_wherever_the_pieces_end(made: type[Words]) -> None:
    lines = [b"a" * 3_000 for _ in range(5 * PIECE // 3_000)] + [b"", b"the end"]

    assert await lines_of(b"\n".join(lines), made()) == lines
    assert await lines_of(b"\n".join(lines) + b"\n", made()) == lines


async def test_a_long_line_is_refused_or_cut() -> None:
    with pytest.raises(TooMuchError, match="a line of more than 11 MB"):
        await lines_of(b"x" * (MAX_MESSAGE + 1), Messages())

    assert await lines_of(b"x" * 1_000_000 + b"\nshort", Words()) == [b"x" * MAX_WORDS, b"short"]


async def test_a_line_of_many_values_is_refused_and_many_lines_of_few_are_not() -> None:
    few = b"[" * (MAX_VALUES - 1) + b"\n"
    assert len(await lines_of(few * 3, Messages())) == 3

    with pytest.raises(TooMuchError, match="a message of more than 100,000 values"):
        await lines_of(b"[" * (MAX_VALUES + 1), Messages())


async def test_lines_without_end_leave_turns_to_others_and_end_in_a_minute() -> None:
    turns = 0

    async def take_turns() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0)
            turns += 1

    other = asyncio.create_task(take_turns())
    stream = asyncio.StreamReader()
    stream.feed_data(b"x\n" * PIECE)
    stream.feed_eof()
    async with aclosing(read_lines(stream, Words())) as lines:
        count = sum([1 async for _ in lines])
    other.cancel()

    assert count == PIECE
    assert turns >= count


async def test_a_client_has_a_limit_of_get_requests_per_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = LoopClock.at_work(monkeypatch)
    async with a_peer(Answer()) as peer, open_client(AddressGuard(allow_private=True), Bounds(1_000)) as client:
        for _ in range(MAX_GETS):
            await client.get(peer.url)
        with pytest.raises(TooMuchError, match="more than 60 GET requests within 60 seconds"):
            await client.get(peer.url)
        clock.put_forward(FLOW_SECONDS)
        await client.get(peer.url)

    assert len(peer.heard) == MAX_GETS + 1
