"""Set what roles and persons may use and spend, and ask it before anything is sent.

    await set_role_models(wb, caller(), Role.MEMBER, ("anthropic:*",))
    await require_model(wb, owner, "openai:gpt-5")         # raises ModelNotAllowedError

What a person may is read afresh for each call of a provider: a change counts from the next call on. Where accounts are
off there is nobody to limit, and the database is not asked.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.costs.budgets import Scope, Span, SpendingBudget, require_usable
from app.domain.errors import InputError
from app.domain.people.allowances import (
    EVERYTHING,
    Allowance,
    ModelNotAllowedError,
    PersonAllowance,
    RoleAllowance,
    allows,
    clean_patterns,
)
from app.domain.people.people import Person, Role
from app.domain.people.rights import require_administers, require_may_grant, require_may_manage
from app.runs.process.ids import now
from app.runs.process.shielded import shielded
from app.runs.workbench import Workbench
from app.store.people import allowances, people


@dataclass(frozen=True, slots=True)
class Allowances:
    """What every role may, and persons who have budgets of their own. `people`: everybody, to choose from."""

    roles: tuple[RoleAllowance, ...]
    persons: tuple[PersonAllowance, ...]
    people: tuple[Person, ...]


async def read_allowance(wb: Workbench, person_id: str) -> Allowance:
    """What a person may use and spend now."""
    if not wb.settings.accounts:
        return EVERYTHING
    async with wb.store.read() as session:
        return await allowances.load_allowance(session, person_id)


async def require_model(wb: Workbench, person_id: str, model: str) -> None:
    """Refuse to let a person use a model that their role may not.

    Raises:
        ModelNotAllowedError: it may not.
    """
    if not allows((await read_allowance(wb, person_id)).models, model):
        raise ModelNotAllowedError(model)


async def list_allowances(wb: Workbench, actor_id: str) -> Allowances:
    """What every role and every person with budgets of their own may.

    Raises:
        ForbiddenError: the person who asks is a member.
    """
    async with wb.store.read() as session:
        require_administers(await people.load_person(session, actor_id))
        return Allowances(
            await allowances.load_role_allowances(session),
            await allowances.load_person_allowances(session),
            await people.load_people(session),
        )


@shielded
async def set_role_models(wb: Workbench, actor_id: str, role: Role, patterns: Iterable[str] | None) -> None:
    """Let a role use the models of these patterns; None: all.

    Raises:
        ForbiddenError: the person who asks cannot give this role.
        InputError: a pattern cannot be one.
    """
    models = None if patterns is None else clean_patterns(patterns)
    async with wb.store.write() as session:
        require_may_grant(await people.load_person(session, actor_id), role)
        await allowances.save_role_models(session, role, models, now())


@shielded
async def give_budget(wb: Workbench, actor_id: str, to: Role | str, budget: SpendingBudget) -> None:
    """Set what each person with a role, or the person with this id, may spend.

    Raises:
        NotFoundError: no such person.
        ForbiddenError: the person who asks may not.
        InputError: it cannot be a budget.
    """
    require_usable(budget)
    if budget.scope is not Scope.ALL:
        raise InputError("scope", "has to be everything that a person spends.")
    async with wb.store.write() as session:
        await _require_may_set(session, actor_id, to)
        await allowances.save_given_budget(session, to, budget, now())


@shielded
async def take_budget(wb: Workbench, actor_id: str, to: Role | str, span: Span) -> None:
    """Remove the budget of a role, or of the person with this id.

    Raises:
        NotFoundError: there is none, or no such person.
        ForbiddenError: the person who asks may not.
    """
    async with wb.store.write() as session:
        await _require_may_set(session, actor_id, to)
        await allowances.delete_given_budget(session, to, span)


async def _require_may_set(session: AsyncSession, actor_id: str, to: Role | str) -> None:
    actor = await people.load_person(session, actor_id)
    if isinstance(to, Role):
        require_may_grant(actor, to)
        return
    require_administers(actor)  # first: a member does not learn who exists
    require_may_manage(actor, await people.load_person(session, to))
