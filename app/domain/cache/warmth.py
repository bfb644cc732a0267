"""Warmth: the prefixes of requests that a vendor probably has cached now, according to its own reports.

Warmth is computed from the calls that were made, and never stored. A call has its breakpoints and the tokens that its
provider reported as read and written. A report corrects the estimate: if less was read than expected, the rest is no
longer cached.

    warmth = replay(calls, rules)                    # oldest call first
    warmth.alive(now)

If the vendors' public rules do not cover a case, the worse case is assumed: reading an entry extends the lifetime of
only that entry, and a call whose usage is unknown has cached nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from app.domain.cache.prefix import Prefix
from app.domain.cache.rules import CacheRules, CacheStyle
from app.domain.usage import Usage


@dataclass(frozen=True, slots=True)
class Breakpoint:
    """A breakpoint of a request: the vendor caches the request up to the end of `place` (see `prefix.py`).

    `lifetime` is the lifetime of the cache entry in seconds.
    """

    place: int
    lifetime: int


@dataclass(frozen=True, slots=True)
class CachedCall:
    """A call to a model that caches prompts. `at` is its start, `marks` are its breakpoints.

    `usage` is the usage that the provider reported, or None.
    """

    run_id: str
    conversation_id: str
    at: datetime
    prefix: Prefix
    marks: tuple[Breakpoint, ...]
    usage: Usage | None


@dataclass(frozen=True, slots=True)
class CachedPrefix:
    """A cached prefix.

    - `place`: the place where the prefix ends.
    - `key`: the hash that identifies the prefix (see `prefix.py`).
    - `tokens`: the size that the provider reported, or None if it never reported one.
    - `lifetime`: the lifetime in seconds.
    """

    place: int
    key: bytes
    tokens: int | None
    lifetime: int
    expires_at: datetime

    def begins(self, prefix: Prefix) -> bool:
        """Return true if the request begins with this cached prefix."""
        return prefix.begins_with(self.place, self.key)


@dataclass(frozen=True, slots=True)
class Size:
    """A prefix whose exact size in tokens is known. It may be cached or not."""

    place: int
    key: bytes
    tokens: int


@dataclass(frozen=True, slots=True)
class Warmth:
    """The probable state of a model's cache.

    - `entries`: the cached prefixes.
    - `sizes`: the prefixes whose size is known.
    - `calls`: the calls that this state is computed from, oldest first.
    """

    rules: CacheRules
    entries: tuple[CachedPrefix, ...] = ()
    sizes: tuple[Size, ...] = ()
    calls: tuple[CachedCall, ...] = field(default=(), repr=False)

    def alive(self, now: datetime) -> tuple[CachedPrefix, ...]:
        """Return the cached prefixes that have not expired."""
        return tuple(entry for entry in self.entries if entry.expires_at > now)


def replay(calls: Iterable[CachedCall], rules: CacheRules) -> Warmth:
    """Compute the state of the cache after these calls, oldest first."""
    warmth = Warmth(rules)
    for call in calls:
        warmth = after_call(warmth, call)
    return warmth


def after_call(warmth: Warmth, call: CachedCall) -> Warmth:
    """Compute the state of the cache after one more call."""
    seen = replace(warmth, calls=(*warmth.calls, call))
    if call.usage is None or not call.usage.prompt_tokens:
        return seen
    if warmth.rules.style is CacheStyle.STEPPED:
        return _after_stepped(seen, call, call.usage)
    return _after_marked(seen, call, call.usage)


def _after_stepped(warmth: Warmth, call: CachedCall, usage: Usage) -> Warmth:
    """Add an entry for the whole request of a call.

    Until the entry expires, a later request can read any prefix that it shares with this request.
    """
    size = _sized(call.prefix, call.prefix.last, usage.prompt_tokens - warmth.rules.closing)
    if size is None:
        return warmth
    lifetime = warmth.rules.lifetimes[0]
    entry = CachedPrefix(size.place, size.key, size.tokens, lifetime, call.at + timedelta(seconds=lifetime))
    return replace(warmth, entries=_put(warmth.entries, [entry]), sizes=(*warmth.sizes, size))


def _after_marked(warmth: Warmth, call: CachedCall, usage: Usage) -> Warmth:
    read, written = usage.cache_read_tokens, usage.cache_write_tokens + usage.cache_write_1h_tokens
    if not read and not written:  # the prefix is shorter than the minimum, or was not cached
        return replace(warmth, entries=_without(warmth.entries, call.prefix, after=None))
    hit = _find_read(warmth.alive(call.at), call.prefix, read) if read else None
    if read and hit is None and not written and call.marks:
        hit = _infer_read(call, read, min(warmth.rules.lifetimes))
    entries = _without(warmth.entries, call.prefix, after=None if hit is None else hit.place)
    sizes = list(warmth.sizes)
    if hit is not None:
        again = replace(hit, tokens=read, expires_at=call.at + timedelta(seconds=hit.lifetime))
        entries = _put(entries, [again])
        sizes.append(Size(hit.place, hit.key, read))
    marks = [mark for mark in call.marks if hit is None or mark.place > hit.place]
    if written and marks:
        known = _learn_sizes(call.prefix, marks, usage)
        sizes += known
        tokens = {size.place: size.tokens for size in known}
        new = [
            CachedPrefix(
                mark.place,
                call.prefix.key(mark.place),
                tokens.get(mark.place),
                mark.lifetime,
                call.at + timedelta(seconds=mark.lifetime),
            )
            for mark in marks
        ]
        entries = _put(entries, new)
    return replace(warmth, entries=entries, sizes=tuple(dict.fromkeys(sizes)))


def _find_read(alive: Sequence[CachedPrefix], prefix: Prefix, read: int) -> CachedPrefix | None:
    """Return the cached prefix that a call read: one of the size `read`, otherwise the longest of unknown size."""
    mine = sorted((entry for entry in alive if entry.begins(prefix)), key=lambda entry: -entry.place)
    same = (entry for entry in mine if entry.tokens == read)
    unknown = (entry for entry in mine if entry.tokens is None)
    return next(same, next(unknown, None))


def _infer_read(call: CachedCall, read: int, lifetime: int) -> CachedPrefix:
    """Return the cached prefix that a call read, but that no known call wrote. An older call must have written it.

    The prefix ends at the last breakpoint of the call: if it ended earlier, the call would have written the rest.
    """
    place = call.marks[-1].place
    return CachedPrefix(place, call.prefix.key(place), read, lifetime, call.at)


def _learn_sizes(prefix: Prefix, marks: Sequence[Breakpoint], usage: Usage) -> list[Size]:
    """Return the exact sizes in a usage report: up to the last breakpoint, and up to the last one for an hour."""
    whole = usage.cache_read_tokens + usage.cache_write_tokens + usage.cache_write_1h_tokens
    learnt = [_sized(prefix, marks[-1].place, whole)]
    long = [mark for mark in marks if mark.lifetime > marks[-1].lifetime]
    if long and usage.cache_write_1h_tokens:
        learnt.append(_sized(prefix, long[-1].place, usage.cache_read_tokens + usage.cache_write_1h_tokens))
    return [size for size in learnt if size is not None]


def _sized(prefix: Prefix, place: int, tokens: int) -> Size | None:
    key = prefix.key(place)
    return Size(place, key, tokens) if key else None


def _without(entries: tuple[CachedPrefix, ...], prefix: Prefix, after: int | None) -> tuple[CachedPrefix, ...]:
    """Leave out the entries that a call could have read but did not read, because they are no longer cached.

    These entries are beginnings of the call's request that end after the place `after` (None: at any place).
    """
    return tuple(entry for entry in entries if not entry.begins(prefix) or (after is not None and entry.place <= after))


def _put(entries: tuple[CachedPrefix, ...], new: Sequence[CachedPrefix]) -> tuple[CachedPrefix, ...]:
    """Add the `new` entries. A new entry replaces the entry with the same place and key."""
    replaced = {(entry.place, entry.key) for entry in new}
    return (*(entry for entry in entries if (entry.place, entry.key) not in replaced), *new)
