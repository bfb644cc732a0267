"""The order of work that one tab starts and that must not overlap.

turn = TURNS.take(token)             # while the state is locked, where the order is known
async with TURNS.held(token, turn):  # in a background handler
...
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field


@dataclass(eq=False, slots=True)
class Turns:
    """The turns of each tab. A turn waits for those that were taken before it."""

    _last: dict[str, asyncio.Event] = field(default_factory=dict[str, asyncio.Event])

    def take(self, token: str) -> Turn:
        """Return a turn after all turns that were taken before."""
        turn = Turn(self._last.get(token), asyncio.Event())
        self._last[token] = turn.over
        return turn

    @asynccontextmanager
    async def held(self, token: str, turn: Turn) -> AsyncGenerator[None]:
        """Wait for the turns before, and let the next one start when the context ends."""
        try:
            if turn.before is not None:
                await turn.before.wait()
            yield
        finally:
            turn.over.set()
            if self._last.get(token) is turn.over:
                del self._last[token]


@dataclass(frozen=True, slots=True)
class Turn:
    """A place in the order. It starts after `before` has ended; None: it starts at once."""

    before: asyncio.Event | None
    over: asyncio.Event
