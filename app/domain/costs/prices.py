"""Prices over time: the price of a model at an instant, for a prompt of a given length.

A `Tariff` is a list of periods. If several periods apply at an instant, the last one in the list counts, so an
installation's own prices are listed after those of the public table. Within a period a long prompt may cost more: if a
prompt has more tokens than a step, the price of that step applies to all tokens of the call, as vendors bill it.

All money is US dollars in `Decimal`. Days and times of day are UTC, as vendors bill them. Not here: the sources of the
prices (`providers/models/tariffs.py`), and costs of several calls (`costs.py`).

    >>> sonnet = Prices(Decimal(3), Decimal(15), Decimal("0.3"), Decimal("3.75"), Decimal(6))
    >>> dear = Prices(Decimal(6), Decimal("22.5"), Decimal("0.6"), Decimal("7.5"), Decimal(12))
    >>> tariff = Tariff((Period((PriceTier(0, sonnet), PriceTier(200_000, dear))),))
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

from app.domain.models.model_profile import Prices, vendor_and_name
from app.domain.usage import Usage

CACHE_READ = Decimal("0.1")
"""Anthropic's price for a cache read, as a share of the input price. Used if the price table has no price for it."""
CACHE_WRITE = Decimal("1.25")
"""Anthropic's price for a cache write with a lifetime of five minutes, as a multiple of the input price."""
CACHE_WRITE_1H = Decimal(2)
"""Anthropic's price for a cache write with a lifetime of an hour, as a multiple of the input price.

Source of `CACHE_READ`, `CACHE_WRITE` and `CACHE_WRITE_1H`: Anthropic's pricing page.
"""

PROMPT_STEPS = (32_000, 100_000, 128_000, 199_999, 200_000, 256_000, 272_000, 512_000, 524_288)
"""Prompt lengths in tokens at which current prices change.

The usage of calls is summed separately for each range (`size_class`).
"""

DAY_MARKS: Mapping[str, tuple[int, ...]] = {"deepseek": (30, 60, 240, 360, 600, 990)}
"""Minutes of the UTC day at which a vendor's prices change.

The usage of calls is summed separately for each part of the day between these minutes (`day_part`).
"""


@dataclass(frozen=True, slots=True)
class PriceTier:
    """The prices of calls whose prompt has more than `above` tokens."""

    above: int
    prices: Prices


@dataclass(frozen=True, slots=True)
class Period:
    """Prices that apply in a period.

    - `since`: the day from which they apply; None: always.
    - `minutes`: the two minutes of each day between which they apply; None: all day. The time between them may include
      midnight: (1380, 60) is from 23:00 to 01:00.
    - `steps`: the prices for each prompt length, ascending; the first one starts at 0. Without steps the price is
      unknown.
    """

    steps: tuple[PriceTier, ...]
    since: date | None = None
    minutes: tuple[int, int] | None = None

    def holds(self, at: datetime) -> bool:
        """Return True if the period applies at this instant."""
        at = at.astimezone(UTC)
        if self.since is not None and at.date() < self.since:
            return False
        if self.minutes is None:
            return True
        start, end = self.minutes
        minute = at.hour * 60 + at.minute
        return start <= minute < end if start <= end else minute >= start or minute < end

    def prices_of(self, prompt_tokens: int) -> Prices | None:
        """Return the prices for a prompt of this length, or None if they are unknown."""
        reached = [step.prices for step in self.steps if step.above == 0 or prompt_tokens > step.above]
        return reached[-1] if reached else None


@dataclass(frozen=True, slots=True)
class Tariff:
    """The prices of a model over time. If several periods apply at an instant, the last one counts."""

    periods: tuple[Period, ...]

    def prices_at(self, at: datetime, prompt_tokens: int = 0) -> Prices | None:
        """Return the prices of a call at this instant, or None if they are unknown."""
        period = next((period for period in reversed(self.periods) if period.holds(at)), None)
        return None if period is None else period.prices_of(prompt_tokens)

    def input_steps_at(self, at: datetime) -> tuple[tuple[int, Decimal], ...]:
        """Return the prompt lengths above which the input price changes at this instant, each with the new price."""
        period = next((period for period in reversed(self.periods) if period.holds(at)), None)
        return () if period is None else tuple((step.above, step.prices.input) for step in period.steps if step.above)

    def changed(self, periods: Iterable[Period]) -> Tariff:
        """Return this tariff with additional periods, which override the existing ones."""
        return Tariff((*self.periods, *periods))

    @property
    def days(self) -> frozenset[date]:
        """The UTC days on which prices change."""
        return frozenset(period.since for period in self.periods if period.since is not None)

    @property
    def minutes(self) -> frozenset[int]:
        """The minutes of the UTC day at which prices change, except midnight."""
        return frozenset(minute for period in self.periods for minute in period.minutes or () if minute)

    @property
    def steps(self) -> frozenset[int]:
        """The prompt lengths above which prices change."""
        return frozenset(step.above for period in self.periods for step in period.steps if step.above)

    def is_even(self, model: str) -> bool:
        """Return True if all calls of this model in one `day_part` and one `size_class` have the same prices.

        Then the price of these calls can be computed from their summed usage.
        """
        return self.minutes <= frozenset(day_marks(model)) and self.steps <= frozenset(PROMPT_STEPS)


def constant(prices: Prices) -> Tariff:
    """Return a tariff with constant prices."""
    return Tariff((Period((PriceTier(0, prices),)),))


FREE = constant(Prices(Decimal(0), Decimal(0)))
"""The tariff of a model that runs on the user's own machine."""


def price_usage(usage: Usage, tariff: Tariff | None, at: datetime) -> Decimal | None:
    """Return the price of one call at this instant in US dollars, or None if it is unknown."""
    prices = None if tariff is None else tariff.prices_at(at, usage.prompt_tokens)
    return None if prices is None else usage.cost(prices)


def price_uncached(usage: Usage, tariff: Tariff | None, at: datetime) -> Decimal | None:
    """Return the price of a call with this usage if it neither read from a cache nor wrote to one."""
    return price_usage(without_cache(usage), tariff, at)


def price_saving(usage: Usage, tariff: Tariff | None, at: datetime) -> Decimal | None:
    """Return the amount that the provider's cache saved at one call, in US dollars, or None if it is unknown.

    It is negative if the cache writes cost more than the cache reads saved.
    """
    paid, uncached = price_usage(usage, tariff, at), price_uncached(usage, tariff, at)
    return None if paid is None or uncached is None else uncached - paid


def without_cache(usage: Usage) -> Usage:
    """Return this usage with every prompt token counted as uncached input."""
    return Usage(
        input_tokens=usage.prompt_tokens, output_tokens=usage.output_tokens, reasoning_tokens=usage.reasoning_tokens
    )


def size_class(prompt_tokens: int) -> int:
    """Return the size class of a prompt: how many of the lengths `PROMPT_STEPS` it exceeds.

    The database computes the same number (`store/ledger/usage.py`).

    >>> size_class(32_000), size_class(32_001), size_class(10**9)
    (0, 1, 9)
    """
    return sum(prompt_tokens > step for step in PROMPT_STEPS)


def shortest_of_class(size: int) -> int:
    """Return the shortest prompt length of this `size_class`.

    >>> [size_class(shortest_of_class(size)) for size in (0, 4, 9)]
    [0, 4, 9]
    """
    return 0 if size == 0 else PROMPT_STEPS[size - 1] + 1


def day_marks(model: str) -> tuple[int, ...]:
    """Return the minutes of the UTC day at which the prices of this model ("provider:model") change."""
    return DAY_MARKS.get(vendor_and_name(model)[0], ())


def day_part(model: str, at: datetime) -> int:
    """Return the part of the UTC day at an instant: how many of the model's `day_marks` have passed on this day.

    The database computes the same number.

    >>> noon = datetime(2026, 5, 1, 12, tzinfo=UTC)
    >>> day_part("deepseek:deepseek-chat", noon), day_part("openai:gpt-5", noon)
    (5, 0)
    """
    utc = at.astimezone(UTC)
    return sum(utc.hour * 60 + utc.minute >= mark for mark in day_marks(model))


def complete_prices(prices: Prices) -> Prices:
    """Add the price of a one-hour cache write, twice the input price, if only the five-minute price is known."""
    if prices.cache_write is None or prices.cache_write_1h is not None:
        return prices
    return replace(prices, cache_write_1h=prices.input * CACHE_WRITE_1H)
