"""The steady clock: what time it is, and how to wait. An argument of what waits, so that a test can move it.

    writer = Writer(store, process_id, clock)      # `STEADY` unless a test gives another

Not the time of day (`ids.py`): it may jump.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from time import monotonic
from typing import Final, Protocol


class Clock(Protocol):
    """Times are in seconds and never go back."""

    def now(self) -> float: ...

    async def sleep(self, seconds: float) -> None:
        """Let so much time pass."""
        ...

    async def wait(self, event: asyncio.Event, seconds: float | None = None) -> None:
        """Wait until the event is set, or so long at most."""
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
