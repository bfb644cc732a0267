"""The limits of the next send: the limits that the user set, minus the usage in the ledger.

A limit in money counts only calls of models with a known price.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, tzinfo
from decimal import Decimal
from typing import Literal

from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.context.budget import Allowance, Limits
from app.domain.filters.evaluation.instants import start_of_day
from app.domain.usage import Usage
from app.runs.app_context import AppContext
from app.store.conversation.heads import Head
from app.store.ledger.ledger import sum_usage_by_model
from app.store.settings.preferences import decode_preferences


async def load_limits(ctx: AppContext, session: AsyncSession, head: Head, zone: tzinfo) -> Limits:
    """Return the limits of the next send in a conversation. The ledger is read only if a limit needs it."""
    preferences, owner = decode_preferences(head.preferences), head.conversation.owner
    here: Mapping[str, Usage] = {}
    today: Mapping[str, Usage] = {}
    if preferences.conversation_tokens is not None or preferences.conversation_money is not None:
        here = await sum_usage_by_model(session, owner, conversation_id=head.conversation.id)
    if preferences.day_tokens is not None or preferences.day_money is not None:
        midnight = start_of_day(datetime.now(zone).date(), zone)
        today = await sum_usage_by_model(session, owner, since=midnight)
    tokens, tokens_of = _find_least(
        preferences.send_tokens,
        _allow("conversation", preferences.conversation_tokens, _count_tokens(here)),
        _allow("day", preferences.day_tokens, _count_tokens(today)),
    )
    money, money_of = _find_least(
        preferences.send_money,
        _allow("conversation", preferences.conversation_money, await _price(ctx, session, owner, here)),
        _allow("day", preferences.day_money, await _price(ctx, session, owner, today)),
    )
    return Limits(
        preferences.soft_cap,
        preferences.reserve,
        None if tokens is None else int(tokens),
        money,
        tokens_of,
        money_of,
    )


def _find_least(
    of_send: Decimal | int | None, *allowances: Allowance | None
) -> tuple[Decimal | None, Allowance | None]:
    """Return the lowest limit, and the limit for the conversation or the day that it is the rest of."""
    least = min((one for one in allowances if one is not None), key=lambda one: one.left, default=None)
    if least is None or (of_send is not None and of_send <= least.left):
        return None if of_send is None else Decimal(of_send), None
    return least.left, least


def _allow(
    scope: Literal["conversation", "day"], amount: Decimal | int | None, used: Decimal | int
) -> Allowance | None:
    return None if amount is None else Allowance(scope, Decimal(amount), Decimal(used))


def _count_tokens(spent: Mapping[str, Usage]) -> int:
    return sum(usage.all_tokens for usage in spent.values())


async def _price(ctx: AppContext, session: AsyncSession, owner: str, spent: Mapping[str, Usage]) -> Decimal:
    total = Decimal(0)
    for model, usage in spent.items():
        _, profile = await ctx.catalogue.recognise(session, owner, model)
        if profile.prices is not None:
            total += usage.cost(profile.prices)
    return total
