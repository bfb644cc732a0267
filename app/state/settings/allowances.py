"""Settings → People, second part: which models a role may use, and what a role or a person may spend.

    await tab.send(AllowanceState.save_models, form={"role": "member", "models": "anthropic:*"})

`to` of a budget is "role:member" or "person:" and an id.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

import reflex as rx

from app.domain.costs.budgets import MAX_MONEY, Scope, Span, SpendingBudget
from app.domain.errors import ForbiddenError, InviewError
from app.domain.people.allowances import MAX_PATTERN, MAX_PATTERNS
from app.domain.people.people import Role
from app.domain.people.rights import list_grantable, may_manage
from app.language.translation import translate
from app.runs.caller import caller
from app.runs.people.administration import is_administrator
from app.runs.usage.allowances import Allowances, give_budget, list_allowances, set_role_models, take_budget
from app.runs.workbench import current
from app.state.faults import describe_fault
from app.state.inputs import text_in
from app.state.settings.people import ROLES
from app.state.usage.budgets import SPANS, WARN_AT
from app.state.usage.forms import read_money, read_text
from app.views.composition import describe_cost
from app.views.figures import money, number

_ROLE: Final = "role:"
_PERSON: Final = "person:"
EACH: Final = {
    Role.MEMBER.value: "settings.allowances.each_member",
    Role.ADMIN.value: "settings.allowances.each_admin",
    Role.OWNER.value: "settings.allowances.each_owner",
}


@dataclass(frozen=True)
class GivenBudgetItem:
    """A budget of a role or a person. `receiver` and `span` say which; `changeable`: who looks at it may remove it."""

    receiver: str
    span: str
    name: str
    about: str
    changeable: bool


@dataclass(frozen=True)
class RoleModelsItem:
    """The models of a role, a pattern on each line; "" for all. `changeable`: who looks at it may change them."""

    role: str
    name: str
    models: str
    changeable: bool


@dataclass(frozen=True)
class ReceiverItem:
    """A role or a person that can have a budget."""

    value: str
    name: str


class AllowanceState(rx.State):
    """`loaded`: the lists were read. `said` is what came of the last command."""

    loaded: rx.Field[bool] = rx.field(default=False)
    models: rx.Field[tuple[RoleModelsItem, ...]] = rx.field(())
    budgets: rx.Field[tuple[GivenBudgetItem, ...]] = rx.field(())
    receivers: rx.Field[tuple[ReceiverItem, ...]] = rx.field(())
    said: rx.Field[str] = rx.field("")

    @rx.event
    async def load(self) -> None:
        """Show what everybody may, to those who administer people."""
        await self._show("")

    @rx.event
    async def save_models(self, form: dict[str, Any]) -> None:
        """Let a role use the models of the form; none listed: all."""
        role = read_text(form, "role")
        if role not in ROLES:
            return
        lines = (text_in(form.get("models"), MAX_PATTERNS * (MAX_PATTERN + 2)) or "").splitlines()
        named = [line for line in lines if line.strip()]
        try:
            await set_role_models(current(), caller(), Role(role), named or None)
        except InviewError as fault:
            self.said = describe_fault(fault)
        else:
            await self._show(translate("settings.allowances.saved"))

    @rx.event
    async def give(self, form: dict[str, Any]) -> None:
        """Set the budget that the form describes. It replaces another one of the same role or person and time."""
        to, span, amount = _receiver_in(form.get("to")), read_text(form, "span"), read_money(read_text(form, "amount"))
        if to is None or span not in SPANS:
            return
        if amount is None or not 0 < amount <= MAX_MONEY:
            self.said = translate("usage.amount_out_of_range", most=number(int(MAX_MONEY)))
            return
        warn_at, stops = Decimal(WARN_AT) / 100, bool(read_text(form, "stops"))
        try:
            await give_budget(
                current(), caller(), to, SpendingBudget(Scope.ALL, "", Span(span), amount, warn_at, stops)
            )
        except InviewError as fault:
            self.said = describe_fault(fault)
        else:
            await self._show(translate("settings.allowances.saved"))

    @rx.event
    async def take(self, receiver: str, span: str) -> None:
        """Remove a budget."""
        to = _receiver_in(receiver)
        if to is None or span not in SPANS:
            return
        try:
            await take_budget(current(), caller(), to, Span(span))
        except InviewError as fault:
            await self._show(describe_fault(fault))
        else:
            await self._show(translate("common.removed"))

    async def _show(self, said: str) -> None:
        shown = current().settings.accounts and await is_administrator(current(), caller())
        try:
            found = await list_allowances(current(), caller()) if shown else None
        except ForbiddenError:  # demoted meanwhile
            found = None
        if found is None:
            self.loaded, self.models, self.budgets, self.receivers, self.said = False, (), (), (), said
            return
        self.models, self.budgets, self.receivers = _describe(found, caller())
        self.loaded, self.said = True, said


def _receiver_in(text: object) -> Role | str | None:
    given = text_in(text, MAX_PATTERN) or ""
    if given.startswith(_PERSON):
        return given.removeprefix(_PERSON)
    role = given.removeprefix(_ROLE)
    return Role(role) if given.startswith(_ROLE) and role in ROLES else None


def _describe(
    found: Allowances, looks: str
) -> tuple[tuple[RoleModelsItem, ...], tuple[GivenBudgetItem, ...], tuple[ReceiverItem, ...]]:
    by_id = {one.id: one for one in found.people}
    actor = by_id[looks]
    grantable = list_grantable(actor.role)
    models = tuple(
        RoleModelsItem(
            one.role.value, translate(EACH[one.role.value]), "\n".join(one.models or ()), one.role in grantable
        )
        for one in found.roles
    )
    of_roles = (
        _describe_budget(_ROLE + one.role.value, translate(EACH[one.role.value]), budget, one.role in grantable)
        for one in found.roles
        for budget in one.budgets
    )
    of_persons = (
        _describe_budget(_PERSON + one.person_id, one.name, budget, may_manage(actor, by_id[one.person_id]))
        for one in found.persons
        for budget in one.budgets
    )
    roles = (ReceiverItem(_ROLE + role.value, translate(EACH[role.value])) for role in grantable)
    persons = (ReceiverItem(_PERSON + one.id, one.name) for one in found.people if may_manage(actor, one))
    return models, (*of_roles, *of_persons), (*roles, *persons)


def _describe_budget(to: str, name: str, budget: SpendingBudget, changeable: bool) -> GivenBudgetItem:
    amount = money(describe_cost(budget.amount))
    effect = translate("usage.stops") if budget.stops else translate("usage.only_warns")
    about = f"{amount} {translate(SPANS[budget.span.value])} · {effect}"
    return GivenBudgetItem(to, budget.span.value, name, about, changeable)
