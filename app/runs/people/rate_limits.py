"""Rate limits: requests per period of a person, a token and an address, and sends of a conversation.

The counts are kept by the `limits` library: in memory, and where several processes work together in Redis for all of
them. While Redis is away each process counts by itself, from what it has counted until then. A restart of what keeps
them forgets them.

standings = await RateLimits(policies).count({"person": "local", "address": "127.0.0.1"})
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import structlog
from limits import RateLimitItem, WindowStats, parse
from limits.aio.storage import MemoryStorage, RedisStorage
from limits.aio.strategies import MovingWindowRateLimiter
from limits.errors import StorageError

if TYPE_CHECKING:  # the client of Redis is imported where there is one
    from app.runs.cluster.cluster import Cluster

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Standing:
    """What is left of a limit: `left` of `most` requests in `window` seconds; more of them in `reset` seconds."""

    policy: str
    most: int
    window: int
    left: int
    reset: int
    exceeded: bool


class RateLimits:
    """Counts by policy and key. A policy that is not among `policies` has no limit. `cluster`: the other processes."""

    def __init__(self, policies: Mapping[str, str], cluster: Cluster | None = None) -> None:
        self._items: dict[str, RateLimitItem] = {name: parse(text) for name, text in policies.items()}
        self._own = MovingWindowRateLimiter(MemoryStorage())
        self._cluster = cluster
        self._of_all = None if cluster is None else MovingWindowRateLimiter(_storage_of(cluster))

    async def count(self, keys: Mapping[str, str]) -> tuple[Standing, ...]:
        """Count a request under each of these keys; return the status of each limit. Stops at one that is exceeded."""
        standings: list[Standing] = []
        for policy, key in keys.items():
            item = self._items.get(policy)
            if item is None:
                continue
            passed, left = await self._hit(item, policy, key)
            reset = max(1, math.ceil(left.reset_time - time.time()))
            standings.append(Standing(policy, item.amount, item.get_expiry(), left.remaining, reset, not passed))
            if not passed:
                break
        return tuple(standings)

    async def _hit(self, item: RateLimitItem, policy: str, key: str) -> tuple[bool, WindowStats]:
        if self._of_all is not None and self._cluster is not None and self._cluster.reached:
            try:
                passed = await self._of_all.hit(item, policy, key)
                left = await self._of_all.get_window_stats(item, policy, key)
            except StorageError as error:
                log.warning("a request was counted by this process alone", fault=str(error))
            else:
                if passed:
                    await self._own.hit(item, policy, key)  # holds while Redis is away
                return passed, left
        return await self._own.hit(item, policy, key), await self._own.get_window_stats(item, policy, key)


def _storage_of(cluster: Cluster) -> RedisStorage:
    link = cluster.link
    return RedisStorage(
        "redis://",  # the pool below has the address
        wrap_exceptions=True,
        implementation="redispy",
        key_prefix=f"{link.prefix}limits",
        connection_pool=link.prompt.connection_pool,
    )
