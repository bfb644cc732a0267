"""Reads tariffs, with all periods and steps, from the public price table that the package genai-prices contains.

For a vendor that is not in this table, Inview may have its own table (`OWN_TABLES`).

The abilities of a model are in `abilities.py`, the user's prices in `runs/usage/prices.py`.

    >>> from datetime import UTC, datetime
    >>> tariff = read_tariff("anthropic", "claude-opus-4-5")
    >>> tariff.prices_at(datetime(2026, 1, 1, tzinfo=UTC)).cache_write_1h
    Decimal('10')
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, date, datetime, time
from decimal import Decimal
from functools import cache
from types import MappingProxyType
from typing import Any

from app.domain.costs.prices import Period, PriceTier, Tariff, complete_prices
from app.domain.models.model_profile import Prices
from app.providers.models.alibaba_models import OwnEntry, find_alibaba

OWN_TABLES: Mapping[str, Callable[[str], OwnEntry | None]] = MappingProxyType({"alibaba": find_alibaba})
"""Inview's own price tables, by vendor: functions that find the entry of a model by its name."""

_KINDS = ("input_mtok", "output_mtok", "cache_read_mtok", "cache_write_mtok", "cache_write_1h_mtok")


@cache
def read_tariff(vendor: str, name: str) -> Tariff | None:
    """Return the tariff of a model from the table of its vendor, or None if the table has no prices for it."""
    entry = find_entry(vendor, name)
    if entry is None:
        return None
    if isinstance(entry, OwnEntry):
        return entry.tariff
    stated: Any = entry.prices
    if not isinstance(stated, list):
        return _tariff([_period(None, stated)])
    conditional: list[Any] = list(stated)  # pyright: ignore[reportUnknownArgumentType] - the table's own objects
    # The first entry applies if no other does, whatever its condition. The reader of genai-prices has the same rule.
    periods = [_period(None, conditional[0].prices)]
    return _tariff([*periods, *(_period(one.constraint, one.prices) for one in conditional)])


@cache
def find_entry(vendor: str, name: str) -> Any:
    """Return the entry of a model in the table of its vendor, or None if there is none."""
    if (find := OWN_TABLES.get(vendor)) is not None:
        return find(name)
    table, by_id, tables = _read_table(vendor)
    # Most names are ids of entries. It would take a second to match all rules for each of a router's 900 models.
    return by_id.get(name.lower()) or table.find_model(name, all_providers=tables)


@cache
def _read_table(vendor: str) -> tuple[Any, dict[str, Any], Any]:
    from genai_prices.data_snapshot import get_snapshot  # noqa: PLC0415 - 5 MB, needed only for models with a price

    tables = get_snapshot().providers
    table = next(table for table in tables if table.id == vendor)
    return table, {entry.id.lower(): entry for entry in table.models}, tables


def _tariff(periods: Iterable[Period]) -> Tariff | None:
    stated = tuple(periods)
    return Tariff(stated) if any(period.steps for period in stated) else None


def _period(constraint: Any, stated: Any) -> Period:
    """Return a period of a tariff from an entry of the table: its `constraint` (dates, times) and its `stated` prices.

    The period has no price steps if the table has no prices for text, as for models that only make images.
    """
    kinds = [getattr(stated, kind, None) for kind in _KINDS]
    starts = sorted({0}.union(*({tier.start for tier in getattr(price, "tiers", ())} for price in kinds)))
    steps: list[PriceTier] = []
    for start in starts:
        paid, answered, *cached = (_price_above(price, start) for price in kinds)
        if paid is None or answered is None:
            steps.clear()
            break
        steps.append(PriceTier(start, complete_prices(Prices(paid, answered, *cached))))
    return Period(tuple(steps), _day(constraint), _minutes(constraint))


def _price_above(price: Any, start: int) -> Decimal | None:
    """Return the price that applies if the prompt is longer than `start` tokens."""
    if not hasattr(price, "tiers"):
        return price
    # A tier applies only to prompts that are longer than its `start`.
    reached = [tier.price for tier in price.tiers if tier.start <= start]
    return reached[-1] if reached and start else price.base


def _day(constraint: Any) -> date | None:
    return getattr(constraint, "start_date", None)


def _minutes(constraint: Any) -> tuple[int, int] | None:
    if not hasattr(constraint, "start_time"):
        return None
    return _minute(constraint.start_time), _minute(constraint.end_time)


def _minute(at: time) -> int:
    utc = datetime.combine(date(1970, 1, 1), at)
    if at.tzinfo is not None:
        utc = utc.astimezone(UTC)
    return utc.hour * 60 + utc.minute
