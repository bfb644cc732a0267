"""A cache in memory with a weight limit and a time limit. It evicts the entry that was used longest ago.

sheets: MemoryCache[str, Sheet] = MemoryCache(most=1_000_000)
sheets.keep("c1", sheet, weight=len(sheet))
sheets.find("c1")                     # counts as used: it stays longer
sheets.expire(IDLE_SECONDS)           # evicts what was not used for that long
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Final, Generic, TypeVar

IDLE_SECONDS: Final = 300.0
"""How long something is kept that nobody uses."""

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


@dataclass(slots=True)
class _Entry(Generic[Value]):
    value: Value
    weight: int
    used_at: float


@dataclass(eq=False)
class MemoryCache(Generic[Key, Value]):
    """Values by key. When they weigh more than `most`, those used longest ago leave, but never the newest one."""

    most: int
    clock: Callable[[], float] = time.monotonic
    weight: int = 0
    _entries: OrderedDict[Key, _Entry[Value]] = field(default_factory=OrderedDict[Key, _Entry[Value]], repr=False)

    def __len__(self) -> int:
        return len(self._entries)

    def find(self, key: Key) -> Value | None:
        """What is kept under this key. It counts as used."""
        if (entry := self._entries.get(key)) is None:
            return None
        entry.used_at = self.clock()
        self._entries.move_to_end(key)
        return entry.value

    def keep(self, key: Key, value: Value, weight: int = 1) -> None:
        """Keep this under the key, in place of what was there."""
        self.forget(key)
        self._entries[key] = _Entry(value, weight, self.clock())
        self.weight += weight
        while self.weight > self.most and len(self._entries) > 1:
            self.forget(next(iter(self._entries)))

    def forget(self, key: Key) -> None:
        """Keep nothing under this key."""
        if (entry := self._entries.pop(key, None)) is not None:
            self.weight -= entry.weight

    def forget_where(self, chosen: Callable[[Key], bool]) -> None:
        """Keep nothing under the keys that are chosen."""
        for key in [key for key in self._entries if chosen(key)]:
            self.forget(key)

    def expire(self, seconds: float) -> int:
        """Evict what was not used for so long. Returns how many entries that was."""
        before = self.clock() - seconds
        old = [key for key, entry in self._entries.items() if entry.used_at <= before]
        for key in old:
            self.forget(key)
        return len(old)
