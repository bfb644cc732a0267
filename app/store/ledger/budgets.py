"""Queries of budgets of money."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Any

from sqlalchemy import ColumnElement, delete, insert, select
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.costs.budgets import BudgetPeriod, BudgetScope, SpendingBudget
from app.domain.errors import NotFoundError
from app.store.database.damage import require_row
from app.store.database.mapping import decode_word
from app.store.ledger.rows_budgets import BUDGET

Place = tuple[BudgetScope, str, BudgetPeriod]
"""The key of a budget: its scope, subject and period, which together are unique for an owner."""


async def load_budgets(session: AsyncSession, owner: str) -> tuple[SpendingBudget, ...]:
    """Return an owner's budgets.

    Raises:
        DamagedRowError: a budget cannot be read, so the limit is unknown.
    """
    query = select(BUDGET).where(BUDGET.c.owner == owner).order_by(BUDGET.c.scope, BUDGET.c.subject, BUDGET.c.period)
    return tuple(require_row(BUDGET, row, decode_budget) for row in (await session.execute(query)).mappings())


async def save_budget(session: AsyncSession, owner: str, budget: SpendingBudget, now: datetime) -> None:
    """Store a budget. It replaces one with the same scope, subject and period."""
    await session.execute(delete(BUDGET).where(*_at(owner, (budget.scope, budget.subject, budget.span))))
    await session.execute(
        insert(BUDGET),
        {
            "owner": owner,
            "scope": budget.scope,
            "subject": budget.subject,
            "period": budget.span,
            "amount": f"{budget.amount:f}",
            "warn_at": f"{budget.warn_at:f}",
            "stops": budget.stops,
            "updated_at": now,
        },
    )


async def delete_budget(session: AsyncSession, owner: str, place: Place) -> None:
    """Remove a budget.

    Raises:
        NotFoundError: there is no such budget.
    """
    if (
        await session.execute(delete(BUDGET).where(*_at(owner, place)).returning(BUDGET.c.scope))
    ).one_or_none() is None:
        raise NotFoundError("budget", " ".join(filter(None, place)))


def decode_budget(row: Any) -> SpendingBudget:
    """Decode the row of a budget."""
    return SpendingBudget(
        decode_word(BudgetScope, row["scope"]),
        row["subject"],
        decode_word(BudgetPeriod, row["period"]),
        Decimal(row["amount"]),
        Decimal(row["warn_at"]),
        row["stops"],
    )


def _at(owner: str, place: Place) -> tuple[ColumnElement[bool], ...]:
    scope, subject, span = place
    table = BUDGET.c
    return table.owner == owner, table.scope == scope, table.subject == subject, table.period == span
