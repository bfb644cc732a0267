"""Orders the background handlers of a tab: they run one after the other. The first to take a turn runs first.

turn = TURNS.take(token)             # while the state is locked, so that the order is that of the events
async with TURNS.held(turn):  # in a background handler
    ...

`token` is the id of the tab, or a combination of it with the id of a conversation (`token_in`): with the combination,
handlers for another conversation do not wait. Each kind of work that needs an order, such as the queue, has a separate
`Turns`.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field


@dataclass(eq=False, slots=True)
class Turns:
    """The turns of each tab, by the tab's token. A turn starts when the turn that was taken before it has ended."""

    _last: dict[str, asyncio.Event] = field(default_factory=dict[str, asyncio.Event])

    def take(self, token: str) -> Turn:
        """Add a turn to the end of this tab's order, and return it. It starts when the turn before it has ended."""
        turn = Turn(self._last.get(token), asyncio.Event())
        self._last[token] = turn.over
        return turn

    def continue_in(self, token: str, other: str) -> None:
        """Let the next turn that is taken for `other` start after the turns that were taken for `token`."""
        if (last := self._last.get(token)) is not None:
            self._last[other] = last

    @asynccontextmanager
    async def held(self, turn: Turn) -> AsyncGenerator[None]:
        """Wait until this turn starts. At the end of the `with` block the turn ends, and the next turn starts."""
        try:
            if turn.before is not None:
                await turn.before.wait()
            yield
        finally:
            turn.over.set()
            for each in [each for each, last in self._last.items() if last is turn.over]:
                del self._last[each]


def token_in(token: str, conversation_id: str) -> str:
    """Return the id of a tab together with that of a conversation, so that each conversation has its own order.

    >>> token_in("tab", "c1"), token_in("tab", "")
    ('tab c1', 'tab ')
    """
    return f"{token} {conversation_id}"


@dataclass(frozen=True, slots=True)
class Turn:
    """A place in a tab's order of work. The turn starts when `before` is set (None: at once).

    `over` is set when the turn ends.
    """

    before: asyncio.Event | None
    over: asyncio.Event
