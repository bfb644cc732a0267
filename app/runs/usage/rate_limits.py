"""The check of the rate limits before a send, and the count of an address's tokens after each run.

    await require_rate(ctx, session, owner, conversation_id, base.rate_limits)      # raises RateLimitedError

A send is counted as the last step of the transaction that stores it. So a send that is refused for another reason does
not count.

What a person or a program requests counts as a send: a message, a resend, each model of a comparison, a summary, a
title. Calls that Inview makes automatically do not: the first title, delegated work, the rounds of tools, cache
refreshes. But the tokens of these calls count for the limits of tokens.
"""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from math import ceil

from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.run.run import sum_usage
from app.domain.settings.rate_limits import (
    NO_RATE_LIMITS,
    RateLimit,
    RateLimitedError,
    RateLimits,
    RateScope,
    refuse_tokens,
    stricter,
)
from app.runs.app_context import AppContext
from app.runs.engine.live import LiveRun
from app.runs.runtime.client import current_client
from app.store.ledger import ledger


async def require_rate(  # noqa: PLR0913, PLR0917 - the conversation, its limits and the sends
    ctx: AppContext, session: AsyncSession, owner: str, conversation_id: str, own: RateLimits, sends: int = 1
) -> None:
    """Count `sends` in a conversation, if no rate limit forbids them.

    `own` are the limits of the preferences. Those of the installation apply as well. The client of the
    request gets the quotas, which become headers of its response.

    Raises:
        RateLimitedError: a limit is reached.
    """
    installed = ctx.settings.rate_limits
    limits = RateLimits(*(stricter(installed.of(scope), own.of(scope)) for scope in RateScope))
    if limits == NO_RATE_LIMITS:
        return
    client = current_client()
    names = {
        RateScope.CONVERSATION: conversation_id,
        RateScope.PERSON: owner,
        RateScope.ADDRESS: client.address,
    }
    applying = {(scope, name): limits.of(scope) for scope, name in names.items() if name}
    minute = {place: limit.sends for place, limit in applying.items() if limit.sends is not None}
    try:
        for (scope, name), limit in applying.items():
            await _require_tokens(ctx, session, owner, scope, name, limit)
        client.quotas[:] = await ctx.rates.take(minute, sends)
    except RateLimitedError:
        client.quotas[:] = await ctx.rates.quotas(minute)
        raise


async def count_address(ctx: AppContext, run: LiveRun) -> None:
    """Add the tokens of an ended run to the count of the network address that caused the run."""
    usage = sum_usage(run.state)
    if run.address and usage is not None:
        await ctx.rates.add_tokens(run.address, usage.all_tokens)


async def _require_tokens(  # noqa: PLR0913, PLR0917 - the scope and its limit
    ctx: AppContext, session: AsyncSession, owner: str, scope: RateScope, name: str, limit: RateLimit
) -> None:
    if limit.tokens is None:
        return
    now = datetime.now(UTC)
    midnight = datetime.combine(now.date(), time(), UTC)
    if scope is RateScope.ADDRESS:
        used = await ctx.rates.count_tokens(name)
    else:
        conversation_id = name if scope is RateScope.CONVERSATION else None
        spent = await ledger.sum_usage_by_model(session, owner, conversation_id=conversation_id, since=midnight)
        used = sum(usage.all_tokens for usage in spent.values())
    if used >= limit.tokens:
        wait = ceil((midnight + timedelta(days=1) - now).total_seconds())
        raise refuse_tokens(scope, limit.tokens, used, wait)
