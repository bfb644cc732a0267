"""Routes of budgets and of the user's prices."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Annotated

from fastapi import APIRouter, Path, Query
from pydantic import Field
from starlette.responses import Response

from app.api.http.access import Ctx, Owner
from app.api.http.answers import WITH_BODY, answer, fails, says
from app.api.http.bodies import Body, ModelName
from app.api.http.days import Day
from app.api.http.negotiation import HasBody, ReadsJson
from app.api.http.patterns import MONEY
from app.domain.costs.budgets import BudgetPeriod, BudgetScope, BudgetStatus, SpendingBudget
from app.domain.models.model_profile import Prices
from app.runs.usage.budgets import Budgeted, list_budgets, remove_budget, set_budget
from app.runs.usage.prices import remove_price, set_price
from app.store.ledger.prices import OwnPrice, load_own_prices
from app.views.settings.model import PricesView, describe_prices
from app.views.usage.usage import GroupView, SpentView, describe_spent, spent_fields

router = APIRouter(tags=["usage"], dependencies=[ReadsJson])
Subject = Annotated[
    str, Query(max_length=64, description='The id of a conversation or an agent; "": each one, or everything.')
]
Since = Annotated[Day, Path(description="A UTC day.")]
PricedModel = Annotated[ModelName, Query(description="A model.")]
WhatOf = Annotated[BudgetScope, Path(description="What the budget applies to.")]
InTime = Annotated[BudgetPeriod, Path(description="The period of the budget.")]
Money = Annotated[
    str, Field(pattern=MONEY, description="The amount in US dollars, as decimal text.", examples=["2.50"])
]


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetView:
    """A budget with its status.

    - `used_by_subject`: if the budget applies to each conversation or each agent, the conversation or agent that spent
      most.
    - `spent`: its usage and cost.
    - `standing`: the status: fine, warning (`spent` has reached the share `warn_at` of the amount) or spent.
    - `models`, `conversations`: the most expensive parts of `spent`.
    """

    scope: BudgetScope
    subject: str
    span: BudgetPeriod
    amount: str
    warn_at: float
    stops: bool
    used_by_subject: str
    standing: BudgetStatus
    spent: SpentView
    models: tuple[GroupView, ...]
    conversations: tuple[GroupView, ...]


@dataclass(frozen=True, slots=True)
class BudgetsView:
    """All budgets."""

    items: tuple[BudgetView, ...]


class BudgetBody(Body):
    """A limit for costs. `stops`: a send that would exceed the limit is refused; otherwise Inview only warns."""

    amount: Money
    warn_at: float = Field(0.8, gt=0, le=1, description="The share of the amount at which Inview warns.")
    stops: bool = True


@dataclass(frozen=True, slots=True)
class OwnPriceView:
    """The user's prices of a model, which apply from the UTC day `since` on. `prices` is null if they are unknown."""

    model: str
    since: date
    prices: PricesView | None


@dataclass(frozen=True, slots=True)
class OwnPricesView:
    """All prices that the user entered."""

    items: tuple[OwnPriceView, ...]


class PriceBody(Body):
    """Prices in US dollars per million tokens. Without a price of the cache, the price of `input` applies."""

    input: Money
    output: Money
    cache_read: Money | None = None
    cache_write: Money | None = None
    cache_write_1h: Money | None = None


@router.get("/budgets", summary="List the budgets with their status", responses=says(BudgetsView))
async def read_budgets(ctx: Ctx, owner: Owner) -> Response:
    return answer(BudgetsView(tuple(map(describe_budgeted, await list_budgets(ctx, owner)))))


@router.put(
    "/budgets/{scope}/{span}",
    summary="Set a budget",
    description="Days and months are UTC. A call that would exceed a budget that stops is refused as `budget-spent`.",
    dependencies=[HasBody],
    responses=says(BudgetsView, *WITH_BODY, "not-found", description="All budgets after the change."),
)
async def put_budget(  # noqa: PLR0913 - FastAPI needs a parameter of the function for each parameter of the route
    ctx: Ctx, owner: Owner, scope: WhatOf, span: InTime, body: BudgetBody, *, subject: Subject = ""
) -> Response:
    budget = SpendingBudget(scope, subject, span, Decimal(body.amount), Decimal(str(body.warn_at)), body.stops)
    await set_budget(ctx, owner, budget)
    return await read_budgets(ctx, owner)


@router.delete(
    "/budgets/{scope}/{span}",
    summary="Remove a budget",
    status_code=204,
    response_class=Response,
    responses={204: {"description": "Removed."}} | fails("not-found"),
)
async def drop_budget(ctx: Ctx, owner: Owner, scope: WhatOf, span: InTime, *, subject: Subject = "") -> Response:
    await remove_budget(ctx, owner, scope, subject, span)
    return Response(status_code=204)


@router.get("/prices", summary="List your own prices", responses=says(OwnPricesView))
async def read_prices(ctx: Ctx, owner: Owner) -> Response:
    async with ctx.store.read() as session:
        own = await load_own_prices(session, owner)
    return answer(OwnPricesView(tuple(_describe_price(price) for price in own)))


@router.put(
    "/prices/{since}",
    summary="Set your own price of a model from a UTC day",
    description=(
        "It replaces the public price, also for calls already made since that day: costs are computed on request."
    ),
    dependencies=[HasBody],
    responses=says(OwnPricesView, *WITH_BODY, "not-found", description="All your own prices after the change."),
)
async def put_price(ctx: Ctx, owner: Owner, since: Since, body: PriceBody, model: PricedModel) -> Response:
    read, written, written_1h = map(_decimal, (body.cache_read, body.cache_write, body.cache_write_1h))
    prices = Prices(Decimal(body.input), Decimal(body.output), read, written, written_1h)
    await set_price(ctx, owner, OwnPrice(model, since, prices))
    return await read_prices(ctx, owner)


@router.delete(
    "/prices/{since}",
    summary="Remove one of your own prices",
    status_code=204,
    response_class=Response,
    responses={204: {"description": "Removed. The public price applies again."}} | fails("not-found"),
)
async def drop_price(ctx: Ctx, owner: Owner, since: Since, model: PricedModel) -> Response:
    await remove_price(ctx, owner, model, since)
    return Response(status_code=204)


def describe_budgeted(one: Budgeted) -> BudgetView:
    """Convert a budget with its status to the form that the API returns."""
    budget = one.budget
    models, conversations = (
        tuple(GroupView(group=group.name, title=group.title, **spent_fields(group.spent)) for group in groups)
        for groups in (one.report.groups, one.conversations)
    )
    return BudgetView(
        scope=budget.scope,
        subject=budget.subject,
        span=budget.span,
        amount=f"{budget.amount.normalize():f}",
        warn_at=float(budget.warn_at),
        stops=budget.stops,
        used_by_subject=one.subject,
        standing=one.standing,
        spent=describe_spent(one.report.total),
        models=models,
        conversations=conversations,
    )


def _describe_price(own: OwnPrice) -> OwnPriceView:
    return OwnPriceView(own.model, own.since, None if own.prices is None else describe_prices(own.prices))


def _decimal(text: str | None) -> Decimal | None:
    return None if text is None else Decimal(text)
