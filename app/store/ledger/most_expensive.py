"""Finds the most expensive conversations in the database, so that Inview does not load all conversations.

The database multiplies in floating point, which is exact enough to rank them. The caller computes the exact cost of
each (`runs/usage/usage.py`).

    await find_most_expensive(session, owner, UsageQuery(), apart, prices, limit=100)
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import Float, Integer, String, and_, cast, func, select, union_all
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.models.model_profile import Prices
from app.domain.usage import COUNTERS, Usage
from app.store.ledger.usage import Apart, Place, UsageQuery, calls_of

# reasoning tokens are a part of the output tokens
_PRICED = tuple(name for name in COUNTERS if name != "reasoning_tokens")
_RATES = tuple(f"price_of_{name}" for name in _PRICED)
_FREE = (0.0,) * len(_PRICED)


@dataclass(frozen=True, slots=True)
class MostExpensive:
    """The ids of the most expensive conversations, the most expensive first, and the number of all conversations.

    Only conversations with calls that match the query count. The cost of a conversation includes its child
    conversations.
    """

    names: tuple[str, ...]
    count: int


async def find_most_expensive(  # noqa: PLR0913 - owner, query, prices, limit
    session: AsyncSession,
    owner: str,
    usage_query: UsageQuery,
    apart: Apart,
    prices: Mapping[Place, Prices | None],
    *,
    limit: int,
) -> MostExpensive:
    """Return the most expensive conversations. If costs are equal, the conversation with more tokens is first.

    The cost of a conversation includes its child conversations. Unknown prices count as 0.
    """
    if not prices:
        return MostExpensive((), 0)
    rows = [(*place, *(_FREE if known is None else _rates(known))) for place, known in prices.items()]
    listed = func.json_each(json.dumps(rows)).table_valued("value")
    kinds = {"model": String, "era": Integer, "part": Integer, "size": Integer, **dict.fromkeys(_RATES, Float)}
    # The values are cast and materialized, because SQLite compares only values of the same type as equal.
    typed = (
        cast(func.json_extract(listed.c.value, f"$[{place}]"), kind).label(name)
        for place, (name, kind) in enumerate(kinds.items())
    )
    price = select(*typed).cte("price").prefix_with("MATERIALIZED")
    parts = [
        select(
            calls.table.c.account_id.label("account_id"),
            calls.model.label("model"),
            calls.era.label("era"),
            calls.part.label("part"),
            calls.size.label("size"),
            *(calls.counters[name].label(name) for name in _PRICED),
        ).where(*calls.conditions)
        for calls in calls_of(owner, usage_query, apart, by_account=True)
    ]
    call = (parts[0] if len(parts) == 1 else union_all(*parts)).subquery("call")
    same = [call.c[name] == price.c[name] for name in ("model", "era", "part", "size")]
    cost = func.sum(sum(call.c[name] * price.c[rate] for name, rate in zip(_PRICED, _RATES, strict=True)))
    tokens = func.sum(sum(call.c[name] for name in _PRICED))
    query = (
        select(call.c.account_id, func.count().over())
        # Every call has a price. With the outer join, SQLite looks up the price for each call, and not the calls for
        # each price.
        .select_from(call.outerjoin(price, and_(*same)))
        .group_by(call.c.account_id)
        .order_by(cost.desc(), tokens.desc(), call.c.account_id)
        .limit(limit)
    )
    found = (await session.execute(query)).all()
    return MostExpensive(tuple(name for name, _ in found), found[0][1] if found else 0)


def _rates(prices: Prices) -> tuple[float, ...]:
    """Return the price of one token of each kind."""
    return tuple(float(Usage(**{name: 1}).cost(prices)) for name in _PRICED)
