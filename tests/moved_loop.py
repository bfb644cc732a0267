"""An event loop whose clock moves on at once when nothing else is left to do: tests of pauses take no time.

    with asyncio.Runner(loop_factory=MovedLoop) as runner:
        runner.run(asyncio.sleep(60))      # returns at once; `loop.time()` is 60 seconds later

For code that waits by `asyncio.sleep` and the loop's own time. Threads, processes and sockets take real time.
"""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Awaitable, Callable
from typing import Any


class MovedLoop(asyncio.SelectorEventLoop):
    """Its time begins at 0 and moves by what the loop would wait."""

    def __init__(self) -> None:
        self.moved = 0.0
        super().__init__(_Selector(self))

    def time(self) -> float:
        return self.moved


class _Selector(selectors.SelectSelector):
    def __init__(self, loop: MovedLoop) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0 if timeout else timeout)
        if timeout and not ready:
            self._loop.moved += timeout
        return ready


def seconds_of(work: Callable[[], Awaitable[Any]]) -> float:
    """The time that the work waits, in seconds of the moved clock."""

    async def run() -> float:
        loop = asyncio.get_running_loop()
        began = loop.time()
        await work()
        return loop.time() - began

    with asyncio.Runner(loop_factory=MovedLoop) as runner:
        return runner.run(run())
