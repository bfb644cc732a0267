"""Many watchers without a browser: fifty websocket clients that note the arrival time of each character.

arrivals = await watch_replies(watches, script, keys)    # by key: numbers of characters with their times
lags(script, call.sent, arrivals[call.key])              # seconds, one per chunk
"""

from __future__ import annotations

import asyncio
import time
from bisect import bisect_left
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from itertools import accumulate

from websockets.asyncio.client import ClientConnection, connect

from tests.bench.servers.script import Script

STAGGER = 0.02  # seconds between the sends of two clients


@dataclass(frozen=True)
class Watch:
    """One open conversation: the address of its reply, how to send, and the reply text of a frame.

    `prepare` opens the conversation on a socket that has just connected. `answers` maps frames to the frames that
    answer them. `compression` is permessage-deflate, as a browser offers it.
    """

    url: str
    send: Callable[[ClientConnection, str], Coroutine[None, None, None]]
    text_of: Callable[[str], str]
    prepare: Callable[[ClientConnection], Coroutine[None, None, None]] | None = None
    answers: Mapping[str, str] = field(default_factory=dict[str, str])
    compression: str | None = None


@dataclass(frozen=True)
class Arrival:
    at: float  # wall clock, seconds
    characters: int  # of the reply, received by then


async def watch_replies(
    watches: list[Watch], script: Script, keys: list[str], *, settle: float = 0.0
) -> dict[str, list[Arrival]]:
    """Connect all, wait `settle` seconds, send one prompt on each (its key), and receive every reply completely."""
    sockets = [
        await connect(watch.url, compression=watch.compression, max_size=None, ping_interval=None) for watch in watches
    ]
    try:
        for watch, socket in zip(watches, sockets, strict=True):
            if watch.prepare is not None:
                await watch.prepare(socket)
        await asyncio.sleep(settle)
        arrivals = await asyncio.gather(
            *(
                _watch_one(watch, socket, key, len(script.text), number * STAGGER)
                for number, (watch, socket, key) in enumerate(zip(watches, sockets, keys, strict=True))
            )
        )
    finally:
        await asyncio.gather(*(socket.close() for socket in sockets))
    return dict(zip(keys, arrivals, strict=True))


def lags(script: Script, sent: list[float], arrivals: list[Arrival]) -> list[float]:
    """Return the seconds from the send of each chunk by the stub to the arrival of its last character."""
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
