"""The table of budgets. What was spent is in the ledger's sums."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Field

from app.store.database.row import Row


class BudgetRow(Row, table=True):
    """How much may be spent. `subject` is the conversation's or the agent's id ("": each of them, or everything)."""

    owner: str = Field(primary_key=True)
    scope: str = Field(primary_key=True)
    subject: str = Field(primary_key=True)
    period: str = Field(primary_key=True)
    amount: str
    warn_at: str
    stops: bool
    updated_at: datetime


BUDGET = Row.metadata.tables["budget"]
