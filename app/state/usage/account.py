"""The usage section of the inspector: the total costs of the conversation on screen, and its requests.

The requests of pairs that were edited, deleted or failed are included, because they were paid for too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import reflex as rx

from app.domain.errors import NotFoundError
from app.runs.app_context import AppContext, context_for, current
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.usage.accounts import Booked, list_booked, load_account
from app.runs.usage.budgets import list_budgets_of
from app.state.messages.error_messages import describe_fault
from app.state.tab.address import conversation_in
from app.state.tab.tab_watchers import moment_of
from app.state.usage.account_view import AccountSummary, CallItem, describe_account, describe_call

PAGE: Final = 30
"""Number of requests that are shown at first, and that each "Show older requests" adds."""


@dataclass(frozen=True)
class _Page:
    """A page of requests. `cursor` is the ledger entry after which older requests follow; None: no older ones."""

    items: tuple[CallItem, ...]
    cursor: int | None


class AccountState(rx.State):
    """The usage section of the inspector: all costs of a conversation.

    - `account` has the sums and the id of the conversation, None until they are read.
    - `calls`: the newest requests; `more`: there are older ones.
    - `fault`: the reason why they cannot be read.
    """

    account: rx.Field[AccountSummary | None] = rx.field(None)
    calls: rx.Field[tuple[CallItem, ...]] = rx.field(())
    more: rx.Field[bool] = rx.field(default=False)
    fault: rx.Field[str] = rx.field("")
    _cursor: int | None = None
    _charges: tuple[object, ...] = ()

    @rx.event
    async def keep_current(self) -> rx.event.EventType[()] | None:
        """Read the costs again if the conversation or its charges have changed.

        Called whenever the content of the next send changes.
        """
        moment = moment_of(self)
        if moment is None or (moment.conversation_id, moment.charges) == self._charges:
            return None
        self._charges = (moment.conversation_id, moment.charges)
        return AccountState.load

    @rx.event(background=True)
    async def load(self) -> None:
        """Read and show the costs of the conversation on screen."""
        conversation_id = conversation_in(self.router.url.path)
        account, page, fault = None, _Page((), None), ""
        try:
            account, page = await _read_account(conversation_id), await _read_page(conversation_id, None)
        except NotFoundError as error:
            fault = describe_fault(error)
        async with self:
            if conversation_id == conversation_in(self.router.url.path):
                self.account, self.calls, self.fault = account, page.items, fault
                self._cursor, self.more = page.cursor, page.cursor is not None

    @rx.event
    async def close(self) -> None:
        """Reset this state, because the usage section is closed or shows another conversation."""
        self.reset()

    @rx.event
    async def show_older(self) -> None:
        """Show the next page of older provider calls too."""
        conversation_id = conversation_in(self.router.url.path)
        if self._cursor is None or self.account is None or self.account.conversation != conversation_id:
            return
        page = await _read_page(conversation_id, self._cursor)
        self.calls = (*self.calls, *page.items)
        self._cursor, self.more = page.cursor, page.cursor is not None


async def _read_account(conversation_id: str) -> AccountSummary:
    ctx = await context_for(current(), conversation_id)
    account = await load_account(ctx, LOCAL_OWNER, conversation_id)
    return describe_account(account, await list_budgets_of(ctx, LOCAL_OWNER, account.conversation))


async def find_call(conversation_id: str, run_id: str) -> CallItem | None:
    """Return the newest provider call of a run in this conversation; None: the ledger has none."""
    ctx = await context_for(current(), conversation_id)
    found = await list_booked(ctx, LOCAL_OWNER, conversation_id, limit=1, run_id=run_id)
    return next(iter(_describe(ctx, conversation_id, found)), None)


async def _read_page(conversation_id: str, before: int | None) -> _Page:
    ctx = await context_for(current(), conversation_id)
    found = await list_booked(ctx, LOCAL_OWNER, conversation_id, limit=PAGE + 1, before=before)
    cursor = found[PAGE - 1].entry if len(found) > PAGE else None
    return _Page(_describe(ctx, conversation_id, found[:PAGE]), cursor)


def _describe(ctx: AppContext, conversation_id: str, found: Sequence[Booked]) -> tuple[CallItem, ...]:
    names = ctx.catalogue.names_of(LOCAL_OWNER, (booked.call.model for booked in found))
    return tuple(describe_call(booked, conversation_id, names[booked.call.model]) for booked in found)
