"""Budgets on the page of usage: how much of each is spent on what, and the form that sets one."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

import reflex as rx

from app.domain.costs.budgets import MAX_MONEY, Scope, Span, SpendingBudget, Standing, describe_budget
from app.domain.errors import NotFoundError
from app.language.translation import translate
from app.runs.caller import caller
from app.runs.usage.budgets import Budgeted, list_budgets, remove_budget, set_budget
from app.runs.workbench import current
from app.state.usage.forms import read_money, read_text
from app.state.usage.labels import describe_charge, short_model
from app.views.composition import describe_cost
from app.views.figures import money, number

SCOPES: Final = {
    Scope.ALL.value: "common.everything",
    Scope.CONVERSATION.value: "usage.each_conversation",
    Scope.AGENT.value: "usage.each_agent",
}
SPANS: Final = {Span.DAY.value: "usage.a_day", Span.MONTH.value: "usage.a_month", Span.EVER.value: "usage.in_total"}
WARN_AT: Final = 80
"""Percent of the amount from which on a budget warns, unless the form says another share."""

_OF_ONE: Final = {Scope.CONVERSATION: "usage.one_conversation", Scope.AGENT: "usage.one_agent"}
_STANDINGS: Final = {Standing.FINE: "", Standing.WARNING: "usage.little_is_left", Standing.SPENT: "usage.spent"}
_MAX_USERS: Final = 6


@dataclass(frozen=True)
class BudgetItem:
    """A budget. `scope`, `subject` and `span` say which; `share` is the percentage that is spent, 100 at most.

    `given`: an owner or admin set it, and it cannot be removed here.
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
    given: bool


class BudgetState(rx.State):
    """`loaded`: `items` were read. `message` is the answer to the last command, `fault` why the form was refused."""

    items: rx.Field[tuple[BudgetItem, ...]] = rx.field(())
    loaded: rx.Field[bool] = rx.field(default=False)
    message: rx.Field[str] = rx.field("")
    fault: rx.Field[str] = rx.field("")

    @rx.event(background=True)
    async def load(self) -> None:
        """Show every budget as it is now."""
        await self._show("")

    @rx.event(background=True)
    async def save(self, form: dict[str, Any]) -> None:
        """Set the budget that the form describes. It replaces another one of the same scope and span."""
        budget = _read_budget(form)
        if isinstance(budget, str):
            async with self:
                self.message, self.fault = "", budget
            return
        await set_budget(current(), caller(), budget)
        await self._show(translate("usage.budget_saved"))

    @rx.event(background=True)
    async def remove(self, scope: str, subject: str, span: str) -> None:
        """Remove a budget. One that is gone already is no longer shown."""
        if scope not in SCOPES or span not in SPANS:
            return
        try:
            await remove_budget(current(), caller(), Scope(scope), str(subject), Span(span))
        except NotFoundError:
            await self._show("")
        else:
            await self._show(translate("common.removed"))

    @rx.event
    async def clear_fault(self) -> None:
        """Forget why the form was refused, as it is being changed."""
        self.fault = ""

    async def _show(self, message: str) -> None:
        items = tuple(map(_describe, await list_budgets(current(), caller())))
        async with self:
            self.items, self.loaded, self.message, self.fault = items, True, message, ""


def describe_spent_of(one: Budgeted) -> str:
    """How much of a budget is spent, in one line."""
    amount = describe_cost(one.budget.amount)
    return translate(
        "usage.of_spent", budget=describe_budget(one.budget), charge=describe_charge(one.report.total), amount=amount
    )


def _read_budget(form: object) -> SpendingBudget | str:
    """The budget of a form, or why there is none."""
    scope, span = read_text(form, "scope"), read_text(form, "span")
    if scope not in SCOPES or span not in SPANS:
        return translate("usage.budget_choose")
    amount = read_money(read_text(form, "amount"))
    if amount is None:
        return translate("usage.amount_not_money")
    if not 0 < amount <= MAX_MONEY:
        return translate("usage.amount_out_of_range", most=number(int(MAX_MONEY)))
    percent = read_text(form, "warn")
    warn_at = min(100, max(1, int(percent))) if percent.isdecimal() else WARN_AT
    return SpendingBudget(
        Scope(scope), "", Span(span), amount, Decimal(warn_at) / 100, stops=bool(read_text(form, "stops"))
    )


def _describe(one: Budgeted) -> BudgetItem:
    budget, total = one.budget, one.report.total
    of_each = not budget.subject and budget.scope is not Scope.ALL
    scope = translate("usage.you_given") if budget.given else _name_scope(budget)
    spent = translate("usage.charge_of", charge=describe_charge(total), money=money(describe_cost(budget.amount)))
    effect = translate("usage.stops") if budget.stops else translate("usage.only_warns")
    return BudgetItem(
        key=f"{'given ' if budget.given else ''}{budget.scope.value} {budget.span.value} {budget.subject}",
        scope=budget.scope.value,
        subject=budget.subject,
        span=budget.span.value,
        name=f"{scope}, {translate(SPANS[budget.span.value])}",
        spent=translate(f"usage.spent_in_one_{budget.scope.value}", spent=spent) if of_each else spent,
        standing=one.standing.value,
        standing_label=translate(label) if (label := _STANDINGS[one.standing]) else "",
        share=round(min(100.0, float(total.cost.amount / budget.amount * 100)), 1),
        note=translate("usage.warns_at", effect=effect, round=round(budget.warn_at * 100), users=_name_users(one)),
        given=budget.given,
    )


def _name_scope(budget: SpendingBudget) -> str:
    return translate(_OF_ONE[budget.scope]) if budget.subject else translate(SCOPES[budget.scope.value])


def _name_users(one: Budgeted) -> str:
    models = [short_model(group.name) for group in one.report.groups]
    users = [*models, *(group.title or translate("usage.a_conversation") for group in one.conversations)]
    return translate("usage.used_by", join=", ".join(users[:_MAX_USERS])) if users else ""
