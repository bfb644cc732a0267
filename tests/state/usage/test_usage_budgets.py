from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import pytest

from app.domain.costs.budgets import BudgetPeriod, BudgetScope
from app.runs.app_context import AppContext
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.usage.budgets import Budgeted, list_budgets
from app.state.usage import budgets
from app.state.usage.budgets import BudgetItem, BudgetState
from tests.state.conftest import Tab
from tests.state.usage.spending import talk


def items(tab: Tab) -> tuple[BudgetItem, ...]:
    return tab.shows(BudgetState, "items")


@dataclass
class Held:
    """A delayed first reading of budgets: `has_read` is set when it has read, and it returns once `go_on` is set."""

    has_read: asyncio.Event = field(default_factory=asyncio.Event)
    go_on: asyncio.Event = field(default_factory=asyncio.Event)

    async def list_budgets(self, ctx: AppContext, owner: str) -> tuple[Budgeted, ...]:
        found, is_first = await list_budgets(ctx, owner), not self.has_read.is_set()
        if is_first:
            self.has_read.set()
            await self.go_on.wait()
        return found


@asynccontextmanager
async def loading(tab: Tab, monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[None]:
    """Let the page read the budgets, and show them only after the block of the test."""
    held = Held()
    monkeypatch.setattr(budgets, "list_budgets", held.list_budgets)
    load = asyncio.create_task(tab.send(BudgetState.load))
    await held.has_read.wait()
    yield
    held.go_on.set()
    await load


async def save(tab: Tab, **fields: Any) -> None:
    form = {"scope": "all", "span": "month", "amount": "10", "warn": "80", "stops": "on", **fields}
    await tab.send(BudgetState.save, form=form)


async def test_budget_is_set_and_shown_with_what_is_spent_of_it(ctx: AppContext, tab: Tab) -> None:
    await talk(ctx, "/echo one")

    await save(tab, span="day", amount="$ 0.001", warn="50")

    (item,) = items(tab)
    assert (item.name, item.standing, item.standing_label, item.share) == ("Everything, a day", "spent", "Spent", 100.0)
    assert item.spent.endswith("of $0.0010")
    assert item.note == "Stops; warns at 50 %. Used by Offline tiny, Dear talk"
    assert tab.shows(BudgetState, "message") == "Saved. It applies from the next send on."
    (stored,) = await list_budgets(ctx, LOCAL_OWNER)
    assert (stored.budget.scope, stored.budget.span) == (BudgetScope.ALL, BudgetPeriod.DAY)
    assert (stored.budget.amount, stored.budget.warn_at) == (Decimal("0.001"), Decimal("0.5"))
    assert stored.budget.stops


async def test_budget_without_the_tick_only_warns_and_the_highest_of_each_kind_is_reported(
    ctx: AppContext, tab: Tab
) -> None:
    await talk(ctx, "/echo one")
    form = {"scope": "conversation", "span": "ever", "amount": "10", "warn": "nonsense"}

    await tab.send(BudgetState.save, form=form)

    (item,) = items(tab)
    assert item.name == "Each conversation, in total"
    assert item.spent.endswith("of $10.00 in the most expensive conversation")
    assert item.note.startswith("Warns only; warns at 80 %.")
    assert item.standing_label == ""


async def test_budget_that_is_set_again_is_replaced_and_one_that_is_removed_is_gone(ctx: AppContext, tab: Tab) -> None:
    await save(tab)
    await save(tab, amount="20")
    assert [item.spent for item in items(tab)] == ["$0.00 of $20.00"]

    await tab.send(BudgetState.remove, scope="all", subject="", span="month")

    assert items(tab) == ()
    assert tab.shows(BudgetState, "message") == "Removed."
    assert await list_budgets(ctx, LOCAL_OWNER) == ()


async def test_budget_that_is_removed_while_the_page_reads_them_stays_away(
    tab: Tab, monkeypatch: pytest.MonkeyPatch
) -> None:
    await save(tab)

    async with loading(tab, monkeypatch):
        await tab.send(BudgetState.remove, scope="all", subject="", span="month")

    assert items(tab) == ()
    assert tab.shows(BudgetState, "message") == "Removed."


async def test_why_the_form_was_refused_stays_when_the_page_has_read_the_budgets(
    tab: Tab, monkeypatch: pytest.MonkeyPatch
) -> None:
    await save(tab)

    async with loading(tab, monkeypatch):
        await save(tab, amount="much")

    assert "not an amount" in tab.shows(BudgetState, "fault")
    assert len(items(tab)) == 1


async def test_removing_what_is_not_there_is_no_fault(tab: Tab) -> None:
    await tab.send(BudgetState.remove, scope="all", subject="", span="month")
    await tab.send(BudgetState.remove, scope="nothing", subject="", span="month")

    assert tab.shows(BudgetState, "loaded") is True


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({"amount": "ten"}, 'The amount is not an amount of US dollars. Write it in digits, for example "2.50".'),
        ({"amount": "0"}, "The amount must be above 0 and at most 1,000,000 US dollars."),
        ({"scope": "galaxy"}, "Choose what the budget applies to, and its period."),
        ({"span": ["day"]}, "Choose what the budget applies to, and its period."),
    ],
)
async def test_form_that_cannot_be_a_budget_says_why_and_stores_nothing(
    ctx: AppContext, tab: Tab, fields: dict[str, Any], fault: str
) -> None:
    await save(tab, **fields)

    assert tab.shows(BudgetState, "fault") == fault
    assert await list_budgets(ctx, LOCAL_OWNER) == ()

    await tab.send(BudgetState.clear_fault)
    assert tab.shows(BudgetState, "fault") == ""


async def test_page_without_a_budget_knows_that_there_is_none(tab: Tab) -> None:
    await tab.send(BudgetState.load)

    assert tab.shows(BudgetState, "loaded") is True
    assert tab.shows(BudgetState, "items") == ()
