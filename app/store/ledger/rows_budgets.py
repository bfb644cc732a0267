"""The table of budgets. The spent amounts are computed from the sums of the ledger."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Field

from app.store.database.row import Row


class BudgetRow(Row, table=True):
    """A budget: a limit for costs. `subject` is the id of a conversation or agent.

    If `subject` is "", the limit applies to each conversation or agent, or to all calls together, depending on `scope`.
    """

    owner: str = Field(primary_key=True)
    scope: str = Field(primary_key=True)
    subject: str = Field(primary_key=True)
    period: str = Field(primary_key=True)
    amount: str
    warn_at: str
    stops: bool
    updated_at: datetime


BUDGET = Row.metadata.tables["budget"]
