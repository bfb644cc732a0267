"""Lists of models that arrive at the same time share a limit: each may have eight megabytes."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from typing import Final

import orjson

from app.providers.models.models import ModelLists
from app.providers.wire.transport import MAX_ANSWER_BYTES, Transport
from tests.outside.memory import Memory
from tests.providers.peer import Answer, Peer, a_peer
from tests.providers.playing import a_provider

COUNT: Final = 10
MOST_MB: Final = 64
"""Additional memory for reading all of them."""
JSON: Final = (("Content-Type", "application/json"),)


def a_large_list() -> bytes:
    """Return a list that is nearly as large as allowed."""
    details = {f"field {number}": "x" * 14 for number in range(138)}
    models = [{"id": f"model-{number}", "details": details} for number in range(2_000)]
    body = orjson.dumps({"data": models})
    assert 0.9 * MAX_ANSWER_BYTES < len(body) < MAX_ANSWER_BYTES
    return body


async def test_ten_large_lists_at_once_take_bounded_memory() -> None:
    body = a_large_list()
    pieces = tuple(body[start : start + 65_536] for start in range(0, len(body), 65_536))
    transport = Transport()
    lists = ModelLists(transport)
    async with AsyncExitStack() as stack:
        answers = (Answer((b'{"data":[{"id":"m"}]}',), headers=JSON), Answer(pieces, headers=JSON))
        peers: list[Peer] = [await stack.enter_async_context(a_peer(*answers)) for _ in range(COUNT)]
        providers = [a_provider("groq", peer.url) for peer in peers]
        for provider in providers:  # a client for each, which is no memory for reading
            await lists.load(provider)
        memory = Memory.now()
        loaded = await asyncio.gather(*(lists.load(provider, afresh=True) for provider in providers))
        growth = memory.growth()
    await transport.close()

    assert [len(profiles) for profiles in loaded] == [2_000] * COUNT
    assert growth <= MOST_MB
