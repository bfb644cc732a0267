"""The public price table as tariffs: the same prices as its own reader finds, at any time and for any length."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from genai_prices.data_snapshot import get_snapshot

from app.domain.costs.prices import PROMPT_STEPS
from app.providers.models.alibaba_models import ALIBABA_MODELS
from app.providers.models.tariffs import OWN_TABLES, read_tariff
from app.providers.registry import PROVIDERS

VENDORS = sorted({row.prices for row in PROVIDERS.values() if row.prices} - set(OWN_TABLES))
LENGTHS = sorted({0, 10**7, *PROMPT_STEPS, *(step + 1 for step in PROMPT_STEPS)})


def _entries(vendor: str) -> list[Any]:
    return next(table.models for table in get_snapshot().providers if table.id == vendor)


def _instants(entry: Any) -> list[datetime]:
    """Return times around every change of the entry, and a day in steps of half an hour."""
    stated: Any = entry.prices
    conditional: list[Any] = stated if hasattr(stated, "append") else []
    changes = [getattr(one.constraint, "start_date", None) or date(2026, 1, 1) for one in conditional]
    around = [
        datetime(day.year, day.month, day.day, tzinfo=UTC) + timedelta(seconds=seconds)
        for day in changes
        for seconds in (-1, 0)
    ]
    if any(hasattr(one.constraint, "start_time") for one in conditional):
        around += [datetime(2026, 3, 3, tzinfo=UTC) + timedelta(minutes=30 * half) for half in range(48)]
    return [datetime(2026, 11, 1, 12, tzinfo=UTC), *around]


def _read(price: Any, prompt: int) -> Decimal | None:
    """Return a price by the table's own documentation: crossing a tier changes the price of all tokens."""
    for tier in reversed(getattr(price, "tiers", ())):
        if prompt > tier.start:
            return tier.price
    return getattr(price, "base", price)


@pytest.mark.parametrize("vendor", VENDORS)
def test_every_price_of_the_table_is_read_as_the_table_has_it(vendor: str) -> None:
    looked_at = 0
    for entry in _entries(vendor):
        tariff = read_tariff(vendor, entry.id)
        for at in _instants(entry):
            stated = entry.get_prices(at)
            for prompt in LENGTHS:
                ours = None if tariff is None else tariff.prices_at(at, prompt)
                paid, answered = _read(stated.input_mtok, prompt), _read(stated.output_mtok, prompt)
                if paid is None or answered is None:
                    assert ours is None, entry.id
                    continue
                assert ours is not None, entry.id
                assert (ours.input, ours.output) == (paid, answered), (entry.id, at, prompt)
                assert ours.cache_read == _read(stated.cache_read_mtok, prompt)
                assert ours.cache_write == _read(stated.cache_write_mtok, prompt)
                looked_at += 1
    assert looked_at


def test_steps_of_the_table_are_those_that_sums_keep_apart() -> None:
    starts: set[int] = set()
    for vendor in VENDORS:
        for entry in _entries(vendor):
            tariff = read_tariff(vendor, entry.id)
            starts |= {step.above for period in (tariff.periods if tariff else ()) for step in period.steps}

    assert starts - {0} <= set(PROMPT_STEPS)


def test_all_of_the_table_can_be_priced_from_sums() -> None:
    uneven = [
        f"{name}:{entry.id}"
        for name, row in PROVIDERS.items()
        if row.prices and row.prices not in OWN_TABLES
        for entry in _entries(row.prices)
        if (tariff := read_tariff(row.prices, entry.id)) and not tariff.is_even(f"{name}:{entry.id}")
    ]

    assert uneven == []


def test_own_tables_can_be_priced_from_sums() -> None:
    entries = [(f"alibaba:{name}", entry.tariff) for name, entry in ALIBABA_MODELS.items() if entry.tariff]

    assert len(entries) > 10
    assert all(tariff.is_even(model) for model, tariff in entries)
    for _, tariff in entries:
        for step in tariff.periods[0].steps:
            assert step.prices.cache_read is not None
            assert step.prices.cache_read < step.prices.input < step.prices.output


def test_an_unknown_model_has_no_tariff() -> None:
    assert read_tariff("anthropic", "claude-of-nowhere") is None
