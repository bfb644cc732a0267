"""What the conversation on screen has cost, as the top bar shows it: its tokens, its cost, its budgets.

Each request is in `account.py`.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Final

import reflex as rx

from app.domain.costs.budgets import Standing
from app.domain.errors import NotFoundError
from app.runs.send.commands import LOCAL_OWNER
from app.runs.usage.accounts import Balance, load_balance
from app.runs.usage.budgets import Budgeted, list_budgets_of
from app.runs.workbench import bench_of, current
from app.state.address import conversation_in
from app.state.usage.budgets import describe_spent_of
from app.state.usage.labels import describe_charge, describe_tokens
from app.state.watching import moments
from app.views.usage.figures import number, plural, short

SETTLE_SECONDS: Final = 0.4
"""What the end of a reply brings to the screen comes first."""

_WORST_FIRST: Final = (Standing.SPENT, Standing.WARNING)


@dataclass(frozen=True)
class SpentView:
    """The figure of a `conversation`. `standing` is that of its worst budget, "" if none is spent or nearly so.

    `label` is read out, `title` is the same for the pointer.
    """

    conversation: str
    tokens: str
    cost: str
    standing: str
    label: str
    title: str


class SpentState(rx.State):
    """`spent` is None while nothing was sent; of which conversation it is, it says itself."""

    spent: rx.Field[SpentView | None] = rx.field(None)

    @rx.event(background=True, supersedes=True)
    async def follow(self) -> AsyncGenerator[rx.event.EventType[()]]:
        """Keep the figure current: from the opening of the conversation on, and after each reply."""
        conversation_id = conversation_in(self.router.url.path)
        async with self:
            token = self.router.session.client_token
        known: tuple[object, ...] | None = None
        await asyncio.sleep(SETTLE_SECONDS)
        async for moment in moments(token, conversation_id, settle=SETTLE_SECONDS):
            if known is None or not (moment.running or moment.charges == known):
                known = moment.charges
                yield SpentState.refresh

    @rx.event(background=True)
    async def refresh(self) -> None:
        """Read what the conversation on screen has cost."""
        conversation_id = conversation_in(self.router.url.path)
        spent = await _read(conversation_id) if conversation_id else None
        async with self:
            if conversation_id == conversation_in(self.router.url.path):
                self.spent = spent


async def _read(conversation_id: str) -> SpentView | None:
    try:
        bench = await bench_of(current(), conversation_id)
        balance = await load_balance(bench, LOCAL_OWNER, conversation_id)
    except NotFoundError:
        return None  # the page says that the conversation is missing
    if not balance.spent.calls:
        return None
    return _describe(balance, await list_budgets_of(bench, LOCAL_OWNER, balance.conversation))


def _describe(balance: Balance, budgets: tuple[Budgeted, ...]) -> SpentView:
    spent, cost = balance.spent, describe_charge(balance.spent)
    worst = next((one for standing in _WORST_FIRST for one in budgets if one.standing is standing), None)
    said = [f"{describe_tokens(spent)} tokens and {cost} spent in this conversation"]
    if spent.cut:
        said.append(f"{plural(spent.cut, 'request')} ended before the provider reported all that was used")
    if balance.window is not None:
        said.append(f"{number(balance.window)} tokens of context taken")
    if worst is not None:
        said.append(describe_spent_of(worst))
    return SpentView(
        conversation=balance.conversation.id,
        tokens=describe_tokens(spent, short),
        cost=cost,
        standing="" if worst is None else worst.standing.value,
        label=". ".join(said),
        title="\n".join(said),
    )
