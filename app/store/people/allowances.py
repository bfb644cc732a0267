"""Queries of what roles and persons may use and spend."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import Table, delete, insert, select
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.costs.budgets import Scope, Span, SpendingBudget
from app.domain.errors import NotFoundError
from app.domain.people.allowances import (
    EVERYTHING,
    Allowance,
    PersonAllowance,
    RoleAllowance,
    choose_budgets,
)
from app.domain.people.people import Role
from app.store.database.damage import decode_each, read_decimal
from app.store.database.mapping import decode_word
from app.store.people.rows_allowances import PERSON_BUDGET, ROLE_BUDGET, ROLE_MODELS
from app.store.people.rows_people import PERSON


async def load_allowance(session: AsyncSession, person_id: str) -> Allowance:
    """What a person may use and spend now, by their role as it is now; of somebody unknown: everything."""
    role = (await session.execute(select(PERSON.c.role).where(PERSON.c.id == person_id))).scalar_one_or_none()
    if role is None:
        return EVERYTHING
    of_role = await _load_budgets(session, ROLE_BUDGET, ROLE_BUDGET.c.role == role)
    of_person = await _load_budgets(session, PERSON_BUDGET, PERSON_BUDGET.c.owner == person_id)
    models = select(ROLE_MODELS.c.models).where(ROLE_MODELS.c.role == role)
    return Allowance(
        _decode_models((await session.execute(models)).scalar_one_or_none()), choose_budgets(of_role, of_person)
    )


async def load_role_allowances(session: AsyncSession) -> tuple[RoleAllowance, ...]:
    """What each role may, members first."""
    stored = (await session.execute(select(ROLE_MODELS.c.role, ROLE_MODELS.c.models))).all()
    listed = {row.role: row.models for row in stored}
    return tuple(
        [
            RoleAllowance(
                role,
                _decode_models(listed.get(role.value)),
                await _load_budgets(session, ROLE_BUDGET, ROLE_BUDGET.c.role == role.value),
            )
            for role in (Role.MEMBER, Role.ADMIN, Role.OWNER)
        ]
    )


async def load_person_allowances(session: AsyncSession) -> tuple[PersonAllowance, ...]:
    """The persons who have budgets of their own, by name."""
    having = select(PERSON_BUDGET.c.owner).distinct()
    query = select(PERSON.c.id, PERSON.c.name).where(PERSON.c.id.in_(having)).order_by(PERSON.c.name, PERSON.c.id)
    found = (await session.execute(query)).all()
    return tuple(
        [
            PersonAllowance(one, name, await _load_budgets(session, PERSON_BUDGET, PERSON_BUDGET.c.owner == one))
            for one, name in found
        ]
    )


async def save_role_models(session: AsyncSession, role: Role, models: tuple[str, ...] | None, at: datetime) -> None:
    """Let a role use these models; None: all."""
    await session.execute(delete(ROLE_MODELS).where(ROLE_MODELS.c.role == role.value))
    if models is not None:
        await session.execute(insert(ROLE_MODELS).values(role=role.value, models=list(models), updated_at=at))


async def save_given_budget(session: AsyncSession, to: Role | str, budget: SpendingBudget, at: datetime) -> None:
    """Keep the budget of a role, or of the person with this id, in the place of another one of the same time."""
    table, place = _place(to)
    await session.execute(delete(table).where(table.c[place[0]] == place[1], table.c.period == budget.span.value))
    await session.execute(
        insert(table).values(
            **{place[0]: place[1]},
            period=budget.span.value,
            amount=f"{budget.amount:f}",
            warn_at=f"{budget.warn_at:f}",
            stops=budget.stops,
            updated_at=at,
        )
    )


async def delete_given_budget(session: AsyncSession, to: Role | str, span: Span) -> None:
    """Remove the budget of a role, or of the person with this id.

    Raises:
        NotFoundError: there is none of that.
    """
    table, place = _place(to)
    gone = delete(table).where(table.c[place[0]] == place[1], table.c.period == span.value)
    if (await session.execute(gone.returning(table.c.period))).one_or_none() is None:
        raise NotFoundError("budget", f"{place[1]} {span.value}")


def _place(to: Role | str) -> tuple[Table, tuple[str, str]]:
    return (ROLE_BUDGET, ("role", to.value)) if isinstance(to, Role) else (PERSON_BUDGET, ("owner", to))


async def _load_budgets(session: AsyncSession, table: Table, where: Any) -> tuple[SpendingBudget, ...]:
    rows = (await session.execute(select(table).where(where).order_by(table.c.period))).mappings()
    return tuple(decode_each("budget", rows, _decode_budget))


def _decode_budget(row: Any) -> SpendingBudget:
    span = decode_word(Span, row["period"])
    amount, warn_at = read_decimal(row["amount"]), read_decimal(row["warn_at"])
    return SpendingBudget(Scope.ALL, "", span, amount, warn_at, row["stops"], given=True)


def _decode_models(stored: object) -> tuple[str, ...] | None:
    """The patterns of a row; a value of another shape allows nothing, so that damage never opens anything."""
    if stored is None:
        return None
    return tuple(map(str, stored)) if isinstance(stored, list) else ()  # pyright: ignore[reportUnknownArgumentType]
