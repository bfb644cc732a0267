"""Many watchers without a browser: fifty websocket clients that note when which character arrived.

async with opened(watches) as sockets:
    arrivals = await receive_replies(sockets, script, keys)    # by key: when how many characters had come
lags(script, call.sent, arrivals[call.key])                    # seconds, one a chunk
"""

from __future__ import annotations

import asyncio
import time
from bisect import bisect_left
from collections.abc import AsyncGenerator, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import accumulate

from websockets.asyncio.client import ClientConnection, connect

from tests.bench.script import Script

STAGGER = 0.02  # seconds from one client's send to the next one's


@dataclass(frozen=True)
class Watch:
    """One open conversation: where its reply arrives, how to send, and what of a frame is reply text.

    `prepare` opens the conversation on a socket that has just connected; `answers` are frames that want another one
    back. `compression` is permessage-deflate, as a browser offers it.
    """

    url: str
    send: Callable[[ClientConnection, str], Coroutine[None, None, None]]
    text_of: Callable[[str], str]
    prepare: Callable[[ClientConnection], Coroutine[None, None, None]] | None = None
    answers: Mapping[str, str] = field(default_factory=dict[str, str])
    compression: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True)
class Arrival:
    at: float  # wall clock, seconds
    characters: int  # of the reply received by then


Opened = list[tuple[Watch, ClientConnection]]


@asynccontextmanager
async def opened(watches: list[Watch], *, settle: float = 0.0) -> AsyncGenerator[Opened]:
    """Connect all, open their conversations, and let them rest `settle` seconds."""
    sockets = [
        await connect(
            watch.url,
            additional_headers=watch.headers,
            compression=watch.compression,
            max_size=None,
            ping_interval=None,
        )
        for watch in watches
    ]
    try:
        for watch, socket in zip(watches, sockets, strict=True):
            if watch.prepare is not None:
                await watch.prepare(socket)
        await asyncio.sleep(settle)
        yield list(zip(watches, sockets, strict=True))
    finally:
        await asyncio.gather(*(socket.close() for socket in sockets))


async def receive_replies(opened: Opened, script: Script, keys: list[str]) -> dict[str, list[Arrival]]:
    """Send one prompt each (its key), and receive every reply whole."""
    arrivals = await asyncio.gather(
        *(
            _watch_one(watch, socket, key, len(script.text), number * STAGGER)
            for number, ((watch, socket), key) in enumerate(zip(opened, keys, strict=True))
        )
    )
    return dict(zip(keys, arrivals, strict=True))


def lags(script: Script, sent: list[float], arrivals: list[Arrival]) -> list[float]:
    """Seconds from the stub's sending of each chunk to the arrival of its last character."""
    reached = [arrival.characters for arrival in arrivals]
    ends = accumulate(map(len, script.chunks))
    return [arrivals[bisect_left(reached, end)].at - at for end, at in zip(ends, sent, strict=True)]


async def _watch_one(watch: Watch, socket: ClientConnection, key: str, length: int, wait: float) -> list[Arrival]:
    await asyncio.sleep(wait)
    sending = asyncio.create_task(watch.send(socket, key))
    characters = 0
    arrivals: list[Arrival] = []
    async with asyncio.timeout(120):
        while characters < length:
            frame = str(await socket.recv())
            at = time.time()
            if (answer := watch.answers.get(frame)) is not None:
                await socket.send(answer)
            elif text := watch.text_of(frame):
                characters += len(text)
                arrivals.append(Arrival(at, characters))
        await sending
    return arrivals
