"""The backlog of a connection: the frames that wait because the browser reads slowly.

    backlog.add(frame)        # after it was put into the queue
    backlog.is_congested      # True if a frame waits
    await backlog.drained()   # returns when no frame waits

Engine.IO gives each connection an unbounded queue, and takes frames out of it when the socket accepts them. So frames
in the queue mean that the browser reads more slowly than the server sends.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Any, Final

MAX_FRAMES: Final = 1_000
MAX_CHARACTERS: Final = 4_000_000
"""Maximum number of characters in waiting frames, not counting the largest. More end the connection.

Engine.IO may hold the same number of characters in addition, which it has taken out of the queue. The largest frame
does not count, because a page that opens the longest reply must get this reply in one frame. If it counted, opening
such a reply would always end the connection.
"""


class Backlog:
    """The number and the size of the frames that wait in the queue of one connection."""

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
        """End all waiting calls of `drained`, because the connection has ended."""
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
        """Wait until the queue is empty or the connection has ended. Return False after `within` seconds."""
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
