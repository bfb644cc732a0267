"""Routes of usage: sums of the ledger, as JSON or CSV, and the cost of one conversation with all its calls.

The sums are by day, model, agent, conversation or purpose.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, Depends, Query
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from app.api.http.access import Ctx, Owner
from app.api.http.answers import WITH_BODY, answer, fails, says
from app.api.http.bodies import ModelName
from app.api.http.cursors import MAX_LIMIT
from app.api.http.days import Day
from app.api.http.negotiation import CSV, ReadsJson, offers
from app.api.http.patterns import ENTRY_CURSOR
from app.api.http.problems import ApiProblemError, refuse_field
from app.api.resources.conversation.conversations import ConversationId
from app.api.resources.transfer.transfer import write_disposition
from app.domain.costs.budgets import describe_budget
from app.runs.usage.accounts import Booked, list_booked, load_account
from app.runs.usage.budgets import list_budgets_of
from app.runs.usage.reconciliation import reconcile
from app.runs.usage.usage import report_usage
from app.store.ledger.usage import GroupBy, UsageQuery
from app.views.request.composition import describe_cost
from app.views.usage.usage import (
    AccountView,
    BriefAccountView,
    BudgetStandView,
    CallPage,
    CallView,
    GroupView,
    ReconciledView,
    UsageReportView,
    describe_all,
    describe_reconciled,
    describe_report,
    describe_spent,
    spent_fields,
)
from app.views.usage.usage_csv import write_table

router = APIRouter(tags=["usage"])

MAX_GROUPS = 1_000
Groups = Annotated[GroupBy, Query(description="What to group by.")]


def _read_query(  # noqa: PLR0913, PLR0917 - FastAPI needs a parameter of the function for each query parameter
    first: Annotated[
        Day | None, Query(alias="from", description="The first UTC day. Default: the day of the first call.")
    ] = None,
    last: Annotated[Day | None, Query(alias="to", description="The last UTC day. Default: today.")] = None,
    model: Annotated[ModelName | None, Query(description="Only calls of this model.")] = None,
    purpose: Annotated[str | None, Query(max_length=40, description="Only calls with this purpose.")] = None,
    conversation: Annotated[
        str | None, Query(max_length=64, description="Only calls on the account of this conversation.")
    ] = None,
    agent: Annotated[
        str | None, Query(max_length=64, description='Only calls of this agent; "": calls without an agent.')
    ] = None,
) -> UsageQuery:
    if first is not None and last is not None and last < first:
        refuse_field("to", "is before `from`. Swap them.")
    return UsageQuery(first, last, model, purpose, conversation, agent)


UsageQueryParameters = Annotated[UsageQuery, Depends(_read_query)]


@router.get(
    "/usage",
    summary="Read the usage by day, month, model, agent, conversation or purpose",
    description="Sums of the ledger, with the price at the time of each call. Days and months are UTC, as "
    "providers bill them. Every day of the period is included, except days more than a year before the first "
    "call or after the last one. Other groups are ordered by cost, highest first.",
    dependencies=[ReadsJson],
    responses=says(UsageReportView),
)
async def report(
    ctx: Ctx,
    owner: Owner,
    query: UsageQueryParameters,
    group_by: Groups = "day",
    limit: Annotated[
        int, Query(ge=1, le=MAX_GROUPS, description="The maximum number of groups, except for days and months.")
    ] = 100,
) -> Response:
    most = None if group_by in {"day", "month"} else limit
    found = await report_usage(ctx, owner, query, group_by, most)
    groups = tuple(GroupView(group=one.name, title=one.title, **spent_fields(one.spent)) for one in found.groups)
    return answer(
        UsageReportView(
            group_by=group_by,
            items=groups,
            total=describe_spent(found.total),
            others=describe_spent(found.others),
            more=found.more,
        )
    )


@router.get(
    "/usage/export",
    summary="Export the usage as CSV",
    description="Has all groups. RFC 4180 with a header line.",
    dependencies=[Depends(offers(CSV))],
    response_class=Response,
    responses={200: {"description": "The table, as an attachment.", "content": {CSV: {"schema": {"type": "string"}}}}}
    | fails(),
)
async def export(ctx: Ctx, owner: Owner, query: UsageQueryParameters, group_by: Groups = "day") -> Response:
    found = await report_usage(ctx, owner, query, group_by)
    table = write_table(group_by, ((group.name, group.title, group.spent) for group in found.groups))
    headers = {
        "Content-Disposition": write_disposition(f"usage by {group_by}.csv"),
        "X-Content-Type-Options": "nosniff",
        "Cache-Control": "no-store",
    }
    return StreamingResponse(table, 200, headers, f"{CSV}; charset=utf-8")


@router.post(
    "/usage/reconcile",
    summary="Compare the ledger with a provider's usage export (CSV)",
    description=(
        "Accepts the file that the console of Anthropic or OpenAI exports, and compares it by UTC day and model. "
        "The file is not stored."
    ),
    dependencies=[ReadsJson],
    responses=says(ReconciledView, *WITH_BODY),
    openapi_extra={"requestBody": {"required": True, "content": {CSV: {"schema": {"type": "string"}}}}},
)
async def compare_with(ctx: Ctx, owner: Owner, request: Request) -> Response:
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != CSV:
        raise ApiProblemError("unsupported-media-type", f"Send the file with Content-Type: {CSV}.")
    try:
        text = (await request.body()).decode()
    except UnicodeDecodeError:
        refuse_field("file", "is not text in UTF-8. Export it as CSV again.")
    return answer(describe_reconciled(*await reconcile(ctx, owner, text)))


@router.get(
    "/conversations/{conversation_id}/usage",
    summary="Read the account of a conversation",
    description="Includes the child conversations: titles, summaries and delegated tasks.",
    dependencies=[ReadsJson],
    responses=says(AccountView | BriefAccountView, "not-found"),
)
async def read_account(
    ctx: Ctx,
    owner: Owner,
    conversation_id: ConversationId,
    *,
    brief: Annotated[bool, Query(description="Only `total`, `window` and `budgets`.")] = False,
) -> Response:
    account = await load_account(ctx, owner, conversation_id)
    budgets = tuple(
        BudgetStandView(
            words=describe_budget(one.budget),
            amount=describe_cost(one.budget.amount),
            spent=describe_spent(one.report.total),
            standing=one.standing,
        )
        for one in await list_budgets_of(ctx, owner, account.conversation)
    )
    total = describe_spent(account.spent)
    if brief:
        return answer(BriefAccountView(total=total, window=account.window, budgets=budgets))
    return answer(
        AccountView(
            conversation_id=conversation_id,
            total=total,
            by_purpose=describe_all(account.by_purpose),
            by_model=describe_all(account.by_model),
            cumulative=asdict(account.cumulative),
            window=account.window,
            budgets=budgets,
        )
    )


@router.get(
    "/conversations/{conversation_id}/calls",
    summary="List the provider calls on a conversation's account",
    description="Ordered by entry, newest first. Includes calls of pairs that were edited, deleted or failed.",
    dependencies=[ReadsJson],
    responses=says(CallPage, "not-found"),
)
async def list_calls(
    ctx: Ctx,
    owner: Owner,
    conversation_id: ConversationId,
    *,
    limit: Annotated[int, Query(ge=1, le=MAX_LIMIT, description="The maximum number of entries.")] = 50,
    cursor: Annotated[
        str | None, Query(pattern=ENTRY_CURSOR, description="The `next_cursor` of the previous page.")
    ] = None,
) -> Response:
    before = None if cursor is None else int(cursor)
    found = await list_booked(ctx, owner, conversation_id, limit=limit + 1, before=before)
    items = tuple(_describe(booked, conversation_id) for booked in found[:limit])
    return answer(CallPage(items, str(found[limit - 1].entry) if len(found) > limit else None))


def _describe(booked: Booked, conversation_id: str) -> CallView:
    call = booked.call
    return CallView(
        id=call.id,
        conversation_id=call.conversation_id,
        derived=call.conversation_id != conversation_id,
        pair_id=call.pair_id,
        position=booked.position,
        run_id=call.run_id,
        attempt=call.attempt,
        purpose=call.purpose,
        model=call.model,
        outcome=call.outcome,
        error_class=call.error_class,
        told=call.usage is not None,
        report_note=describe_report(call.report_fault, call.reported),
        predicted_read_tokens=None if booked.foretold is None else booked.foretold.tokens,
        cache_outcome=None if booked.judged is None else booked.judged.outcome,
        cache_why=None if booked.judged is None else booked.judged.why,
        started_at=call.started_at,
        ended_at=call.ended_at,
        **spent_fields(booked.spent),
    )
