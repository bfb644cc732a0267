"""Clocks that the test moves.

clock = MovedClock()
async with open_app_context(settings, clock) as ctx:
    await clock.move(SAVE_SECONDS)      # now the task that waited for this has done its work and waits again
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Self

import pytest

HANG_SECONDS = 60
"""Seconds until a test fails that would otherwise hang because a woken task neither waits again nor ends."""
ROUNDING = 1e-9


@dataclass
class _Wait:
    event: asyncio.Event
    due: float
    limit: asyncio.Timeout
    over: bool = False


@dataclass
class MovedClock:
    """A clock that only the test moves.

    It keeps the tasks that have waited by it: `settle` returns when all of them are idle.
    """

    at: float = 1_000.0
    _waits: dict[asyncio.Task[object], _Wait] = field(default_factory=dict[asyncio.Task[object], _Wait])
    _tasks: set[asyncio.Task[object]] = field(default_factory=set[asyncio.Task[object]])
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    def now(self) -> float:
        return self.at

    async def sleep(self, seconds: float) -> None:
        await self.wait(asyncio.Event(), seconds)

    async def wait(self, event: asyncio.Event, seconds: float | None = None) -> None:
        if event.is_set():
            return
        task = asyncio.current_task()
        assert task is not None
        if task not in self._tasks:
            self._tasks.add(task)
            task.add_done_callback(self._forget)
        due = float("inf") if seconds is None else self.at + seconds
        with suppress(TimeoutError):
            async with asyncio.timeout(None) as limit:
                self._waits[task] = _Wait(event, due, limit)
                self._changed.set()
                try:
                    await event.wait()
                finally:
                    del self._waits[task]

    async def move(self, seconds: float) -> None:
        """Let time pass. Wake each task at the moment it waits for, and wait until it has done its work."""
        end = self.at + seconds
        await self.settle()
        while due := [wait for wait in self._waits.values() if wait.due <= end + ROUNDING]:
            self.at = max(self.at, min(wait.due for wait in due))
            for wait in due:
                if wait.due <= self.at:
                    wait.over = True
                    wait.limit.reschedule(asyncio.get_running_loop().time())
            await self.settle()
        self.at = end

    async def settle(self) -> None:
        """Return once every task that ever waited by this clock has ended, or waits for a future event or time."""
        async with asyncio.timeout(HANG_SECONDS):
            while any(self._is_awake(task) for task in self._tasks):
                self._changed.clear()
                await self._changed.wait()

    @property
    def waiting(self) -> int:
        """Number of tasks that wait by this clock."""
        return len(self._waits)

    async def until_wait(self, count: int) -> None:
        """Return once `count` tasks wait by this clock."""
        async with asyncio.timeout(HANG_SECONDS):
            while len(self._waits) < count:
                self._changed.clear()
                await self._changed.wait()

    def _is_awake(self, task: asyncio.Task[object]) -> bool:
        wait = self._waits.get(task)
        return wait is None or wait.over or wait.event.is_set()

    def _forget(self, task: asyncio.Task[object]) -> None:
        self._tasks.discard(task)
        self._changed.set()


@dataclass
class LoopClock:
    """The clock of the running event loop, moved forward by the test. For code that waits by timers of the loop."""

    ahead: float = 0.0

    @classmethod
    def at_work(cls, monkeypatch: pytest.MonkeyPatch) -> Self:
        clock, loop = cls(), asyncio.get_running_loop()
        real = loop.time
        monkeypatch.setattr(loop, "time", lambda: real() + clock.ahead)
        return clock

    def put_forward(self, seconds: float) -> None:
        self.ahead += seconds

    async def move(self, seconds: float) -> None:
        """Let time pass. Returns after the timers that became due have called their callbacks."""
        self.put_forward(seconds)
        await take_turns()

    async def move_until(self, event: asyncio.Event, seconds: float) -> None:
        """Let `seconds` pass repeatedly until the event is set. This also ends a wait that starts late."""
        while not event.is_set():
            await self.move(seconds)


async def take_turns() -> None:
    """Let ready tasks, and the tasks that they wake, do everything that needs only the loop."""
    for _ in range(10):
        await asyncio.sleep(0)
