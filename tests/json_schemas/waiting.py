"""How long others wait while something goes on."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from time import monotonic


async def longest_wait(going_on: Awaitable[object]) -> float:
    """Seconds that a turn of the event loop took at most, until the other is done."""
    work, longest = asyncio.ensure_future(going_on), 0.0
    while not work.done():
        began = monotonic()
        await asyncio.sleep(0.001)
        longest = max(longest, monotonic() - began)
    work.result()
    return longest
