"""A cache in memory: it evicts the least recently used values above a total weight, and values unused for some time.

sheets: MemoryCache[str, Sheet] = MemoryCache(most=1_000_000)
sheets.keep("c1", sheet, weight=len(sheet))
sheets.find("c1")                     # counts as a use: the value is evicted later
sheets.expire(IDLE_SECONDS)           # evicts values that were not used for that long
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Final, Generic, TypeVar

IDLE_SECONDS: Final = 300.0
"""Seconds until an unused value is evicted."""

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


@dataclass(slots=True)
class _Entry(Generic[Value]):
    value: Value
    weight: int
    used_at: float


@dataclass(eq=False)
class MemoryCache(Generic[Key, Value]):
    """A cache of values by key, each with a weight.

    If the total weight exceeds `most`, the least recently used values are evicted. The newest value is always kept.
    """

    most: int
    clock: Callable[[], float] = time.monotonic
    weight: int = 0
    _entries: OrderedDict[Key, _Entry[Value]] = field(default_factory=OrderedDict[Key, _Entry[Value]], repr=False)

    def __len__(self) -> int:
        return len(self._entries)

    def find(self, key: Key) -> Value | None:
        """Return the value of this key, or None if there is none. This counts as a use of the value."""
        if (entry := self._entries.get(key)) is None:
            return None
        entry.used_at = self.clock()
        self._entries.move_to_end(key)
        return entry.value

    def keep(self, key: Key, value: Value, weight: int = 1) -> None:
        """Store a value under this key. An earlier value of the key is replaced."""
        self.forget(key)
        self._entries[key] = _Entry(value, weight, self.clock())
        self.weight += weight
        while self.weight > self.most and len(self._entries) > 1:
            self.forget(next(iter(self._entries)))

    def forget(self, key: Key) -> None:
        """Remove the value of this key, if there is one."""
        if (entry := self._entries.pop(key, None)) is not None:
            self.weight -= entry.weight

    def forget_where(self, chosen: Callable[[Key], bool]) -> None:
        """Remove the values for whose keys `chosen` returns True."""
        for key in [key for key in self._entries if chosen(key)]:
            self.forget(key)

    def expire(self, seconds: float) -> int:
        """Evict the values that were not used for this many seconds. Return the number of evicted values."""
        before = self.clock() - seconds
        old = [key for key, entry in self._entries.items() if entry.used_at <= before]
        for key in old:
            self.forget(key)
        return len(old)
