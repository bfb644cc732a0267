"""A run that is on: its state, whoever waits for more of it, and what of it is not stored yet.

Not how it proceeds (`engine.py`), how it is saved (`writer.py`) or how it is watched (`broadcast.py`).
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from datetime import datetime

from app.domain.run import RunState
from app.providers.base import Provider, WireRequest
from app.store.ledger import Call
from app.store.runs import RunPlace


@dataclass(eq=False)
class LiveRun:
    """One run in this process.

    `state` is the truth; `shown` is what watchers get, which has the end only once it is stored. `saved` is the state
    last stored. `calls` are provider calls that ended and are not in the ledger yet.
    """

    place: RunPlace
    provider: Provider
    wire: WireRequest
    state: RunState
    shown: RunState
    saved: RunState
    attempt_started_at: datetime
    calls: list[Call] = field(default_factory=list[Call])
    work: asyncio.Task[None] | None = None
    finishing: asyncio.Task[None] | None = None
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def run_id(self) -> str:
        return self.state.start.run_id

    def show(self, state: RunState) -> None:
        """Let watchers see this state."""
        self.shown = state
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()

    async def wait_for_change(self, seen: RunState) -> None:
        """Return once something other than `seen` is shown."""
        while self.shown is seen:
            await self._changed.wait()
