"""Budgets of money: limits for a day, a month or all time, for all calls, a conversation or an agent.

A budget warns when a share of its amount is spent. If the budget `stops`, a send that would exceed it is refused. Days
and months are UTC. Not here: the budget of a send, which is in tokens (`domain/context/budget.py`).

    >>> month = SpendingBudget(BudgetScope.ALL, "", BudgetPeriod.MONTH, Decimal(10), Decimal("0.8"), stops=True)
    >>> status_of(month, Cost(Decimal("8.5")))
    <BudgetStatus.WARNING: 'warning'>
    >>> status_of(month, Cost(Decimal("8.5")), Decimal("1.6"))
    <BudgetStatus.SPENT: 'spent'>
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import StrEnum

from app.domain.costs.costs import Cost
from app.domain.errors import ConflictError, InputError

MAX_MONEY = Decimal(1_000_000)


class BudgetScope(StrEnum):
    """The calls that a budget limits."""

    ALL = "all"
    CONVERSATION = "conversation"
    AGENT = "agent"


class BudgetPeriod(StrEnum):
    """The period of a budget: each day, each month, or all time."""

    DAY = "day"
    MONTH = "month"
    EVER = "ever"


class BudgetStatus(StrEnum):
    """The status of a budget: enough, little or nothing remains."""

    FINE = "fine"
    WARNING = "warning"
    SPENT = "spent"


@dataclass(frozen=True, slots=True)
class SpendingBudget:
    """A budget in US dollars for the calls in `scope`, per `span`.

    - `subject`: the id of the conversation or agent that the budget applies to. If it is "", the budget applies to
      every conversation or every agent separately or, if `scope` is all calls, to all calls together.
    - `warn_at`: the share of the amount at which the budget starts to warn.
    - `stops`: a send that would exceed the budget is refused.
    """

    scope: BudgetScope
    subject: str
    span: BudgetPeriod
    amount: Decimal
    warn_at: Decimal = Decimal("0.8")
    stops: bool = True


class BudgetSpentError(ConflictError):
    """Error: the send would exceed a budget that refuses such sends."""

    def __init__(self, budget: SpendingBudget, spent: Cost, next_cost: Decimal | None) -> None:
        cost = "at an unknown price" if next_cost is None else f"for about ${next_cost:.4f}"
        super().__init__(
            f"{describe_budget(budget)} is ${budget.amount.normalize():f}, of which ${spent.amount:.4f} is spent. "
            f"The request {cost} was not sent. Raise or remove the budget under Usage → Budgets."
        )
        self.budget = budget
        self.spent = spent


_OF = {BudgetScope.ALL: "", BudgetScope.CONVERSATION: " of this conversation", BudgetScope.AGENT: " of this agent"}
_IN = {
    BudgetPeriod.DAY: "The budget for a day",
    BudgetPeriod.MONTH: "The budget for a month",
    BudgetPeriod.EVER: "The budget",
}


def describe_budget(budget: SpendingBudget) -> str:
    """Describe a budget in words, as the beginning of a sentence.

    >>> describe_budget(SpendingBudget(BudgetScope.AGENT, "a1", BudgetPeriod.DAY, Decimal(1)))
    'The budget for a day of this agent'
    """
    return _IN[budget.span] + _OF[budget.scope]


def first_day(span: BudgetPeriod, today: date) -> date | None:
    """Return the first day of the current period, or None if the period has no start.

    >>> first_day(BudgetPeriod.MONTH, date(2026, 5, 17))
    datetime.date(2026, 5, 1)
    """
    match span:
        case BudgetPeriod.DAY:
            return today
        case BudgetPeriod.MONTH:
            return today.replace(day=1)
        case BudgetPeriod.EVER:
            return None


def status_of(budget: SpendingBudget, spent: Cost, next_cost: Decimal | None = None) -> BudgetStatus:
    """Return the status that a budget has if `next_cost` is spent in addition to `spent`.

    `next_cost` is None if there is no next call, or if its price is unknown. Then only `spent` counts.
    """
    after = spent.amount + (next_cost or Decimal(0))
    if spent.amount >= budget.amount or after > budget.amount:
        return BudgetStatus.SPENT
    return BudgetStatus.WARNING if after >= budget.amount * budget.warn_at else BudgetStatus.FINE


def require_usable(budget: SpendingBudget) -> None:
    """Refuse an invalid budget.

    Raises:
        InputError: a field is invalid. The error names the first such field.
    """
    if not 0 < budget.amount <= MAX_MONEY:
        raise InputError("amount", f"must be above 0 and at most {MAX_MONEY:,} US dollars.")
    if not 0 < budget.warn_at <= 1:
        raise InputError("warn_at", "must be a share of the amount above 0, at most 1.")
    if budget.scope is BudgetScope.ALL and budget.subject:
        raise InputError("subject", "does not apply to a budget of everything. Leave it out.")
