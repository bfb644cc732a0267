"""Usage reports: the database finds the most expensive conversations, and nothing is lost or rounded."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from random import Random

import pytest

from app.domain.conversation.lifecycle import Lifecycle
from app.domain.costs.prices import Period, PriceTier, Tariff
from app.domain.costs.spending import Spent
from app.domain.errors import ErrorClass
from app.domain.models.model_profile import Prices
from app.domain.usage import Usage
from app.runs.app_context import AppContext
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.usage.accounts import price_one
from app.runs.usage.prices import learn_tariffs, set_price
from app.runs.usage.usage import report_usage
from app.runs.wiring import open_app_context
from app.store.ledger.ledger import EndedCall, insert_calls
from app.store.ledger.prices import OwnPrice
from app.store.ledger.usage import UsageQuery
from tests.runs.steps import settings_of

MODELS = (
    *("anthropic:claude-sonnet-4-5", "deepseek:deepseek-chat", "deepseek:deepseek-v4-pro"),
    *("openai:gpt-5", "google:gemini-2.5-pro", "xai:nobody-knows-it"),
)
OUTCOMES = (Lifecycle.SUCCEEDED, Lifecycle.SUCCEEDED, Lifecycle.SUCCEEDED, Lifecycle.CANCELED, Lifecycle.ERROR)
FIRST = datetime(2026, 8, 1, tzinfo=UTC)
CONVERSATIONS = 40
CHEAP, DEAR = Prices(Decimal("0.5"), Decimal(1)), Prices(Decimal(50), Decimal(100))


@pytest.fixture
async def booked(tmp_path: Path) -> AsyncGenerator[tuple[AppContext, tuple[EndedCall, ...]]]:
    """Open an app context with two thousand calls of models with all kinds of prices."""
    calls = tuple(make_calls(2_000))
    async with open_app_context(settings_of(tmp_path)) as ctx:
        async with ctx.store.write() as session:
            await insert_calls(session, calls)
        yield ctx, calls


def make_calls(count: int) -> list[EndedCall]:
    random = Random(3)
    calls: list[EndedCall] = []
    for number in range(count):
        at = FIRST + timedelta(minutes=random.randrange(60 * 24 * 60))
        outcome = random.choice(OUTCOMES)
        usage = Usage(*(random.randrange(most) for most in (150_000, 4_000, 120_000, 30_000, 30_000, 500)))
        told = usage if random.random() < 0.9 else None
        failed = ErrorClass.STREAM if outcome is Lifecycle.ERROR else None
        conversation_id = f"c{random.randrange(CONVERSATIONS)}"
        call = EndedCall(
            f"l{number}", LOCAL_OWNER, conversation_id, "", f"r{number}", 1, "openai:gpt-5", outcome, at, at
        )
        calls.append(replace(call, model=random.choice(MODELS), error_class=failed, usage=told))
    return calls


@pytest.mark.parametrize(
    "asked",
    [
        UsageQuery(),
        UsageQuery(first=date(2026, 8, 17), last=date(2026, 9, 20)),
        UsageQuery(model="deepseek:deepseek-chat"),
        UsageQuery(account_id="c7"),
        UsageQuery(purpose="title"),
    ],
)
@pytest.mark.parametrize("by_hour", [False, True], ids=["from sums", "from the ledger"])
async def test_the_most_expensive_conversations_are_found_and_the_others_are_summed(
    booked: tuple[AppContext, tuple[EndedCall, ...]], asked: UsageQuery, *, by_hour: bool
) -> None:
    ctx, calls = booked
    await set_price(ctx, LOCAL_OWNER, OwnPrice("openai:gpt-5", date(2026, 9, 1), Prices(Decimal(7), Decimal("3.3"))))
    if by_hour:
        # The sums do not separate the hours and lengths of this tariff: its calls are read from the ledger.
        uneven = Tariff(
            (Period((PriceTier(0, CHEAP), PriceTier(77_777, DEAR))), Period((PriceTier(0, DEAR),), minutes=(615, 61)))
        )
        assert not uneven.is_even("openai:gpt-5")
        ctx.catalogue.tariffs.setdefault(LOCAL_OWNER, {})["openai:gpt-5"] = uneven

    few = await report_usage(ctx, LOCAL_OWNER, asked, "conversation", 7)
    every = await report_usage(ctx, LOCAL_OWNER, asked, "conversation")

    # Computed by plain addition over the calls, not by another of our queries.
    costs: dict[str, Decimal] = {}
    tariffs = await learn_tariffs(ctx, LOCAL_OWNER, MODELS)
    for call in calls:
        if _is_meant(call, asked):
            spent = price_one(call, tariffs[call.model])
            costs[call.conversation_id] = costs.get(call.conversation_id, Decimal(0)) + spent.cost.amount
    assert [group.spent.cost.amount for group in few.groups] == sorted(costs.values(), reverse=True)[:7]
    assert {group.name: group.spent.cost.amount for group in few.groups}.items() <= costs.items()
    assert few.groups == every.groups[:7]
    assert few.total == every.total
    assert few.others == sum((group.spent for group in every.groups[7:]), start=Spent())
    assert few.more == max(0, len(every.groups) - 7)


def _is_meant(call: EndedCall, asked: UsageQuery) -> bool:
    day = call.started_at.date()
    return (
        (asked.first is None or day >= asked.first)
        and (asked.last is None or day <= asked.last)
        and asked.model in {None, call.model}
        and asked.purpose in {None, call.purpose}
        and asked.account_id in {None, call.conversation_id}
    )


async def test_every_cost_of_a_report_is_that_of_its_calls(booked: tuple[AppContext, tuple[EndedCall, ...]]) -> None:
    ctx, calls = booked

    report = await report_usage(ctx, LOCAL_OWNER, UsageQuery(), "conversation", CONVERSATIONS)
    tariffs = await learn_tariffs(ctx, LOCAL_OWNER, MODELS)

    expected: dict[str, Spent] = {}
    for call in calls:
        spent = price_one(call, tariffs[call.model])
        expected[call.conversation_id] = expected.get(call.conversation_id, Spent()) + spent
    assert {group.name: group.spent for group in report.groups} == expected
    costs = [group.spent.cost.amount for group in report.groups]
    assert costs == sorted(costs, reverse=True)
