"""Allowances over HTTP: which models roles may use, and what roles and persons may spend. For owners and admins."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated

from fastapi import APIRouter, Depends, Path
from pydantic import Field
from starlette.responses import Response

from app.api.http.access import Bench, Owner
from app.api.http.answers import WITH_BODY, answer, fails, says
from app.api.http.bodies import Body
from app.api.http.negotiation import JSON, offers, require_json_body
from app.api.http.patterns import MONEY
from app.domain.costs.budgets import Scope, Span, SpendingBudget
from app.domain.people.allowances import MAX_PATTERN, MAX_PATTERNS
from app.domain.people.people import Role
from app.runs.usage.allowances import give_budget, list_allowances, set_role_models, take_budget

router = APIRouter(prefix="/allowances", tags=["people"], dependencies=[Depends(offers(JSON))])
HasBody = Depends(require_json_body)
OfRole = Annotated[Role, Path(description="A role.")]
PersonId = Annotated[str, Path(max_length=64, description="A person.")]
InTime = Annotated[Span, Path(description="In which time.")]
Pattern = Annotated[str, Field(max_length=MAX_PATTERN, description='A model, with "*" for any characters.')]


@dataclass(frozen=True, slots=True)
class GivenBudgetView:
    """What a person may spend in a UTC day, a UTC month or ever, in US dollars."""

    span: Span
    amount: str
    warn_at: float
    stops: bool


@dataclass(frozen=True, slots=True)
class RoleAllowanceView:
    """What each person with a role may use and spend. `models` null: all."""

    role: Role
    models: tuple[str, ...] | None
    budgets: tuple[GivenBudgetView, ...]


@dataclass(frozen=True, slots=True)
class PersonAllowanceView:
    """What one person may spend, in the place of what their role may in the same time."""

    person_id: str
    name: str
    budgets: tuple[GivenBudgetView, ...]


@dataclass(frozen=True, slots=True)
class AllowancesView:
    """Every role, and the persons who have budgets of their own."""

    roles: tuple[RoleAllowanceView, ...]
    persons: tuple[PersonAllowanceView, ...]


class ModelsBody(Body):
    """The models that a role may use: patterns, or null for all."""

    models: Annotated[list[Pattern], Field(max_length=MAX_PATTERNS)] | None


class GivenBudgetBody(Body):
    """How much may be spent. `stops`: nothing is sent that would go beyond it; else it only warns."""

    amount: Annotated[str, Field(pattern=MONEY, description="US dollars as decimal text.", examples=["2.50"])]
    warn_at: float = Field(0.8, gt=0, le=1, description="The share of the amount from which on it warns.")
    stops: bool = True


@router.get(
    "", summary="What roles and persons may use and spend", responses=says(AllowancesView, "forbidden", "not-found")
)
async def read_them(bench: Bench, owner: Owner) -> Response:
    found = await list_allowances(bench, owner)
    roles = tuple(RoleAllowanceView(one.role, one.models, _describe(one.budgets)) for one in found.roles)
    persons = tuple(PersonAllowanceView(one.person_id, one.name, _describe(one.budgets)) for one in found.persons)
    return answer(AllowancesView(roles, persons))


@router.put(
    "/roles/{role}/models",
    summary="Let a role use some models, or all",
    dependencies=[HasBody],
    responses=says(AllowancesView, *WITH_BODY, "forbidden", "not-found"),
)
async def put_models(bench: Bench, owner: Owner, role: OfRole, body: ModelsBody) -> Response:
    await set_role_models(bench, owner, role, body.models)
    return await read_them(bench, owner)


@router.put(
    "/roles/{role}/budgets/{span}",
    summary="Set what each person with a role may spend",
    dependencies=[HasBody],
    responses=says(AllowancesView, *WITH_BODY, "forbidden", "not-found"),
)
async def put_role_budget(bench: Bench, owner: Owner, role: OfRole, span: InTime, body: GivenBudgetBody) -> Response:
    await give_budget(bench, owner, role, _read(span, body))
    return await read_them(bench, owner)


@router.delete(
    "/roles/{role}/budgets/{span}",
    summary="Remove the budget of a role",
    status_code=204,
    response_class=Response,
    responses={204: {"description": "Gone."}} | fails("forbidden", "not-found"),
)
async def drop_role_budget(bench: Bench, owner: Owner, role: OfRole, span: InTime) -> Response:
    await take_budget(bench, owner, role, span)
    return Response(status_code=204)


@router.put(
    "/people/{person_id}/budgets/{span}",
    summary="Set what a person may spend",
    description="It stands in the place of the budget of the person's role for the same time.",
    dependencies=[HasBody],
    responses=says(AllowancesView, *WITH_BODY, "forbidden", "not-found"),
)
async def put_budget(bench: Bench, owner: Owner, person_id: PersonId, span: InTime, body: GivenBudgetBody) -> Response:
    await give_budget(bench, owner, person_id, _read(span, body))
    return await read_them(bench, owner)


@router.delete(
    "/people/{person_id}/budgets/{span}",
    summary="Remove the budget of a person",
    status_code=204,
    response_class=Response,
    responses={204: {"description": "Gone."}} | fails("forbidden", "not-found"),
)
async def drop_budget(bench: Bench, owner: Owner, person_id: PersonId, span: InTime) -> Response:
    await take_budget(bench, owner, person_id, span)
    return Response(status_code=204)


def _read(span: Span, body: GivenBudgetBody) -> SpendingBudget:
    return SpendingBudget(Scope.ALL, "", span, Decimal(body.amount), Decimal(str(body.warn_at)), body.stops)


def _describe(budgets: tuple[SpendingBudget, ...]) -> tuple[GivenBudgetView, ...]:
    return tuple(
        GivenBudgetView(one.span, f"{one.amount.normalize():f}", float(one.warn_at), one.stops) for one in budgets
    )
