"""Prices over time: what a model costs at an instant, for a call of a certain length.

A `Tariff` is a list of periods; of those that hold at an instant the last one counts, so what an installation knows
better is put behind what the public table says. Within a period a long prompt may cost more: crossing a step changes
the price of all tokens of that call, as vendors bill it.

All money is US dollars in `Decimal`; days and times of day are UTC, as vendors bill them. Not here: where the figures
come from (`providers/models/tariffs.py`), and costs of several calls (`costs.py`).

    >>> sonnet = Prices(Decimal(3), Decimal(15), Decimal("0.3"), Decimal("3.75"), Decimal(6))
    >>> dear = Prices(Decimal(6), Decimal("22.5"), Decimal("0.6"), Decimal("7.5"), Decimal(12))
    >>> tariff = Tariff((Period((Step(0, sonnet), Step(200_000, dear))),))
    >>> at = datetime(2026, 5, 1, tzinfo=UTC)
    >>> price_usage(Usage(input_tokens=1_000, cache_write_tokens=1_000), tariff, at)
    Decimal('0.00675')
    >>> price_usage(Usage(input_tokens=300_000), tariff, at)
    Decimal('1.8')
    >>> price_usage(Usage(input_tokens=1_000), None, at) is None
    True
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from decimal import Decimal

from app.domain.model_profile import Prices, vendor_and_name
from app.domain.usage import Usage

CACHE_READ = Decimal("0.1")
"""Of the input price: what Anthropic asks for reading from its cache, where a table states nothing newer."""
CACHE_WRITE = Decimal("1.25")
"""Of the input price: what Anthropic asks for writing to its cache for five minutes."""
CACHE_WRITE_1H = Decimal(2)
"""Of the input price: what Anthropic asks for writing to its cache for an hour. All three: their pricing page."""

PROMPT_STEPS = (32_000, 100_000, 128_000, 199_999, 200_000, 256_000, 272_000, 512_000, 524_288)
"""Lengths of prompts at which prices of today change. Sums of calls keep these apart (`size_class`)."""

DAY_MARKS: Mapping[str, tuple[int, ...]] = {"deepseek": (30, 60, 240, 360, 600, 990)}
"""Minutes of the UTC day at which the prices of a vendor change. Sums of its calls keep these apart (`day_part`)."""


@dataclass(frozen=True, slots=True)
class Step:
    """The prices of calls whose prompt has more than `above` tokens."""

    above: int
    prices: Prices


@dataclass(frozen=True, slots=True)
class Period:
    """What holds from a day on (None: always), in the hours between two minutes of the day (None: all day).

    `steps` ascend and begin with 0; without any, nobody knows the price meanwhile. Hours may go past midnight:
    (1380, 60) is from 23:00 to 01:00.
    """

    steps: tuple[Step, ...]
    since: date | None = None
    minutes: tuple[int, int] | None = None

    def holds(self, at: datetime) -> bool:
        """Whether it does at this instant."""
        at = at.astimezone(UTC)
        if self.since is not None and at.date() < self.since:
            return False
        if self.minutes is None:
            return True
        start, end = self.minutes
        minute = at.hour * 60 + at.minute
        return start <= minute < end if start <= end else minute >= start or minute < end

    def prices_of(self, prompt_tokens: int) -> Prices | None:
        """For a prompt of this length; None: nobody knows."""
        reached = [step.prices for step in self.steps if step.above == 0 or prompt_tokens > step.above]
        return reached[-1] if reached else None


@dataclass(frozen=True, slots=True)
class Tariff:
    """What a model costs over time. The last of the periods that hold counts."""

    periods: tuple[Period, ...]

    def prices_at(self, at: datetime, prompt_tokens: int = 0) -> Prices | None:
        """The prices of a call made at this instant; None: nobody knows them."""
        period = next((period for period in reversed(self.periods) if period.holds(at)), None)
        return None if period is None else period.prices_of(prompt_tokens)

    def input_steps_at(self, at: datetime) -> tuple[tuple[int, Decimal], ...]:
        """Past which lengths of prompt the price of input is another one at this instant, and which."""
        period = next((period for period in reversed(self.periods) if period.holds(at)), None)
        return () if period is None else tuple((step.above, step.prices.input) for step in period.steps if step.above)

    def changed(self, periods: Iterable[Period]) -> Tariff:
        """The same with periods that count before all others."""
        return Tariff((*self.periods, *periods))

    @property
    def days(self) -> frozenset[date]:
        """The UTC days with which prices change."""
        return frozenset(period.since for period in self.periods if period.since is not None)

    @property
    def minutes(self) -> frozenset[int]:
        """The minutes of the UTC day with which prices change, but for midnight."""
        return frozenset(minute for period in self.periods for minute in period.minutes or () if minute)

    @property
    def steps(self) -> frozenset[int]:
        """The lengths of prompts past which prices change."""
        return frozenset(step.above for period in self.periods for step in period.steps if step.above)

    def is_even(self, model: str) -> bool:
        """Whether all calls of this model have the same prices in one `day_part` of a UTC day and one `size_class`."""
        return self.minutes <= frozenset(day_marks(model)) and self.steps <= frozenset(PROMPT_STEPS)


def constant(prices: Prices) -> Tariff:
    """These prices, always."""
    return Tariff((Period((Step(0, prices),)),))


FREE = constant(Prices(Decimal(0), Decimal(0)))
"""What a model on a machine of one's own costs."""


def price_usage(usage: Usage, tariff: Tariff | None, at: datetime) -> Decimal | None:
    """US dollars for one call made at this instant; None: nobody knows the price."""
    prices = None if tariff is None else tariff.prices_at(at, usage.prompt_tokens)
    return None if prices is None else usage.cost(prices)


def price_uncached(usage: Usage, tariff: Tariff | None, at: datetime) -> Decimal | None:
    """What the same call would have cost had nothing been read from a cache or written to one."""
    return price_usage(without_cache(usage), tariff, at)


def without_cache(usage: Usage) -> Usage:
    """The same work with every prompt token read afresh."""
    return Usage(
        input_tokens=usage.prompt_tokens, output_tokens=usage.output_tokens, reasoning_tokens=usage.reasoning_tokens
    )


def size_class(prompt_tokens: int) -> int:
    """How many of `PROMPT_STEPS` a prompt is past. The database works it out the same way (`store/ledger/usage.py`).

    >>> size_class(32_000), size_class(32_001), size_class(10**9)
    (0, 1, 9)
    """
    return sum(prompt_tokens > step for step in PROMPT_STEPS)


def shortest_of_class(size: int) -> int:
    """A prompt length of this `size_class`.

    >>> [size_class(shortest_of_class(size)) for size in (0, 4, 9)]
    [0, 4, 9]
    """
    return 0 if size == 0 else PROMPT_STEPS[size - 1] + 1


def day_marks(model: str) -> tuple[int, ...]:
    """The minutes of the UTC day at which sums of calls of this model ("provider:model") begin anew."""
    return DAY_MARKS.get(vendor_and_name(model)[0], ())


def day_part(model: str, at: datetime) -> int:
    """How many of a model's `day_marks` an instant is past. The database works it out the same way.

    >>> noon = datetime(2026, 5, 1, 12, tzinfo=UTC)
    >>> day_part("deepseek:deepseek-chat", noon), day_part("openai:gpt-5", noon)
    (5, 0)
    """
    utc = at.astimezone(UTC)
    return sum(utc.hour * 60 + utc.minute >= mark for mark in day_marks(model))


def complete_prices(prices: Prices) -> Prices:
    """The same with the price of an hour in the cache, where only that of five minutes is stated: by the usual rule."""
    if prices.cache_write is None or prices.cache_write_1h is not None:
        return prices
    return replace(prices, cache_write_1h=prices.input * CACHE_WRITE_1H)
