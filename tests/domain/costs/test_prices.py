"""Prices over time and costs: the cost of a call, at a time and for a length of prompt."""

from __future__ import annotations

from dataclasses import astuple
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.conversation.lifecycle import Lifecycle
from app.domain.costs.costs import UNKNOWN, Cost, is_cut_short, price_call
from app.domain.costs.prices import (
    DAY_MARKS,
    FREE,
    PROMPT_STEPS,
    Period,
    PriceTier,
    Tariff,
    complete_prices,
    constant,
    day_part,
    price_saving,
    price_uncached,
    price_usage,
    shortest_of_class,
    size_class,
)
from app.domain.costs.spending import Spent, add_up, price_calls
from app.domain.errors import ErrorClass
from app.domain.models.model_profile import Prices
from app.domain.usage import Usage

AT = datetime(2026, 5, 1, 12, tzinfo=UTC)
CHEAP = Prices(Decimal(1), Decimal(2))
SONNET = Prices(Decimal(3), Decimal(15), Decimal("0.3"), Decimal("3.75"), Decimal(6))
DEAR = Prices(Decimal(10), Decimal(20))

counters = st.integers(min_value=0, max_value=10**9)
usages = st.builds(Usage, counters, counters, counters, counters, counters, st.just(0))


def test_a_price_holds_from_its_day_on_in_utc() -> None:
    tariff = Tariff((Period((PriceTier(0, CHEAP),)), Period((PriceTier(0, DEAR),), since=date(2026, 5, 2))))
    one_token = Usage(input_tokens=1_000_000)
    new_york = timezone(timedelta(hours=-4))

    assert price_usage(one_token, tariff, AT) == 1
    assert price_usage(one_token, tariff, datetime(2026, 5, 1, 19, 59, tzinfo=new_york)) == 1
    assert price_usage(one_token, tariff, datetime(2026, 5, 1, 20, 0, tzinfo=new_york)) == 10


def test_what_an_installation_knows_better_counts_before_the_table() -> None:
    table = constant(DEAR)

    mine = table.changed([Period((PriceTier(0, CHEAP),), since=date(2026, 5, 1)), Period((), since=date(2026, 6, 1))])

    assert mine.prices_at(AT) == CHEAP
    assert mine.prices_at(AT - timedelta(days=1)) == DEAR
    assert mine.prices_at(AT + timedelta(days=60)) is None


def test_hours_may_go_past_midnight() -> None:
    night = Tariff((Period((PriceTier(0, DEAR),)), Period((PriceTier(0, CHEAP),), minutes=(23 * 60, 60))))

    assert [
        night.prices_at(datetime(2026, 5, 1, hour, minute, tzinfo=UTC)) == CHEAP
        for hour, minute in ((22, 59), (23, 0), (0, 59), (1, 0))
    ] == [False, True, True, False]


def test_a_prompt_past_a_step_pays_more_for_every_token_of_the_call() -> None:
    tariff = Tariff((Period((PriceTier(0, CHEAP), PriceTier(200_000, DEAR))),))

    at_the_step = price_usage(Usage(input_tokens=100_000, cache_read_tokens=100_000, output_tokens=1), tariff, AT)
    past_it = price_usage(Usage(input_tokens=100_001, cache_read_tokens=100_000, output_tokens=1), tariff, AT)

    assert at_the_step == Decimal("0.200002")
    assert past_it == Decimal("2.00003")


def test_an_hour_in_the_cache_costs_twice_the_input_unless_something_else_is_stated() -> None:
    stated = Prices(Decimal(3), Decimal(15), Decimal("0.3"), Decimal("3.75"))

    assert complete_prices(stated).cache_write_1h == 6
    assert complete_prices(CHEAP) == CHEAP


@given(usages)
def test_the_same_work_without_a_cache_has_as_many_tokens(usage: Usage) -> None:
    tariff = constant(Prices(Decimal(3), Decimal(15), Decimal(3), Decimal(3), Decimal(3)))

    assert price_uncached(usage, tariff, AT) == price_usage(usage, tariff, AT)


def test_cache_saves_the_difference_to_the_input_price_and_costs_more_where_it_is_only_written() -> None:
    tariff = constant(Prices(Decimal(3), Decimal(15), Decimal("0.3"), Decimal("3.75")))

    assert price_saving(Usage(100, 7, cache_read_tokens=1_000_000), tariff, AT) == Decimal("2.7")
    assert price_saving(Usage(100, 7, cache_write_tokens=1_000_000), tariff, AT) == Decimal("-0.75")
    assert price_saving(Usage(100, 7), tariff, AT) == 0
    assert price_saving(Usage(100, 7), None, AT) is None


@given(st.integers(min_value=0, max_value=10**7))
def test_prompts_of_one_class_have_one_price(prompt: int) -> None:
    steps = tuple(PriceTier(above, Prices(Decimal(above + 1), Decimal(1))) for above in (0, *PROMPT_STEPS))
    tariff = Tariff((Period(steps),))

    assert tariff.is_even("anthropic:a")
    assert tariff.prices_at(AT, prompt) == tariff.prices_at(AT, shortest_of_class(size_class(prompt)))


@given(st.integers(min_value=0, max_value=24 * 60 - 1), st.sampled_from(DAY_MARKS["deepseek"]))
def test_calls_in_one_part_of_the_day_have_one_price(minute: int, mark: int) -> None:
    model = "deepseek:d"
    tariff = Tariff((Period((PriceTier(0, CHEAP),)), Period((PriceTier(0, DEAR),), minutes=(mark, 30))))
    at = AT.replace(hour=minute // 60, minute=minute % 60)
    part = day_part(model, at)
    start = (0, *DAY_MARKS["deepseek"])[part]

    assert tariff.is_even(model)
    assert tariff.prices_at(at) == tariff.prices_at(AT.replace(hour=start // 60, minute=start % 60))


def test_sums_are_not_exact_for_every_tariff() -> None:
    hourly = Tariff((Period((PriceTier(0, CHEAP),), minutes=(0, 60)),))
    assert not Tariff((Period((PriceTier(0, CHEAP), PriceTier(77_777, DEAR))),)).is_even("anthropic:a")
    assert not hourly.is_even("anthropic:a")
    assert hourly.is_even("deepseek:d")


# --- costs ---


def test_an_unknown_price_is_at_least_nothing_and_never_zero() -> None:
    cost = price_call(None, AT, Usage(input_tokens=5), Lifecycle.SUCCEEDED)

    assert cost == UNKNOWN
    assert Cost(Decimal(1)) + cost == Cost(Decimal(1), at_least=True)


@pytest.mark.parametrize(
    ("outcome", "error_class", "usage", "at_least"),
    [
        (Lifecycle.SUCCEEDED, None, Usage(input_tokens=1), False),
        (Lifecycle.SUCCEEDED, None, None, True),
        (Lifecycle.CANCELED, None, Usage(input_tokens=1), True),
        (Lifecycle.CANCELED, None, None, True),
        (Lifecycle.ERROR, ErrorClass.STREAM, None, True),
        (Lifecycle.ERROR, ErrorClass.INTERRUPTED, Usage(input_tokens=1), True),
        (Lifecycle.ERROR, ErrorClass.RATE, None, False),
        (Lifecycle.ERROR, ErrorClass.AUTH, None, False),
        (Lifecycle.ERROR, ErrorClass.OVERLOADED, Usage(input_tokens=1), True),
    ],
)
def test_a_call_that_was_cut_short_cost_at_least_the_reported_usage(
    outcome: Lifecycle, error_class: ErrorClass | None, usage: Usage | None, at_least: bool
) -> None:
    assert is_cut_short(outcome, error_class, reported=usage is not None) is at_least
    assert price_call(constant(CHEAP), AT, usage, outcome, error_class).at_least is at_least
    assert price_call(FREE, AT, usage, outcome, error_class) == Cost()


def test_cost_of_a_call_whose_report_could_not_be_read_whole_is_at_least() -> None:
    usage = Usage(input_tokens=5)

    assert price_call(constant(CHEAP), AT, usage, Lifecycle.SUCCEEDED, faulty=True).at_least
    assert not price_call(constant(CHEAP), AT, usage, Lifecycle.SUCCEEDED).at_least


@given(st.lists(st.tuples(st.none() | st.just(CHEAP) | st.just(SONNET), st.integers(0, 3), usages), max_size=6))
def test_adding_up_is_the_sum_of_what_each_came_to(drawn: list[tuple[Prices | None, int, Usage]]) -> None:
    priced = [(prices, (cut + 1, cut, *astuple(usage))) for prices, cut, usage in drawn]

    together = sum((price_calls(cut + 1, cut, usage, prices) for prices, cut, usage in drawn), start=Spent())

    assert add_up(priced) == together
