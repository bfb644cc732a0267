"""Spending: the usage and cost of several calls, and their cost without a cache.

>>> Spent(calls=1, cost=Cost(Decimal(2)), uncached=Decimal(5)).saved
Decimal('3')
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from decimal import Decimal

from app.domain.conversation.lifecycle import Lifecycle
from app.domain.costs.costs import NOTHING, Cost
from app.domain.costs.prices import without_cache
from app.domain.models.model_profile import Prices
from app.domain.usage import Usage

NO_USAGE = Usage()


@dataclass(frozen=True, slots=True)
class Spent:
    """The usage and cost of several calls.

    - `cut`: the number of those calls that may have used more than their providers reported.
    - `uncached`: the known part of the cost, computed as if every prompt token were uncached input.
    """

    calls: int = 0
    cut: int = 0
    usage: Usage = NO_USAGE
    cost: Cost = NOTHING
    uncached: Decimal = Decimal(0)

    def __add__(self, other: Spent) -> Spent:
        return Spent(
            self.calls + other.calls,
            self.cut + other.cut,
            self.usage + other.usage,
            self.cost + other.cost,
            self.uncached + other.uncached,
        )

    @property
    def saved(self) -> Decimal:
        """The amount that caching saved. Negative if the cache writes cost more than the cache reads saved."""
        return self.uncached - self.cost.amount


def price_calls(calls: int, cut: int, usage: Usage, prices: Prices | None) -> Spent:
    """Return the usage and cost of calls that all have these prices. If `prices` is None, they are unknown."""
    if prices is None:
        return Spent(calls, cut, usage, Cost(at_least=bool(cut) or usage != NO_USAGE))
    free = not any((prices.input, prices.output))
    cost = Cost(usage.cost(prices), at_least=bool(cut) and not free)
    return Spent(calls, cut, usage, cost, without_cache(usage).cost(prices))


def add_up(priced: Iterable[tuple[Prices | None, Sequence[int]]]) -> Spent:
    """Add up calls with different prices.

    Each item has the prices of its calls, and these numbers: the number of calls, the number of calls that were cut
    off, and the counters of `Usage`. The result equals the sum of `price_calls`, but is computed faster: a page may
    need tens of thousands of items.
    """
    counters = [0] * (2 + len(fields(Usage)))
    amount = uncached = Decimal(0)
    at_least = False
    for prices, (calls, cut, fresh, output, read, written, written_1h, reasoning) in priced:
        counted = (calls, cut, fresh, output, read, written, written_1h, reasoning)
        counters = [one + other for one, other in zip(counters, counted, strict=True)]
        if prices is None:
            at_least = at_least or bool(cut or fresh or output or read or written or written_1h)
            continue
        usage = Usage(fresh, output, read, written, written_1h, reasoning)
        cost = usage.cost(prices)
        amount += cost
        cached = read or written or written_1h
        uncached += without_cache(usage).cost(prices) if cached else cost
        at_least = at_least or bool(cut and (prices.input or prices.output))
    calls, cut, *counts = counters
    return Spent(calls, cut, Usage(*counts), Cost(amount, at_least), uncached)


WindowOf = Callable[[Usage], int]


def _all_of_it(usage: Usage) -> int:
    return usage.prompt_tokens + usage.output_tokens


_WINDOWS: dict[str, WindowOf] = {
    "reply": _all_of_it,
    "delegated": _all_of_it,
    "comparison": _all_of_it,
    "summary": lambda usage: usage.output_tokens,
}


def window_after(purpose: str, outcome: Lifecycle, usage: Usage | None) -> int | None:
    """Return the number of tokens in the context window after a call, or None if the call does not change it.

    After a reply, the result is the number of all tokens that the call read and wrote. After a summary, it is only the
    size of the summary, because the summary replaces the earlier pairs. Other calls and failed calls do not change the
    number.

    >>> window_after("reply", Lifecycle.SUCCEEDED, Usage(input_tokens=5, cache_read_tokens=90, output_tokens=7))
    102
    >>> window_after("title", Lifecycle.SUCCEEDED, Usage(input_tokens=5, output_tokens=7)) is None
    True
    """
    if usage is None or outcome is Lifecycle.ERROR or purpose not in _WINDOWS:
        return None
    return _WINDOWS[purpose](usage)
