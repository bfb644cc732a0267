"""The table of budgets. The spent amounts follow from the ledger's sums."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Field

from app.store.database.row import Row


class BudgetRow(Row, table=True):
    """A limit for costs. `subject` is the id of the conversation or agent ("": each of them, or all calls)."""

    owner: str = Field(primary_key=True)
    scope: str = Field(primary_key=True)
    subject: str = Field(primary_key=True)
    period: str = Field(primary_key=True)
    amount: str
    warn_at: str
    stops: bool
    updated_at: datetime


BUDGET = Row.metadata.tables["budget"]
