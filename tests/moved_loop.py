"""An event loop whose clock jumps forward when nothing else is left to do: tests of pauses take no time.

    with asyncio.Runner(loop_factory=MovedLoop) as runner:
        runner.run(asyncio.sleep(60))      # returns at once; `loop.time()` is 60 seconds later

For code that waits by `asyncio.sleep` and the loop's own time. Sockets take real time, and so do threads: the clock
does not move while a thread works for the loop.
"""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Awaitable, Callable
from typing import Any


class MovedLoop(asyncio.SelectorEventLoop):
    """An event loop whose time starts at 0 and moves by the time that the loop would wait."""

    def __init__(self) -> None:
        self.moved = 0.0
        self.working = 0
        super().__init__(_Selector(self))

    def time(self) -> float:
        return self.moved

    def run_in_executor(self, executor: Any, func: Any, *args: Any) -> asyncio.Future[Any]:
        self.working += 1
        future = super().run_in_executor(executor, func, *args)
        future.add_done_callback(self._note_end)
        return future

    def _note_end(self, _: asyncio.Future[Any]) -> None:
        self.working -= 1


class _Selector(selectors.SelectSelector):
    def __init__(self, loop: MovedLoop) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout and self._loop.working:
            return super().select()
        ready = super().select(0 if timeout else timeout)
        if timeout and not ready:
            self._loop.moved += timeout
        return ready


def seconds_of(work: Callable[[], Awaitable[Any]]) -> float:
    """Return the time that the work waits, in seconds of the moved clock."""

    async def run() -> float:
        loop = asyncio.get_running_loop()
        began = loop.time()
        await work()
        return loop.time() - began

    with asyncio.Runner(loop_factory=MovedLoop) as runner:
        return runner.run(run())
