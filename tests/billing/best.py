"""The best possible plan for a session, by searches that know the future: `improve` and `find_least`.

`improve` visits the requests of a session again and again. For each it tries every other placement of breakpoints,
billed by the rules together with all later requests, until it finds no improvement. The result is a plan that could
have been made. A better plan may exist. `find_least` returns a lower bound for all plans:

A prompt is a path in a tree of prefixes: each node is one block after certain other blocks. A node is needed whenever a
request passes through it. Each time it is read if it is cached, or written for five minutes or an hour, or just
processed. For one node all courses are searched, so the cheapest is certain.

The nodes are searched one by one. This ignores rules that only increase the cost: four breakpoints, the short lookback,
and writes that must follow directly after the part that was read. Also, reading prolongs every block that is read, and
turns it into one cached for an hour without cost. So no plan by the rules costs less than this bound: a plan near the
bound is near the best plan.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import cache
from itertools import product
from typing import Any

from tests.billing.anthropic import LONG, PLAIN, READ, SHORT, AnthropicCache, Block, Kept, list_blocks, price

Marks = Mapping[int, int]
Course = list[tuple[list[Block], datetime]]
HOUR, SHORT_LIFE = 3_600, 300


def find_least(requests: Sequence[tuple[dict[str, Any], datetime]], minimum: int) -> float:
    """Return a lower bound for the cost of the prompts of these requests, in prices of a token of input."""
    times: dict[str, list[tuple[float, bool]]] = {}
    tokens: dict[str, int] = {}
    for body, at in requests:
        blocks = list_blocks(body)
        cacheable = sum(block.tokens for block in blocks) >= minimum
        for block in blocks:
            times.setdefault(block.key, []).append((at.timestamp(), cacheable))
            tokens[block.key] = block.tokens
    return sum(tokens[key] * _least(tuple(asked)) for key, asked in times.items())


@cache
def _least(asked: tuple[tuple[float, bool], ...], kept_until: float = 0.0) -> float:
    """Return the lower bound for one token that is needed at these times, the earliest first."""
    if not asked:
        return 0.0
    (at, cacheable), later = asked[0], asked[1:]
    if kept_until > at and cacheable:
        return READ + _least(later, at + 3_600)
    courses = [PLAIN + _least(later)]
    if cacheable:
        courses += [SHORT + _least(later, at + 300), LONG + _least(later, at + 3_600)]
    return min(courses)


def improve(requests: Sequence[tuple[dict[str, Any], datetime]], minimum: int) -> float:
    """Return the cost of these requests with the best breakpoints that a search finds, starting with their own."""
    course = [(list_blocks(body), at) for body, at in requests]
    plans: list[Marks] = [
        {n: block.lifetime for n, block in enumerate(blocks) if block.lifetime} for blocks, _ in course
    ]
    branches = [_branches(course, number) for number in range(len(course))]
    best, gained = _price_from(course, plans, 0, {}, minimum), True
    while gained:
        gained, kept, spent = False, dict[str, Kept](), 0.0
        for number in range(len(course)):
            left = best - spent
            for marks in _ways(course, number, branches[number], kept):
                cost = _price_from(course, [*plans[:number], marks, *plans[number + 1 :]], number, kept, minimum)
                if cost < left - 0.5:
                    left, gained, plans[number] = cost, True, marks
            best = spent + left
            cache_ = AnthropicCache(minimum, _copy(kept))
            spent += price(cache_.bill_blocks(course[number][0], plans[number], course[number][1]))
            kept = cache_.entries
    return best


def _ways(course: Course, number: int, branches: Sequence[int], kept: Mapping[str, Kept]) -> Iterator[Marks]:
    """Yield ways to mark a request: its newest cached prefix; then where to write, and up to where for an hour."""
    blocks, at = course[number]
    alive = [n for n, block in enumerate(blocks) if block.key in kept and kept[block.key].expires_at > at]
    for last, middle, hour in product((None, *branches), (None, *branches), (None, *branches)):
        places = sorted({place for place in (last, middle, hour, alive[-1] if alive else None) if place is not None})
        if last is not None and places and places[-1] != last:
            continue
        yield {place: HOUR if hour is not None and place <= hour else SHORT_LIFE for place in places}


def _branches(course: Course, number: int) -> list[int]:
    """Return the blocks at which a later request diverges from this one, or continues it."""
    keys = {block.key: n for n, block in enumerate(course[number][0])}
    shared = (max((keys[b.key] for b in blocks if b.key in keys), default=None) for blocks, _ in course[number + 1 :])
    return sorted({place for place in shared if place is not None})


def _price_from(course: Course, plans: Sequence[Marks], start: int, kept: Mapping[str, Kept], minimum: int) -> float:
    cache_ = AnthropicCache(minimum, _copy(kept))
    rest = zip(course[start:], plans[start:], strict=True)
    return sum(price(cache_.bill_blocks(blocks, marks, at)) for (blocks, at), marks in rest)


def _copy(kept: Mapping[str, Kept]) -> dict[str, Kept]:
    return {key: Kept(one.lifetime, one.expires_at) for key, one in kept.items()}
