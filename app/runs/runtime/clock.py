"""The steady clock: measures time and waits.

Code that waits takes a clock as an argument, so that a test can set the time.

    writer = Writer(store, process_id, clock)      # `STEADY` unless a test passes another

Not here: the time of day (`ids.py`), which may jump.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from time import monotonic
from typing import Final, Protocol


class Clock(Protocol):
    """A clock in seconds that never goes back."""

    def now(self) -> float: ...

    async def sleep(self, seconds: float) -> None:
        """Wait for this number of seconds."""
        ...

    async def wait(self, event: asyncio.Event, seconds: float | None = None) -> None:
        """Wait until the event is set, at most this number of seconds. None: without a limit."""
        ...


class SteadyClock:
    """The clock of this machine."""

    def now(self) -> float:
        return monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    async def wait(self, event: asyncio.Event, seconds: float | None = None) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await event.wait()


STEADY: Final[Clock] = SteadyClock()
