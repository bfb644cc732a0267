"""Budgets of money: set, seen with who used them, and asked before anything is sent.

    await require_budgets(wb, owner, conversation, estimate.cost)      # raises BudgetSpentError

Without a budget, a send asks the database nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal

from app.domain.conversation.conversation import Conversation, ConversationKind
from app.domain.costs.budgets import (
    BudgetSpentError,
    Scope,
    Span,
    SpendingBudget,
    Standing,
    first_day,
    require_usable,
    stand,
)
from app.domain.costs.prices import price_usage
from app.domain.usage import Usage
from app.runs.process.ids import now
from app.runs.process.shielded import shielded
from app.runs.usage.prices import learn_tariffs
from app.runs.usage.usage import Group, Report, report_usage
from app.runs.workbench import Workbench
from app.store.ledger.budgets import delete_budget, load_budgets, save_budget
from app.store.ledger.usage import UsageQuery

MAX_USERS = 5


@dataclass(frozen=True, slots=True)
class Budgeted:
    """How a budget stands, and who used it: the dearest models and conversations.

    Of a budget for each conversation, or each agent, it is the one that used most that is told.
    """

    budget: SpendingBudget
    subject: str
    standing: Standing
    report: Report
    conversations: tuple[Group, ...]


@shielded
async def set_budget(wb: Workbench, owner: str, budget: SpendingBudget) -> None:
    """Set a budget, in the place of another one of the same.

    Raises:
        InputError: it cannot be one.
    """
    require_usable(budget)
    async with wb.store.write() as session:
        await save_budget(session, owner, budget, now())
    wb.catalogue.forget_budgets()


@shielded
async def remove_budget(wb: Workbench, owner: str, scope: Scope, subject: str, span: Span) -> None:
    """Remove a budget.

    Raises:
        NotFoundError: there is none of that.
    """
    async with wb.store.write() as session:
        await delete_budget(session, owner, (scope, subject, span))
    wb.catalogue.forget_budgets()


async def list_budgets(wb: Workbench, owner: str) -> tuple[Budgeted, ...]:
    """Every budget as it stands now."""
    return tuple([await _look_at(wb, owner, budget) for budget in await _budgets_of(wb, owner)])


async def list_budgets_of(wb: Workbench, owner: str, conversation: Conversation) -> tuple[Budgeted, ...]:
    """The budgets that a send in a conversation is part of, as they stand now."""
    concerned = [(budget, _subject(budget, conversation)) for budget in await _budgets_of(wb, owner)]
    return tuple([await _look_at(wb, owner, budget, subject) for budget, subject in concerned if subject is not None])


async def require_budgets(wb: Workbench, owner: str, conversation: Conversation, wanted: Decimal | None) -> None:
    """Refuse to send what would go beyond a budget that stops. `wanted`: what it would cost, as far as that is known.

    Raises:
        BudgetSpentError: it would.
    """
    for budget in await _budgets_of(wb, owner):
        subject = _subject(budget, conversation) if budget.stops else None
        if subject is None:
            continue
        spent = (await report_usage(wb, owner, _asked(budget, subject), "model")).total.cost
        free = wanted is not None and not wanted  # what costs nothing may always be sent
        if not free and stand(budget, spent, wanted) is Standing.SPENT:
            raise BudgetSpentError(budget, spent, wanted)


async def require_budgets_for(wb: Workbench, conversation: Conversation, model: str, tokens: int) -> None:
    """As `require_budgets`, for a call of this model that reads so many tokens.

    Raises:
        BudgetSpentError: it would.
    """
    owner = conversation.owner
    if await _budgets_of(wb, owner):
        tariff = (await learn_tariffs(wb, owner, {model}))[model]
        await require_budgets(wb, owner, conversation, price_usage(Usage(input_tokens=tokens), tariff, now()))


async def _budgets_of(wb: Workbench, owner: str) -> tuple[SpendingBudget, ...]:
    kept = wb.catalogue.budgets  # the mapping from before the reading: a change meanwhile replaces it
    if (known := kept.get(owner)) is None:
        async with wb.store.read() as session:
            known = kept[owner] = await load_budgets(session, owner)
    return known


def _subject(budget: SpendingBudget, conversation: Conversation) -> str | None:
    """Whose spending counts for a send in this conversation; None: the budget has nothing to do with it."""
    derived = conversation.kind is ConversationKind.TOOL and conversation.parent_id is not None
    own = {
        Scope.ALL: "",
        Scope.CONVERSATION: conversation.parent_id if derived else conversation.id,
        Scope.AGENT: conversation.agent_id,
    }[budget.scope]
    return own if own is not None and budget.subject in {"", own} else None


def _asked(budget: SpendingBudget, subject: str) -> UsageQuery:
    first = first_day(budget.span, datetime.now(UTC).date())
    return UsageQuery(
        first=first,
        account_id=subject if budget.scope is Scope.CONVERSATION else None,
        agent_id=subject if budget.scope is Scope.AGENT else None,
    )


async def _look_at(wb: Workbench, owner: str, budget: SpendingBudget, subject: str | None = None) -> Budgeted:
    if subject is None:
        subject = budget.subject or await _find_dearest(wb, owner, budget)
    asked = _asked(budget, subject)
    report = await report_usage(wb, owner, asked, "model", MAX_USERS)
    users = await report_usage(wb, owner, asked, "conversation", MAX_USERS)
    return Budgeted(budget, subject, stand(budget, report.total.cost), report, users.groups)


async def _find_dearest(wb: Workbench, owner: str, budget: SpendingBudget) -> str:
    if budget.scope is Scope.ALL:
        return ""
    first = first_day(budget.span, datetime.now(UTC).date())
    group_by = "conversation" if budget.scope is Scope.CONVERSATION else "agent"
    report = await report_usage(wb, owner, UsageQuery(first=first), group_by, 2)
    return next((group.name for group in report.groups if group.name), "-")
