"""Budgets of money: how much may be spent in a day, a month or ever, on everything, a conversation or an agent.

A budget warns from a share of its amount on, and if it `stops`, nothing is sent that would go beyond it. Days and
months are UTC. Not the budget of a send, which is tokens (`domain/context/budget.py`).

    >>> month = SpendingBudget(Scope.ALL, "", Span.MONTH, Decimal(10), Decimal("0.8"), stops=True)
    >>> stand(month, Cost(Decimal("8.5")))
    <Standing.WARNING: 'warning'>
    >>> stand(month, Cost(Decimal("8.5")), Decimal("1.6"))
    <Standing.SPENT: 'spent'>
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import StrEnum

from app.domain.costs.costs import Cost
from app.domain.errors import ConflictError, InputError

MAX_MONEY = Decimal(1_000_000)


class Scope(StrEnum):
    """What a budget is of."""

    ALL = "all"
    CONVERSATION = "conversation"
    AGENT = "agent"


class Span(StrEnum):
    """In which time."""

    DAY = "day"
    MONTH = "month"
    EVER = "ever"


class Standing(StrEnum):
    """How much of a budget is left: enough, little, nothing."""

    FINE = "fine"
    WARNING = "warning"
    SPENT = "spent"


@dataclass(frozen=True, slots=True)
class SpendingBudget:
    """US dollars. `subject` is the conversation's or the agent's id; "": each of them for itself, or everything.

    `warn_at` is a share of the amount. `stops`: nothing is sent that would go beyond it. `given`: an owner or admin set
    it for the person, who cannot change it (`domain/people/allowances.py`).
    """

    scope: Scope
    subject: str
    span: Span
    amount: Decimal
    warn_at: Decimal = Decimal("0.8")
    stops: bool = True
    given: bool = False


_RAISE = "Raise the budget or remove it under Usage → Budgets."
_ASK = "Ask an owner or admin to raise it."


class BudgetSpentError(ConflictError):
    """What was to be sent would go beyond a budget that stops."""

    def __init__(self, budget: SpendingBudget, spent: Cost, wanted: Decimal | None) -> None:
        cost = "at a price nobody knows" if wanted is None else f"for about ${wanted:.4f}"
        way = _ASK if budget.given else _RAISE
        super().__init__(
            f"{describe_budget(budget)} is ${budget.amount.normalize():f}, and ${spent.amount:.4f} of it is spent. "
            f"Nothing was sent {cost}. {way}"
        )
        self.budget = budget
        self.spent = spent


_OF = {Scope.ALL: "", Scope.CONVERSATION: " of this conversation", Scope.AGENT: " of this agent"}
_GIVEN = " that an admin gave you"
_IN = {Span.DAY: "The budget for a day", Span.MONTH: "The budget for a month", Span.EVER: "The budget"}


def describe_budget(budget: SpendingBudget) -> str:
    """What it is, in plain words.

    >>> describe_budget(SpendingBudget(Scope.AGENT, "a1", Span.DAY, Decimal(1)))
    'The budget for a day of this agent'
    """
    return _IN[budget.span] + (_GIVEN if budget.given else _OF[budget.scope])


def first_day(span: Span, today: date) -> date | None:
    """The day with which the span began that today belongs to; None: with the first of all.

    >>> first_day(Span.MONTH, date(2026, 5, 17))
    datetime.date(2026, 5, 1)
    """
    match span:
        case Span.DAY:
            return today
        case Span.MONTH:
            return today.replace(day=1)
        case Span.EVER:
            return None


def stand(budget: SpendingBudget, spent: Cost, wanted: Decimal | None = None) -> Standing:
    """How a budget stands once `wanted` more is spent; None: of an unknown price, which is hoped to be nothing."""
    after = spent.amount + (wanted or Decimal(0))
    if spent.amount >= budget.amount or after > budget.amount:
        return Standing.SPENT
    return Standing.WARNING if after >= budget.amount * budget.warn_at else Standing.FINE


def require_usable(budget: SpendingBudget) -> None:
    """Refuse what nobody could mean.

    Raises:
        InputError: at the first field that cannot be used.
    """
    if not 0 < budget.amount <= MAX_MONEY:
        raise InputError("amount", f"is US dollars above 0, {MAX_MONEY:,} at most.")
    if not 0 < budget.warn_at <= 1:
        raise InputError("warn_at", "is a share of the amount above 0, 1 at most.")
    if budget.scope is Scope.ALL and budget.subject:
        raise InputError("subject", "is named for a budget of everything. Leave it out.")
