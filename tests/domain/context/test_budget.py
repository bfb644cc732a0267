from __future__ import annotations

from decimal import Decimal
from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.context.budget import Limits, RequestSizes, fit_newest, plan_budget


def test_the_soft_cap_is_the_share_of_the_window_that_may_be_used() -> None:
    budget = plan_budget(128_000, Limits(), RequestSizes(system=100, tools=20, draft=30))

    assert (budget.total, budget.available, budget.limited_by) == (120_320, 120_320 - 800 - 150, "window")


@pytest.mark.parametrize(
    ("limits", "total", "limited_by"),
    [
        (Limits(tokens=5_000), 5_000, "token ceiling"),
        (Limits(money=Decimal("0.03")), 10_000, "money ceiling"),
        (Limits(tokens=5_000, money=Decimal("0.003")), 1_000, "money ceiling"),
        (Limits(tokens=-7), 0, "token ceiling"),
    ],
)
def test_the_least_ceiling_is_the_budget_and_is_named(limits: Limits, total: int, limited_by: str) -> None:
    budget = plan_budget(128_000, limits, RequestSizes(), input_price=Decimal(3))

    assert (budget.total, budget.limited_by) == (total, limited_by)


@pytest.mark.parametrize(
    ("money", "total"), [("0.50", 200_000), ("0.80", 272_000), ("1", 272_000), ("1.60", 320_000), ("2", 400_000)]
)
def test_money_buys_fewer_tokens_above_a_step_of_the_price(money: str, total: int) -> None:
    limits, steps = Limits(soft_cap=Decimal(1), money=Decimal(money)), ((272_000, Decimal(5)),)

    budget = plan_budget(400_000, limits, RequestSizes(), input_price=Decimal("2.5"), input_steps=steps)

    assert budget.total == total


def test_money_cannot_limit_what_has_no_known_price() -> None:
    assert plan_budget(10_000, Limits(money=Decimal("0.01")), RequestSizes()).limited_by == "window"


def test_nothing_fits_when_the_rest_of_the_request_is_too_large() -> None:
    budget = plan_budget(8_192, Limits(), RequestSizes(draft=9_000))

    assert budget.available == 0
    assert fit_newest([1], budget.available) == 0


@given(st.lists(st.integers(0, 1_000), max_size=30), st.integers(0, 5_000))
def test_the_boundary_keeps_the_longest_run_of_newest_pairs_that_fits(tokens: list[int], available: int) -> None:
    kept = fit_newest(list(accumulate(reversed(tokens))), available)

    assert sum(tokens[len(tokens) - kept :]) <= available
    if kept < len(tokens):
        assert sum(tokens[len(tokens) - kept - 1 :]) > available
