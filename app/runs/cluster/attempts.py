"""Attempts to sign in, counted for all processes: by the rules of `runs/people/throttle.py`, in Redis.

    attempt = await attempts.begin({"account ada@example.org": 10, "address 192.0.2.7": 50}, 900)   # None: too many
    await attempts.take_back(attempt)                                                               # it succeeded

Accounts and addresses are kept as digests. While Redis is away each process counts by itself alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

import structlog
from redis.exceptions import RedisError

from app.runs.cluster.link import Link
from app.runs.process.ids import new_id

log = structlog.get_logger(__name__)

_BEGIN: Final = """
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local window = tonumber(ARGV[2])
for i, key in ipairs(KEYS) do
  redis.call('ZREMRANGEBYSCORE', key, '-inf', now - window)
  if redis.call('ZCARD', key) >= tonumber(ARGV[2 + i]) then return 0 end
end
for _, key in ipairs(KEYS) do
  redis.call('ZADD', key, now, ARGV[1])
  redis.call('PEXPIRE', key, window)
end
return 1
"""
_TAKE_BACK: Final = "for _, key in ipairs(KEYS) do redis.call('ZREM', key, ARGV[1]) end"


@dataclass(frozen=True, slots=True)
class CountedAttempt:
    """An attempt that counts as failed until it is taken back. Without `keys` only this process has counted it."""

    id: str
    keys: tuple[str, ...]


@dataclass(frozen=True)
class SharedAttempts:
    """The attempts of all processes. `is_reached` says whether Redis is."""

    link: Link
    is_reached: Callable[[], bool]

    async def begin(self, bounds: Mapping[str, int], seconds: float) -> CountedAttempt | None:
        """Count an attempt that begins under each of these names. None: as many as this failed in so many seconds."""
        if not self.is_reached():
            return CountedAttempt(new_id(), ())
        attempt = CountedAttempt(new_id(), tuple(map(self._key, bounds)))
        limits = (int(seconds * 1000), *bounds.values())
        try:
            passed = await self.link.prompt.eval(_BEGIN, len(attempt.keys), *attempt.keys, attempt.id, *limits)
        except RedisError as error:
            log.warning("an attempt to sign in was counted by this process alone", fault=str(error))
            return CountedAttempt(attempt.id, ())
        return attempt if passed else None

    async def take_back(self, attempt: CountedAttempt) -> None:
        """An attempt succeeded."""
        if not attempt.keys:
            return
        try:
            await self.link.prompt.eval(_TAKE_BACK, len(attempt.keys), *attempt.keys, attempt.id)
        except RedisError as error:
            log.warning("an attempt to sign in counts as failed, though it succeeded", fault=str(error))

    def _key(self, name: str) -> str:
        return f"{self.link.prefix}attempts:{sha256(name.encode()).hexdigest()}"
