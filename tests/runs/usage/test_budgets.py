"""Budgets as a send reads them: the values in memory equal the stored values."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from decimal import Decimal

import pytest
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.costs.budgets import BudgetPeriod, BudgetScope, SpendingBudget
from app.runs.app_context import AppContext
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.usage import budgets
from app.runs.usage.budgets import list_budgets, remove_budget, set_budget
from app.store.ledger.budgets import load_budgets

BUDGET = SpendingBudget(BudgetScope.ALL, "", BudgetPeriod.DAY, Decimal(10), Decimal("0.8"), stops=True)


async def amounts(ctx: AppContext) -> list[Decimal]:
    return [one.budget.amount for one in await list_budgets(ctx, LOCAL_OWNER)]


async def test_budget_that_changes_while_they_are_read_is_known_afterwards(
    ctx: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    has_read, go_on = asyncio.Event(), asyncio.Event()

    async def load_slowly(session: AsyncSession, owner: str) -> tuple[SpendingBudget, ...]:
        found = await load_budgets(session, owner)
        has_read.set()
        await go_on.wait()
        return found

    await set_budget(ctx, LOCAL_OWNER, BUDGET)
    with monkeypatch.context() as patch:
        patch.setattr(budgets, "load_budgets", load_slowly)
        reading = asyncio.create_task(amounts(ctx))
        await has_read.wait()
        await set_budget(ctx, LOCAL_OWNER, replace(BUDGET, amount=Decimal(20)))
        go_on.set()
        await reading

    assert await amounts(ctx) == [Decimal(20)]
    await remove_budget(ctx, LOCAL_OWNER, BudgetScope.ALL, "", BudgetPeriod.DAY)
    assert await amounts(ctx) == []
