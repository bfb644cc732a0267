"""Warmth: which prefixes of requests a vendor is believed to have cached now, by its own reports.

It is worked out from the calls that were made, never stored: what a call marked, and what its provider said it had read
and written. A report corrects the belief: who reads less than was believed to be there has lost it.

    warmth = replay(calls, rules)                    # oldest call first
    warmth.alive(now)

Where the vendors' public rules leave something open, the poorer case is assumed: reading an entry prolongs that entry
alone, and a call of which no usage is known has left nothing behind.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from app.domain.cache.prefix import Prefix
from app.domain.cache.rules import CacheRules, CacheStyle
from app.domain.usage import Usage


@dataclass(frozen=True, slots=True)
class Mark:
    """A breakpoint at the end of a place (see `prefix`), and for how many seconds it is to be kept."""

    place: int
    lifetime: int


@dataclass(frozen=True, slots=True)
class CachedCall:
    """A call to a model with a cache. `at` is its start, `usage` None: its provider told nothing."""

    run_id: str
    conversation_id: str
    at: datetime
    prefix: Prefix
    marks: tuple[Mark, ...]
    usage: Usage | None


@dataclass(frozen=True, slots=True)
class Entry:
    """A beginning that is kept. `tokens` is what its provider said it has; None: never said."""

    place: int
    key: bytes
    tokens: int | None
    lifetime: int
    expires_at: datetime

    def begins(self, prefix: Prefix) -> bool:
        """Whether that request begins with it."""
        return prefix.begins_with(self.place, self.key)


@dataclass(frozen=True, slots=True)
class Size:
    """A beginning of which the size in tokens is known for sure, kept or not."""

    place: int
    key: bytes
    tokens: int


@dataclass(frozen=True, slots=True)
class Warmth:
    """What is believed of a model's cache. `calls` are those it comes from, oldest first."""

    rules: CacheRules
    entries: tuple[Entry, ...] = ()
    sizes: tuple[Size, ...] = ()
    calls: tuple[CachedCall, ...] = field(default=(), repr=False)

    def alive(self, now: datetime) -> tuple[Entry, ...]:
        """The entries that have not expired."""
        return tuple(entry for entry in self.entries if entry.expires_at > now)


def replay(calls: Iterable[CachedCall], rules: CacheRules) -> Warmth:
    """What is kept after these calls, oldest first."""
    warmth = Warmth(rules)
    for call in calls:
        warmth = after_call(warmth, call)
    return warmth


def after_call(warmth: Warmth, call: CachedCall) -> Warmth:
    """What is kept after one more call."""
    seen = replace(warmth, calls=(*warmth.calls, call))
    if call.usage is None or not call.usage.prompt_tokens:
        return seen
    if warmth.rules.style is CacheStyle.STEPPED:
        return _after_stepped(seen, call, call.usage)
    return _after_marked(seen, call, call.usage)


def _after_stepped(warmth: Warmth, call: CachedCall, usage: Usage) -> Warmth:
    """The whole request is kept; what it shares with older ones is used again, and so prolonged, by being in it."""
    size = _sized(call.prefix, call.prefix.last, usage.prompt_tokens - warmth.rules.closing)
    if size is None:
        return warmth
    lifetime = warmth.rules.lifetimes[0]
    entry = Entry(size.place, size.key, size.tokens, lifetime, call.at + timedelta(seconds=lifetime))
    return replace(warmth, entries=_put(warmth.entries, [entry]), sizes=(*warmth.sizes, size))


def _after_marked(warmth: Warmth, call: CachedCall, usage: Usage) -> Warmth:
    read, written = usage.cache_read_tokens, usage.cache_write_tokens + usage.cache_write_1h_tokens
    if not read and not written:  # shorter than the minimum, or not cached at all
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
            Entry(
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


def _find_read(alive: Sequence[Entry], prefix: Prefix, read: int) -> Entry | None:
    """Which entry was read: the one of that size, else the deepest of which the size is not known."""
    mine = sorted((entry for entry in alive if entry.begins(prefix)), key=lambda entry: -entry.place)
    same = (entry for entry in mine if entry.tokens == read)
    unknown = (entry for entry in mine if entry.tokens is None)
    return next(same, next(unknown, None))


def _infer_read(call: CachedCall, read: int, lifetime: int) -> Entry:
    """What was read of what older calls than are known had left: beyond it a breakpoint would have written."""
    place = call.marks[-1].place
    return Entry(place, call.prefix.key(place), read, lifetime, call.at)


def _learn_sizes(prefix: Prefix, marks: Sequence[Mark], usage: Usage) -> list[Size]:
    """What a report says of the sizes of what was marked: of the last mark, and of the last one for an hour."""
    whole = usage.cache_read_tokens + usage.cache_write_tokens + usage.cache_write_1h_tokens
    learnt = [_sized(prefix, marks[-1].place, whole)]
    long = [mark for mark in marks if mark.lifetime > marks[-1].lifetime]
    if long and usage.cache_write_1h_tokens:
        learnt.append(_sized(prefix, long[-1].place, usage.cache_read_tokens + usage.cache_write_1h_tokens))
    return [size for size in learnt if size is not None]


def _sized(prefix: Prefix, place: int, tokens: int) -> Size | None:
    key = prefix.key(place)
    return Size(place, key, tokens) if key else None


def _without(entries: tuple[Entry, ...], prefix: Prefix, after: int | None) -> tuple[Entry, ...]:
    """The entries less those a request begins with, beyond a place (None: all): it would have read them."""
    return tuple(entry for entry in entries if not entry.begins(prefix) or (after is not None and entry.place <= after))


def _put(entries: tuple[Entry, ...], new: Sequence[Entry]) -> tuple[Entry, ...]:
    """The entries with these in the place of those of the same key."""
    replaced = {(entry.place, entry.key) for entry in new}
    return (*(entry for entry in entries if (entry.place, entry.key) not in replaced), *new)
