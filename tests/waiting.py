"""Waiting without an event: check a condition again and again, until it finds something.

    await until(lambda: len(peer.heard) == 2)
    (request,) = await until_found(lambda: list_pending(ctx, owner, conversation_id))

The time limit ends a test that would hang. It measures nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from tests.runs.clock import HANG_SECONDS

T = TypeVar("T")
PAUSE_SECONDS = 0.005


async def until(look: Callable[[], T]) -> T:
    """Check until the result is true, and return it."""
    async with asyncio.timeout(HANG_SECONDS):
        while not (found := look()):  # noqa: ASYNC110 - there is no event for it
            await asyncio.sleep(PAUSE_SECONDS)
    return found


async def until_found(look: Callable[[], Awaitable[T]]) -> T:
    """As `until`, for an asynchronous check."""
    async with asyncio.timeout(HANG_SECONDS):
        while not (found := await look()):  # noqa: ASYNC110 - there is no event for it
            await asyncio.sleep(PAUSE_SECONDS)
    return found
