"""The processor time of slow schema checks, and the order of waiting checks. It uses neither a clock nor a process.

The time of each check is charged to an account: a conversation, a tool server, or the user's own schemas. (An account
in this package is about processor time, not about money.)

    >>> costs = Costs()
    >>> costs.charge("conversation", 2.0, now=0.0)
    >>> costs.spent("conversation", now=59.0), costs.spent("conversation", now=60.0)
    (2.0, 0.0)

Not here: the checking (`checker.py`, `schema_worker.py`).
"""

from __future__ import annotations

import json
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, Generic, TypeVar

WINDOW_SECONDS: Final = 60.0
"""Seconds until a check no longer counts for its account, and until a slow pattern or schema is checked again."""
MAX_SPENT: Final = 6.0
"""Maximum seconds of processor time that the slow checks of one account may take within `WINDOW_SECONDS`."""
SLOW_SECONDS: Final = 0.1
"""Minimum processor time, in seconds, of a check that is charged. Ordinary checks take some milliseconds."""
MAX_REMEMBERED: Final = 64
MAX_ACCOUNTS: Final = 1_000
MAX_PATTERN: Final = 1_000
"""Maximum number of characters of a remembered pattern. For a longer pattern the whole schema is remembered."""
_NOTES: Final = frozenset({"title", "description", "$comment"})
"""Keywords for people. They do not change the processor time of a check."""

Item = TypeVar("Item")


@dataclass(eq=False)
class Costs:
    """The processor time that each account (a conversation, a tool server) spent on slow checks in `WINDOW_SECONDS`."""

    _paid: OrderedDict[str, deque[tuple[float, float]]] = field(default_factory=OrderedDict[str, Any])

    def charge(self, account: str, seconds: float, now: float) -> None:
        """Add the processor time of a check, in seconds, to an account, such as a conversation.

        A quick check is not charged (`SLOW_SECONDS`).
        """
        if seconds < SLOW_SECONDS:
            return
        self._paid.setdefault(account, deque()).append((now, seconds))
        self._paid.move_to_end(account)
        while len(self._paid) > MAX_ACCOUNTS:
            self._paid.popitem(last=False)

    def spent(self, account: str, now: float) -> float:
        """Return the processor time in seconds that an account spent on slow checks in the last `WINDOW_SECONDS`."""
        paid = self._paid.get(account)
        while paid and paid[0][0] + WINDOW_SECONDS <= now:
            paid.popleft()
        return sum((seconds for _, seconds in paid or ()), 0.0)

    def is_spent(self, account: str, now: float) -> bool:
        """Return True if an account has spent `MAX_SPENT` seconds in the last `WINDOW_SECONDS`."""
        return self.spent(account, now) >= MAX_SPENT

    def forget(self) -> None:
        """Forget the processor time that was charged to the accounts."""
        self._paid.clear()


@dataclass(eq=False)
class Slow:
    """The regular expressions (patterns) and schemas that were slow recently.

    Each pattern is stored with the length of the text on which it was slow. It is refused for texts of that length or
    longer, in any schema. A schema is compared without its keywords for people, such as its title.
    """

    _patterns: OrderedDict[str, tuple[float, int]] = field(default_factory=OrderedDict[str, Any])
    _schemas: OrderedDict[str, float] = field(default_factory=OrderedDict[str, Any])

    def note(self, schema_json: str, pattern: tuple[str, int] | None, now: float) -> None:
        """Remember a slow check: its pattern or its schema.

        `pattern` is the pattern that was being matched, with the length of its text. If it is None or longer than
        `MAX_PATTERN`, the schema is remembered instead.
        """
        if pattern is not None and len(pattern[0]) <= MAX_PATTERN:
            text, length = pattern
            known = self._patterns.get(text)
            shortest = length if known is None or known[0] <= now else min(length, known[1])
            _remember(self._patterns, text, (now + WINDOW_SECONDS, shortest))
        else:
            _remember(self._schemas, without_notes(schema_json), now + WINDOW_SECONDS)

    def has(self, schema_json: str, now: float) -> bool:
        """Return True if a schema was slow recently."""
        until = self._schemas.get(without_notes(schema_json), 0.0) if self._schemas else 0.0
        return until > now

    def patterns(self, now: float) -> dict[str, int]:
        """Return the patterns that took too long recently, with the text length from which they are refused."""
        return {text: length for text, (until, length) in self._patterns.items() if until > now}

    def forget(self) -> None:
        """Forget all slow patterns and schemas, so that they are allowed again."""
        self._patterns.clear()
        self._schemas.clear()


@dataclass(eq=False)
class FairQueue(Generic[Item]):
    """A queue that serves several accounts fairly. An account is a conversation or a tool server, for example.

    The account that spent least is next. Among accounts that spent the same, the account that has waited longest is
    next.
    """

    _waiting: dict[str, deque[Item]] = field(default_factory=dict[str, Any])

    def add(self, account: str, item: Item) -> None:
        """Add an item of an account to the queue, after the account's other items."""
        self._waiting.setdefault(account, deque()).append(item)

    def take(self, spent: Callable[[str], float]) -> Item:
        """Remove and return the next item, one of the account that spent least. An item must be waiting.

        `spent` returns the processor time that an account spent.
        """
        account = min(self._waiting, key=spent)  # of several equal accounts, the one that was added first
        items = self._waiting.pop(account)
        item = items.popleft()
        if items:
            self._waiting[account] = items  # puts the account behind the others
        return item


def without_notes(schema_json: str) -> str:
    """Return a schema without its keywords for people, so that schemas that need the same work have equal text.

    >>> without_notes('{"title": "One", "pattern": "a", "properties": {"title": {"type": "string"}}}')
    '{"pattern":"a","properties":{"title":{"type":"string"}}}'
    """
    try:
        return json.dumps(
            json.loads(schema_json, object_pairs_hook=_leave_notes), separators=(",", ":"), sort_keys=True
        )
    except (ValueError, RecursionError):
        return schema_json


def _leave_notes(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    return {name: value for name, value in pairs if name not in _NOTES or not isinstance(value, str)}


def _remember(kept: OrderedDict[str, Any], key: str, value: object) -> None:
    kept[key] = value
    kept.move_to_end(key)
    while len(kept) > MAX_REMEMBERED:
        kept.popitem(last=False)
