"""Budgets on the Usage page: the spent part of each with its most expensive items, and the form that sets one."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

import reflex as rx

from app.domain.costs.budgets import BudgetPeriod, BudgetScope, BudgetStatus, SpendingBudget, describe_budget
from app.domain.errors import InputError, NotFoundError
from app.runs.app_context import current
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.usage.budgets import Budgeted, list_budgets, remove_budget, set_budget
from app.state.usage.forms import NOT_MONEY, read_money, read_text
from app.state.usage.labels import describe_charge
from app.views.request.composition import describe_cost
from app.views.usage.figures import money

SCOPES: Final = {
    BudgetScope.ALL.value: "Everything",
    BudgetScope.CONVERSATION.value: "Each conversation",
    BudgetScope.AGENT.value: "Each agent",
}
SPANS: Final = {
    BudgetPeriod.DAY.value: "a day",
    BudgetPeriod.MONTH.value: "a month",
    BudgetPeriod.EVER.value: "in total",
}
WARN_AT: Final = 80
"""The percentage of the amount at which a budget warns, if the form has none."""

_OF_ONE: Final = {BudgetScope.CONVERSATION: "One conversation", BudgetScope.AGENT: "One agent"}
_STANDINGS: Final = {BudgetStatus.FINE: "", BudgetStatus.WARNING: "Little is left", BudgetStatus.SPENT: "Spent"}
_FIELDS: Final = {"amount": "amount", "warn_at": "warning share", "subject": "subject"}
_MAX_USERS: Final = 6


@dataclass(frozen=True)
class BudgetItem:
    """A budget in the list of budgets, identified by `scope`, `subject` and `span`.

    - `subject`: the one conversation or agent that it applies to, otherwise "".
    - `share`: the percentage that is spent, at most 100.
    - `standing`: its status.
    - `standing_label`: the same as text.
    """

    key: str
    scope: str
    subject: str
    span: str
    name: str
    spent: str
    standing: str
    standing_label: str
    share: float
    note: str


class BudgetState(rx.State):
    """The list of budgets, and the form that sets one.

    - `loaded`: `items` were read.
    - `message`: the message after the last command.
    - `fault`: the reason why the form was refused.
    """

    items: rx.Field[tuple[BudgetItem, ...]] = rx.field(())
    loaded: rx.Field[bool] = rx.field(default=False)
    message: rx.Field[str] = rx.field("")
    fault: rx.Field[str] = rx.field("")
    _turn: int = 0

    @rx.event(background=True)
    async def load(self) -> None:
        """Read and show every budget."""
        async with self:
            self.message = self.fault = ""
        await self._show()

    @rx.event(background=True)
    async def save(self, form: dict[str, Any]) -> None:
        """Store the budget in the form. It replaces a budget with the same scope and period."""
        budget = _read_budget(form)
        fault = budget if isinstance(budget, str) else await _set(budget)
        if fault:
            async with self:
                self.message, self.fault = "", fault
            return
        await self._show("Saved. It applies from the next send on.")

    @rx.event(background=True)
    async def remove(self, scope: str, subject: str, span: str) -> None:
        """Remove a budget. If it no longer exists, only update the list."""
        if scope not in SCOPES or span not in SPANS:
            return
        try:
            await remove_budget(current(), LOCAL_OWNER, BudgetScope(scope), str(subject), BudgetPeriod(span))
        except NotFoundError:
            await self._show("")
        else:
            await self._show("Removed.")

    @rx.event
    async def clear_fault(self) -> None:
        """Clear the error of the form that sets a budget, because the user is changing the form."""
        self.fault = ""

    async def _show(self, message: str | None = None) -> None:
        """Read and show the budgets, and show the answer to a command.

        If `_show` was called again meanwhile, show only the budgets that the newer call reads, because those read here
        may lack a change.
        """
        async with self:
            self._turn += 1
            turn = self._turn
        items = tuple(map(_describe, await list_budgets(current(), LOCAL_OWNER)))
        async with self:
            if turn == self._turn:
                self.items, self.loaded = items, True
            if message is not None:
                self.message, self.fault = message, ""


def describe_spent_of(one: Budgeted) -> str:
    """Return a line that says how much of a budget is spent."""
    return f"{describe_budget(one.budget)}: {_describe_share(one)} spent"


def _read_budget(form: object) -> SpendingBudget | str:
    """Return the budget in a form, or the reason why the form is refused."""
    scope, span = read_text(form, "scope"), read_text(form, "span")
    if scope not in SCOPES or span not in SPANS:
        return "Choose what the budget applies to, and its period."
    amount = read_money(read_text(form, "amount"))
    if amount is None:
        return f"The amount {NOT_MONEY}"
    percent = read_text(form, "warn")
    warn_at = min(100, max(1, int(percent))) if percent.isdecimal() else WARN_AT
    return SpendingBudget(
        BudgetScope(scope), "", BudgetPeriod(span), amount, Decimal(warn_at) / 100, stops=bool(read_text(form, "stops"))
    )


async def _set(budget: SpendingBudget) -> str:
    """Store a budget. Return the reason if it is refused, otherwise ""."""
    try:
        await set_budget(current(), LOCAL_OWNER, budget)
    except InputError as error:
        return f"The {_FIELDS.get(error.field, error.field)} {error.reason}"
    return ""


def _describe(one: Budgeted) -> BudgetItem:
    budget, total = one.budget, one.report.total
    of_each = not budget.subject and budget.scope is not BudgetScope.ALL
    scope = _OF_ONE[budget.scope] if budget.subject else SCOPES[budget.scope.value]
    spent = _describe_share(one)
    effect = "Stops" if budget.stops else "Warns only"
    return BudgetItem(
        key=f"{budget.scope.value} {budget.span.value} {budget.subject}",
        scope=budget.scope.value,
        subject=budget.subject,
        span=budget.span.value,
        name=f"{scope}, {SPANS[budget.span.value]}",
        spent=f"{spent} in the most expensive {budget.scope.value}" if of_each else spent,
        standing=one.standing.value,
        standing_label=_STANDINGS[one.standing],
        share=round(min(100.0, float(total.cost.amount / budget.amount * 100)), 1),
        note=f"{effect}; warns at {round(budget.warn_at * 100)} %. {_name_users(one)}",
    )


def _describe_share(one: Budgeted) -> str:
    """Return how much is spent and of how much, as "$0.00 of $5.00"."""
    total = one.report.total
    nothing = "at least $0.00" if total.cost.at_least else "$0.00"
    charge = describe_charge(total) if total.cost.amount else nothing
    return f"{charge} of {money(describe_cost(one.budget.amount))}"


def _name_users(one: Budgeted) -> str:
    models = current().catalogue.names_of(LOCAL_OWNER, (group.name for group in one.report.groups)).values()
    users = [*models, *(group.title or "a conversation" for group in one.conversations)]
    return f"Used by {', '.join(users[:_MAX_USERS])}" if users else ""
