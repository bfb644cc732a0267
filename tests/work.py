"""How much work something takes, as calls of functions: the same number however busy the machine is.

    with counting() as calls:
        encode(request)
    assert calls.made < 1_000

    turns = await calls_by_turn(import_file(wb, owner, body))
    assert max(turns) < sum(turns) / 10

Counted are the calls that this thread makes, of Python and of C. What one call of C does is not seen: for that, count
what the call is given.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType


@dataclass
class Calls:
    """The calls that were made so far. `of`: only of this function of C; "" for all."""

    of: str = ""
    made: int = 0

    def note(self, _frame: FrameType, event: str, called: object) -> None:
        if self.of:
            self.made += event == "c_call" and getattr(called, "__qualname__", "") == self.of
        else:
            self.made += event in {"call", "c_call"}


@contextmanager
def counting(of: str = "") -> Generator[Calls]:
    """Count the calls that this thread makes, of all functions or of the named one of C, such as "str.join"."""
    calls, before = Calls(of), sys.getprofile()
    sys.setprofile(calls.note)
    try:
        yield calls
    finally:
        sys.setprofile(before)


async def calls_by_turn(going_on: Awaitable[object]) -> list[int]:
    """The calls that the event loop made in each of its turns until this was done: others wait for one turn at most."""
    turns = list[int]()
    with counting() as calls:
        work = asyncio.ensure_future(going_on)
        while not work.done():
            before = calls.made
            await asyncio.sleep(0)
            turns.append(calls.made - before)
    await work
    return turns
