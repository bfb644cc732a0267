"""The frames that wait for a slow reader: how many, how large, and when they are gone.

    backlog.add(frame)        # after it was put into the queue
    backlog.is_congested      # whether a frame waits
    await backlog.drained()   # woken when none waits any more

Engine.IO gives each connection a queue without a bound. Its writer takes frames out when the socket accepts them, so a
queue with frames in it means that the browser reads more slowly than it is sent to.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Any, Final

MAX_FRAMES: Final = 1_000
MAX_CHARACTERS: Final = 4_000_000
"""The most that may wait besides the largest frame. The writer may hold as much again, taken out at once.

The largest frame is not counted: a page that opens the longest reply reads one frame of that length. A limit below that
would end the connection each time the page comes back.
"""


class Backlog:
    """What waits in one connection's queue."""

    def __init__(self, queue: asyncio.Queue[Any]) -> None:
        self._queue = queue
        self._sizes: deque[int] = deque()
        self._characters = 0
        self._closed = asyncio.Event()

    def add(self, frame: str) -> None:
        """Count a frame that was put into the queue."""
        self._sizes.append(len(frame))
        self._characters += len(frame)
        while len(self._sizes) > self._queue.qsize():
            self._characters -= self._sizes.popleft()

    def close(self) -> None:
        """Let go who waits: the connection is over."""
        self._closed.set()

    @property
    def is_congested(self) -> bool:
        return not self._queue.empty() and not self._closed.is_set()

    @property
    def is_too_long(self) -> bool:
        if self._queue.qsize() > MAX_FRAMES:
            return True
        return self._characters > MAX_CHARACTERS and self._characters - max(self._sizes) > MAX_CHARACTERS

    async def drained(self, within: float) -> bool:
        """Wait until nothing waits in the queue or the connection is over; False after `within` seconds."""
        if not self.is_congested:
            return True
        # Engine.IO's writer marks a frame as done when it takes it out.
        waits = {asyncio.ensure_future(self._queue.join()), asyncio.ensure_future(self._closed.wait())}
        try:
            done, _ = await asyncio.wait(waits, timeout=within, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()
        return bool(done)
