"""Budgets of money: set them, list them with the most expensive models and conversations, check them before a send.

    await require_budgets(ctx, owner, conversation, estimate.cost)      # raises BudgetSpentError

Without budgets, the check needs no query.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal

from app.domain.conversation.conversation import Conversation, ConversationKind
from app.domain.costs.budgets import (
    BudgetPeriod,
    BudgetScope,
    BudgetSpentError,
    BudgetStatus,
    SpendingBudget,
    first_day,
    require_usable,
    status_of,
)
from app.domain.costs.prices import price_usage
from app.domain.usage import Usage
from app.runs.app_context import AppContext
from app.runs.runtime.ids import now
from app.runs.runtime.shielded import shielded
from app.runs.usage.prices import learn_tariffs
from app.runs.usage.usage import Group, Report, report_usage
from app.store.ledger.budgets import delete_budget, load_budgets, save_budget
from app.store.ledger.usage import UsageQuery

MAX_USERS = 5


@dataclass(frozen=True, slots=True)
class Budgeted:
    """The status of a budget, with the most expensive models and conversations.

    If the budget applies to each conversation (or agent) separately, this is the status for the most expensive
    conversation (or agent). Its id is `subject`.
    """

    budget: SpendingBudget
    subject: str
    standing: BudgetStatus
    report: Report
    conversations: tuple[Group, ...]


@shielded
async def set_budget(ctx: AppContext, owner: str, budget: SpendingBudget) -> None:
    """Set a budget. It replaces a budget with the same scope, subject and span.

    Raises:
        InputError: the budget is invalid.
    """
    require_usable(budget)
    async with ctx.store.write() as session:
        await save_budget(session, owner, budget, now())
    ctx.catalogue.forget_budgets()


@shielded
async def remove_budget(ctx: AppContext, owner: str, scope: BudgetScope, subject: str, span: BudgetPeriod) -> None:
    """Remove a budget.

    Raises:
        NotFoundError: there is no such budget.
    """
    async with ctx.store.write() as session:
        await delete_budget(session, owner, (scope, subject, span))
    ctx.catalogue.forget_budgets()


async def list_budgets(ctx: AppContext, owner: str) -> tuple[Budgeted, ...]:
    """List every budget with its current status."""
    return tuple([await _look_at(ctx, owner, budget) for budget in await _budgets_of(ctx, owner)])


async def list_budgets_of(ctx: AppContext, owner: str, conversation: Conversation) -> tuple[Budgeted, ...]:
    """List the budgets that apply to a send in a conversation, with their current status."""
    concerned = [(budget, _subject(budget, conversation)) for budget in await _budgets_of(ctx, owner)]
    return tuple([await _look_at(ctx, owner, budget, subject) for budget, subject in concerned if subject is not None])


async def require_budgets(ctx: AppContext, owner: str, conversation: Conversation, next_cost: Decimal | None) -> None:
    """Check that a send would not exceed a budget that stops sends.

    `next_cost` is the cost of the send, if it is known.

    Raises:
        BudgetSpentError: it would exceed a budget.
    """
    for budget in await _budgets_of(ctx, owner):
        subject = _subject(budget, conversation) if budget.stops else None
        if subject is None:
            continue
        spent = (await report_usage(ctx, owner, _query_of(budget, subject), "model")).total.cost
        free = next_cost is not None and not next_cost  # a send without cost is always allowed
        if not free and status_of(budget, spent, next_cost) is BudgetStatus.SPENT:
            raise BudgetSpentError(budget, spent, next_cost)


async def require_budgets_for(ctx: AppContext, conversation: Conversation, model: str, tokens: int) -> None:
    """Check that a call of this model that reads `tokens` tokens would not exceed a budget that stops sends.

    Raises:
        BudgetSpentError: it would exceed a budget.
    """
    owner = conversation.owner
    if await _budgets_of(ctx, owner):
        tariff = (await learn_tariffs(ctx, owner, {model}))[model]
        await require_budgets(ctx, owner, conversation, price_usage(Usage(input_tokens=tokens), tariff, now()))


async def _budgets_of(ctx: AppContext, owner: str) -> tuple[SpendingBudget, ...]:
    kept = ctx.catalogue.budgets  # another mapping replaces this one if a budget changes during the read
    if (known := kept.get(owner)) is None:
        async with ctx.store.read() as session:
            known = kept[owner] = await load_budgets(session, owner)
    return known


def _subject(budget: SpendingBudget, conversation: Conversation) -> str | None:
    """Return the id of the conversation or agent whose spending counts against this budget for this send.

    "": all spending counts. None: the budget does not apply to a send in this conversation.
    """
    derived = conversation.kind is ConversationKind.TOOL and conversation.parent_id is not None
    own = {
        BudgetScope.ALL: "",
        BudgetScope.CONVERSATION: conversation.parent_id if derived else conversation.id,
        BudgetScope.AGENT: conversation.agent_id,
    }[budget.scope]
    return own if own is not None and budget.subject in {"", own} else None


def _query_of(budget: SpendingBudget, subject: str) -> UsageQuery:
    first = first_day(budget.span, datetime.now(UTC).date())
    return UsageQuery(
        first=first,
        account_id=subject if budget.scope is BudgetScope.CONVERSATION else None,
        agent_id=subject if budget.scope is BudgetScope.AGENT else None,
    )


async def _look_at(ctx: AppContext, owner: str, budget: SpendingBudget, subject: str | None = None) -> Budgeted:
    if subject is None:
        subject = budget.subject or await _find_dearest(ctx, owner, budget)
    query = _query_of(budget, subject)
    report = await report_usage(ctx, owner, query, "model", MAX_USERS)
    users = await report_usage(ctx, owner, query, "conversation", MAX_USERS)
    return Budgeted(budget, subject, status_of(budget, report.total.cost), report, users.groups)


async def _find_dearest(ctx: AppContext, owner: str, budget: SpendingBudget) -> str:
    if budget.scope is BudgetScope.ALL:
        return ""
    first = first_day(budget.span, datetime.now(UTC).date())
    group_by = "conversation" if budget.scope is BudgetScope.CONVERSATION else "agent"
    report = await report_usage(ctx, owner, UsageQuery(first=first), group_by, 2)
    return next((group.name for group in report.groups if group.name), "-")
