"""Samples log lines: the first few faults of a connection in each minute, then the number of the others.

    sampler = Sampler(log.warning)
    sampler.write("a1b2", "Refused an event: it has no name.")

A browser can cause thousands of faults per second, which would hide all other lines. A line must not contain text from
the browser.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

FIRST: Final = 5
"""Maximum number of lines that one connection can cause in a minute."""
MINUTE: Final = 60.0
MAX_CONNECTIONS: Final = 100
"""Maximum number of connections whose lines are counted separately in a minute.

All further connections share one count, so a browser cannot get a new count by connecting again.
"""
_OTHERS: Final = "others"


class Sampler:
    """A log writer that leaves out the lines above a limit per connection and minute.

    `log` is the function that writes a line, `sleep` the function that waits; tests replace both.
    """

    def __init__(self, log: Callable[[str], None], sleep: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        self._log = log
        self._sleep = sleep
        self._counts: dict[str, int] = {}
        self._minutes: set[asyncio.Task[None]] = set()

    def write(self, connection: str, line: str) -> None:
        """Write a line, unless this connection has already written its maximum in this minute."""
        key = connection if connection in self._counts or len(self._counts) < MAX_CONNECTIONS else _OTHERS
        count = self._counts[key] = self._counts.get(key, 0) + 1
        if count == 1:
            minute = asyncio.get_running_loop().create_task(self._end_minute(key), name="a minute of log lines")
            self._minutes.add(minute)
            minute.add_done_callback(self._minutes.discard)
        if count <= FIRST:
            self._log(line)

    async def _end_minute(self, key: str) -> None:
        await self._sleep(MINUTE)
        more = self._counts.pop(key) - FIRST
        if more > 0:
            whose = "connections beyond the first" if key == _OTHERS else "the same connection"
            self._log(f"{more} more lines like this from {whose} were left out within a minute.")
