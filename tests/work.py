"""The amount of work, as the number of function calls: the same number however busy the machine is.

    with counting() as calls:
        encode(request)
    assert calls.made < 1_000

    turns = await calls_by_turn(import_file(ctx, owner, body))
    assert max(turns) < sum(turns) / 10

It counts the calls of this thread, of Python and of C. It does not see the work inside one call of C: count the
arguments of the call for that.
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
    """The calls that were made so far. `of`: only of this C function; "": all."""

    of: str = ""
    made: int = 0

    def note(self, _frame: FrameType, event: str, called: object) -> None:
        if self.of:
            self.made += event == "c_call" and getattr(called, "__qualname__", "") == self.of
        else:
            self.made += event in {"call", "c_call"}


@contextmanager
def counting(of: str = "") -> Generator[Calls]:
    """Count the calls of this thread, of all functions or of the named C function, such as "str.join"."""
    calls, before = Calls(of), sys.getprofile()
    sys.setprofile(calls.note)
    try:
        yield calls
    finally:
        sys.setprofile(before)


async def calls_by_turn(going_on: Awaitable[object]) -> list[int]:
    """Return the calls in each turn of the event loop until this is done: others wait for one turn at most."""
    turns = list[int]()
    with counting() as calls:
        work = asyncio.ensure_future(going_on)
        while not work.done():
            before = calls.made
            await asyncio.sleep(0)
            turns.append(calls.made - before)
    await work
    return turns
