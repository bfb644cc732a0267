from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from app.domain.costs.budgets import Scope, Span
from app.runs.send.commands import LOCAL_OWNER
from app.runs.usage.budgets import list_budgets
from app.runs.workbench import Workbench
from app.state.usage.budgets import BudgetItem, BudgetState
from tests.state.conftest import Tab
from tests.state.spending import talk


def items(tab: Tab) -> tuple[BudgetItem, ...]:
    return tab.shows(BudgetState, "items")


async def save(tab: Tab, **fields: Any) -> None:
    form = {"scope": "all", "span": "month", "amount": "10", "warn": "80", "stops": "on", **fields}
    await tab.send(BudgetState.save, form=form)


async def test_budget_is_set_and_shown_with_what_is_spent_of_it(wb: Workbench, tab: Tab) -> None:
    await talk(wb, "/echo one")

    await save(tab, span="day", amount="$ 0.001", warn="50")

    (item,) = items(tab)
    assert (item.name, item.standing, item.standing_label, item.share) == ("Everything, a day", "spent", "Spent", 100.0)
    assert item.spent.endswith("of $0.0010")
    assert item.note == "Stops; warns at 50 %. Used by tiny, Dear talk"
    assert tab.shows(BudgetState, "message") == "Saved. It applies from the next send on."
    (stored,) = await list_budgets(wb, LOCAL_OWNER)
    assert (stored.budget.scope, stored.budget.span) == (Scope.ALL, Span.DAY)
    assert (stored.budget.amount, stored.budget.warn_at) == (Decimal("0.001"), Decimal("0.5"))
    assert stored.budget.stops


async def test_budget_without_the_tick_only_warns_and_one_of_each_tells_the_highest(wb: Workbench, tab: Tab) -> None:
    await talk(wb, "/echo one")
    form = {"scope": "conversation", "span": "ever", "amount": "10", "warn": "nonsense"}

    await tab.send(BudgetState.save, form=form)

    (item,) = items(tab)
    assert item.name == "Each conversation, in total"
    assert item.spent.endswith("of $10.00, at most in one conversation")
    assert item.note.startswith("Only warns; warns at 80 %.")
    assert item.standing_label == ""


async def test_budget_that_is_set_again_is_replaced_and_one_that_is_removed_is_gone(wb: Workbench, tab: Tab) -> None:
    await save(tab)
    await save(tab, amount="20")
    assert [item.spent for item in items(tab)] == ["free of $20.00"]

    await tab.send(BudgetState.remove, scope="all", subject="", span="month")

    assert items(tab) == ()
    assert tab.shows(BudgetState, "message") == "Removed."
    assert await list_budgets(wb, LOCAL_OWNER) == ()


async def test_removing_what_is_not_there_is_no_fault(tab: Tab) -> None:
    await tab.send(BudgetState.remove, scope="all", subject="", span="month")
    await tab.send(BudgetState.remove, scope="nothing", subject="", span="month")

    assert tab.shows(BudgetState, "loaded") is True


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({"amount": "ten"}, 'The amount is not an amount of US dollars. Write it in digits, for example "2.50".'),
        ({"amount": "0"}, "The amount is US dollars above 0, 1,000,000 at most."),
        ({"scope": "galaxy"}, "Choose what the budget is of, and for which time."),
        ({"span": ["day"]}, "Choose what the budget is of, and for which time."),
    ],
)
async def test_form_that_cannot_be_a_budget_says_why_and_stores_nothing(
    wb: Workbench, tab: Tab, fields: dict[str, Any], fault: str
) -> None:
    await save(tab, **fields)

    assert tab.shows(BudgetState, "fault") == fault
    assert await list_budgets(wb, LOCAL_OWNER) == ()

    await tab.send(BudgetState.clear_fault)
    assert tab.shows(BudgetState, "fault") == ""


async def test_page_without_a_budget_knows_that_there_is_none(tab: Tab) -> None:
    await tab.send(BudgetState.load)

    assert tab.shows(BudgetState, "loaded") is True
    assert tab.shows(BudgetState, "items") == ()
