"""The limits of the next send: the limits that the user set, minus the usage in the ledger.

A limit in money counts only calls of models with a known price.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, tzinfo
from decimal import Decimal
from typing import TypeVar

from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.context.budget import Limits
from app.domain.filters.evaluation.instants import start_of_day
from app.domain.usage import Usage
from app.runs.app_context import AppContext
from app.store.conversation.conversations import Head
from app.store.ledger.ledger import sum_usage
from app.store.settings.preferences import read_preferences

Amount = TypeVar("Amount", int, Decimal)


async def load_limits(ctx: AppContext, session: AsyncSession, head: Head, zone: tzinfo) -> Limits:
    """Return the limits of the next send in a conversation. The ledger is read only if a limit needs it."""
    preferences, owner = read_preferences(head.preferences), head.conversation.owner
    here: Mapping[str, Usage] = {}
    today: Mapping[str, Usage] = {}
    if preferences.conversation_tokens is not None or preferences.conversation_money is not None:
        here = await sum_usage(session, owner, conversation_id=head.conversation.id)
    if preferences.day_tokens is not None or preferences.day_money is not None:
        midnight = start_of_day(datetime.now(zone).date(), zone)
        today = await sum_usage(session, owner, since=midnight)
    return Limits(
        preferences.soft_cap,
        preferences.reserve,
        _least(
            preferences.send_tokens,
            _left(preferences.conversation_tokens, _count_tokens(here)),
            _left(preferences.day_tokens, _count_tokens(today)),
        ),
        _least(
            preferences.send_money,
            _left(preferences.conversation_money, await _price(ctx, session, owner, here)),
            _left(preferences.day_money, await _price(ctx, session, owner, today)),
        ),
    )


def _least(*ceilings: Amount | None) -> Amount | None:
    return min((ceiling for ceiling in ceilings if ceiling is not None), default=None)


def _left(ceiling: Amount | None, spent: Amount) -> Amount | None:
    return None if ceiling is None else max(ceiling - spent, type(spent)(0))


def _count_tokens(spent: Mapping[str, Usage]) -> int:
    return sum(usage.all_tokens for usage in spent.values())


async def _price(ctx: AppContext, session: AsyncSession, owner: str, spent: Mapping[str, Usage]) -> Decimal:
    total = Decimal(0)
    for model, usage in spent.items():
        _, profile = await ctx.catalogue.recognise(session, owner, model)
        if profile.prices is not None:
            total += usage.cost(profile.prices)
    return total
