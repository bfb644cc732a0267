"""The usage of the conversation on screen, for the top bar: its tokens, its cost and the worst status of its budgets.

The list of its requests is in `account.py`.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Final

import reflex as rx

from app.domain.costs.budgets import BudgetStatus
from app.domain.errors import NotFoundError
from app.runs.app_context import context_for, current
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.usage.accounts import Balance, load_balance
from app.runs.usage.budgets import Budgeted, list_budgets_of
from app.state.tab.address import conversation_in
from app.state.tab.changes import set_changed
from app.state.tab.tab_watchers import moments
from app.state.usage.budgets import describe_spent_of
from app.state.usage.labels import count_tokens, describe_both, describe_charge, describe_purpose
from app.views.usage.figures import number, plural, short

SETTLE_SECONDS: Final = 0.4
"""Delay before the usage and cost are read, so that the other updates at the end of a reply come first."""

_WORST_FIRST: Final = (BudgetStatus.SPENT, BudgetStatus.WARNING)


@dataclass(frozen=True)
class SpentFigures:
    """The tokens and the cost of the conversation with the id `conversation`, and the status of its budgets.

    - `included`: names the background tasks whose tokens are part of `tokens`, such as "incl. title"; "" for none.
    - `standing`: the worst status of its budgets, "" if none is spent or nearly spent.
    - `label`: the total and its parts, for screen readers.
    - `title`: the same, as a tooltip with a line for each part.
    """

    conversation: str
    tokens: str
    included: str
    cost: str
    standing: str
    label: str
    title: str


class SpentState(rx.State):
    """The usage and cost in the top bar. `spent` is None while nothing was sent in the conversation."""

    spent: rx.Field[SpentFigures | None] = rx.field(None)

    @rx.event(background=True, supersedes=True)
    async def follow(self) -> AsyncGenerator[rx.event.EventType[()]]:
        """Update the usage and cost in the top bar when the conversation is opened, and after each reply."""
        conversation_id = conversation_in(self.router.url.path)
        async with self:
            token = self.router.session.client_token
        known: tuple[object, ...] | None = None
        ended = ""
        await asyncio.sleep(SETTLE_SECONDS)
        async for moment in moments(token, conversation_id, settle=SETTLE_SECONDS):
            # With queued messages, the next reply runs at once, so the end of a reply counts although one is running.
            is_over = not moment.running or moment.ended_run != ended
            if known is None or (is_over and moment.charges != known):
                known, ended = moment.charges, moment.ended_run
                yield SpentState.refresh

    @rx.event(background=True)
    async def refresh(self) -> None:
        """Read and show the cost of the conversation on screen."""
        conversation_id = conversation_in(self.router.url.path)
        spent = await _read(conversation_id) if conversation_id else None
        async with self:
            if conversation_id == conversation_in(self.router.url.path):
                set_changed(self, spent=spent)


async def _read(conversation_id: str) -> SpentFigures | None:
    try:
        ctx = await context_for(current(), conversation_id)
        balance = await load_balance(ctx, LOCAL_OWNER, conversation_id)
    except NotFoundError:
        return None  # the page already says that the conversation is missing
    if not balance.spent.calls:
        return None
    return _describe(balance, await list_budgets_of(ctx, LOCAL_OWNER, balance.conversation))


def _describe(balance: Balance, budgets: tuple[Budgeted, ...]) -> SpentFigures:
    spent = balance.spent
    parts = [(purpose, one) for purpose, one in balance.by_purpose.items() if one.usage.all_tokens or one.cut]
    worst = next((one for standing in _WORST_FIRST for one in budgets if one.standing is standing), None)
    texts = [f"Used in this conversation: {describe_both(spent)}"]
    if len(parts) > 1:
        texts += [f"{describe_purpose(purpose, several=one.calls > 1)}: {describe_both(one)}" for purpose, one in parts]
    if spent.cut:
        texts.append(f"{plural(spent.cut, 'request')} ended before the provider reported the full usage")
    if balance.window is not None:
        by_summary = " by the summary" if balance.summarised else ""
        texts.append(f"{number(balance.window)} tokens of context used{by_summary}")
    if worst is not None:
        texts.append(describe_spent_of(worst))
    return SpentFigures(
        conversation=balance.conversation.id,
        tokens=count_tokens(spent, short),
        included=_name_included(balance),
        cost=describe_charge(spent),
        standing="" if worst is None else worst.standing.value,
        label=". ".join(texts),
        title="\n".join(texts),
    )


def _name_included(balance: Balance) -> str:
    """Name the background tasks of the total; "" if it has only replies, or only background tasks."""
    used = {purpose for purpose, one in balance.by_purpose.items() if one.usage.all_tokens}
    tasks = used - {"reply", "comparison"}
    if not tasks or tasks == used:
        return ""
    return f"incl. {describe_purpose(min(tasks)).lower()}" if len(tasks) == 1 else "incl. background tasks"
