"""Counts sends and tokens for the rate limits, in the memory of this process (library `limits`).

    counter = RateCounter()
    await counter.take({(RateScope.PERSON, "local"): 10})      # raises RateLimitedError
    await counter.add_tokens("203.0.113.7", 1482)

Sends count for 60 seconds (moving window). The tokens of a network address count until midnight UTC; those of a
conversation and of a person are in the ledger and are not counted here. A restart begins with zero.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final

from limits import RateLimitItemPerDay
from limits.aio.storage import MemoryStorage
from limits.aio.strategies import FixedWindowRateLimiter

from app.domain.settings.rate_limits import MAX_SENDS, SENDS_SECONDS, RateScope, SendQuota, refuse_sends

Taken = Mapping[tuple[RateScope, str], int]
"""The limits of sends per minute for one send, by scope and id: a conversation, an owner, an address."""
_DAY: Final = RateLimitItemPerDay(10**12)
"""Counts the tokens of a day. Its limit is never reached: the counted tokens are compared with the limit in force."""


@dataclass(eq=False)
class RateCounter:
    """The counted sends and tokens of this process."""

    _sends: MemoryStorage = field(default_factory=MemoryStorage)
    _tokens: FixedWindowRateLimiter = field(default_factory=lambda: FixedWindowRateLimiter(MemoryStorage()))
    _taking: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def take(self, limits: Taken, sends: int = 1) -> tuple[SendQuota, ...]:
        """Count `sends` for each of these limits, and return the new quotas.

        `sends` above a limit, as for a comparison of many models, counts as the limit.

        Raises:
            RateLimitedError: a limit is reached. Nothing is counted.
        """
        async with self._taking:  # no other send is counted between the test and the count
            for (scope, name), limit in limits.items():
                others = limit - min(sends, limit)
                if await self._count(scope, name) > others:
                    raise refuse_sends(scope, limit, await self._wait(scope, name, others))
            for (scope, name), limit in limits.items():
                await self._sends.acquire_entry(_key(scope, name), limit, SENDS_SECONDS, min(sends, limit))
        return await self.quotas(limits)

    async def quotas(self, limits: Taken) -> tuple[SendQuota, ...]:
        """Return the quotas of these limits. Count nothing."""
        return tuple([await self._quota(scope, name, limit) for (scope, name), limit in limits.items()])

    async def _quota(self, scope: RateScope, name: str, limit: int) -> SendQuota:
        remaining = max(0, limit - await self._count(scope, name))
        return SendQuota(scope, limit, remaining, await self._wait(scope, name, limit - remaining - 1))

    async def _count(self, scope: RateScope, name: str, seconds: int = SENDS_SECONDS) -> int:
        """Return the number of sends in the last `seconds`."""
        _, sends = await self._sends.get_moving_window(_key(scope, name), MAX_SENDS, seconds)
        return sends

    async def _wait(self, scope: RateScope, name: str, most: int) -> int:
        """Return the seconds until at most `most` of the counted sends are in the window of SENDS_SECONDS."""
        least, wait = 1, SENDS_SECONDS
        while least < wait:
            middle = (least + wait) // 2
            if await self._count(scope, name, SENDS_SECONDS - middle) <= most:
                wait = middle
            else:
                least = middle + 1
        return wait

    async def add_tokens(self, address: str, tokens: int) -> None:
        """Count tokens of an address for the current day."""
        if tokens:
            await self._tokens.hit(_DAY, RateScope.ADDRESS, address, _today(), cost=tokens)

    async def count_tokens(self, address: str) -> int:
        """Return the tokens of an address on the current day."""
        return _DAY.amount - (await self._tokens.get_window_stats(_DAY, RateScope.ADDRESS, address, _today())).remaining


def _today() -> str:
    return datetime.now(UTC).date().isoformat()


def _key(scope: RateScope, name: str) -> str:
    """Return the key of counted sends. It does not contain the limit, so sends still count after the limit changes."""
    return f"{scope}/{name}"
