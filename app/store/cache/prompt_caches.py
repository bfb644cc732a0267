"""Queries of cache plans. A plan is stored with its run, and loaded together with the usage that the provider reported.

The current content of a cache is computed from plans and usage (`domain.cache.warmth`), never stored.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.cache.misses import Break
from app.domain.cache.plan import CachePlan, Prediction
from app.domain.cache.prefix import Prefix
from app.domain.cache.rules import DAY
from app.domain.cache.warmth import Breakpoint, CachedCall
from app.store.cache.rows_prompt_cache import PROMPT_CACHE
from app.store.conversation.rows import RUN
from app.store.database.damage import Reading, a_number, read_rows
from app.store.database.mapping import decode_round, decode_usage
from app.store.ledger.rows_ledger import LEDGER

MAX_CALLS = 48
"""Maximum number of a model's calls that are loaded: the newest ones.

Older calls are not needed, because the cache reads of newer calls show which older prefixes are still cached.
"""

_OF_RUN = ("usage", "rounds", "ended_at", "pair_id", "attempt_started_at")


@dataclass(frozen=True, slots=True)
class CacheUse:
    """The cache plan of a provider call, to be stored.

    - `prefix`: the keys that identify the parts of its request.
    - `frozen`: the call must not write to the cache.
    - `broken`: describes a cached prefix that the call will not read; None if there is none.
    """

    prefix: Prefix
    plan: CachePlan
    frozen: bool = False
    broken: Break | None = None


@dataclass(frozen=True, slots=True)
class StoredUse:
    """A provider call, loaded with the prediction of the tokens that it reads from the provider's cache.

    - `call`: the call. Its `usage` is the provider's report.
    - `pair_id`: the pair that the call answered.
    - `index`: the place of its newest breakpoint in the request.
    - `frozen`: the call must not write to the cache.
    - `over`: the call has ended.
    """

    call: CachedCall
    pair_id: str
    index: int | None
    predicted: Prediction
    frozen: bool
    over: bool


@dataclass(frozen=True, slots=True)
class RunCall:
    """A provider call of a run. `number` counts the calls of the run from 1."""

    owner: str
    conversation_id: str
    run_id: str
    model: str
    number: int = 1


async def insert_cache_use(session: AsyncSession, call: RunCall, at: datetime, use: CacheUse) -> None:
    """Store the cache plan of a provider call.

    This also empties `chain`, the stored keys of messages, in the plans of calls that are too old for any cache.
    """
    await session.execute(
        update(PROMPT_CACHE)
        .where(
            PROMPT_CACHE.c.owner == call.owner,
            PROMPT_CACHE.c.model == call.model,
            PROMPT_CACHE.c.at < at - timedelta(seconds=DAY),
            PROMPT_CACHE.c.chain != b"",
        )
        .values(chain=b"")
    )
    await session.execute(
        insert(PROMPT_CACHE),
        {
            "run_id": call.run_id,
            "round": call.number,
            "owner": call.owner,
            "conversation_id": call.conversation_id,
            "model": call.model,
            "at": at,
            "cache_control_index": use.plan.index,
            "marks": [[mark.place, mark.lifetime] for mark in use.plan.marks],
            "predicted_place": use.plan.prediction.place,
            "predicted_read_tokens": use.plan.prediction.tokens,
            "predicted_exactly": use.plan.prediction.exact,
            "frozen": use.frozen,
            "tools_key": use.prefix.tools,
            "system_key": use.prefix.system,
            "chain": use.prefix.chain,
        },
    )


async def load_marks(session: AsyncSession, run_id: str) -> tuple[Breakpoint, ...]:
    """Return the cache breakpoints that were sent with a run's first request."""
    first = (PROMPT_CACHE.c.run_id == run_id, PROMPT_CACHE.c.round == 1)
    marks = await session.scalar(select(PROMPT_CACHE.c.marks).where(*first))
    return Reading("prompt_cache", f"{run_id} 1").take("marks", marks, decode_marks, ())


async def load_sent(session: AsyncSession, run_ids: Collection[str]) -> dict[str, tuple[tuple[int, int], ...]]:
    """Return the position ranges of the pairs that these runs sent, by run. Runs that recorded none are left out."""
    query = select(RUN.c.id, RUN.c.sent).where(RUN.c.id.in_(run_ids), RUN.c.sent.is_not(None))
    return {
        row.id: Reading("run", row.id).take("sent", row.sent, decode_sent, ()) for row in await session.execute(query)
    }


async def load_foretold(session: AsyncSession, run_ids: Collection[str]) -> dict[tuple[str, int], Prediction]:
    """Return the predictions of how much these runs read from the cache, by run and attempt.

    For each run, only one attempt is used: the first one whose input tokens the provider reported.
    """
    first = (
        select(LEDGER.c.run_id, func.min(LEDGER.c.attempt).label("attempt"))
        .where(LEDGER.c.run_id.in_(run_ids), LEDGER.c.input_tokens.is_not(None))
        .group_by(LEDGER.c.run_id)
        .subquery()
    )
    rows = await session.execute(
        select(
            first.c.run_id,
            first.c.attempt,
            PROMPT_CACHE.c.predicted_place,
            PROMPT_CACHE.c.predicted_read_tokens,
            PROMPT_CACHE.c.predicted_exactly,
        ).join(PROMPT_CACHE, PROMPT_CACHE.c.run_id == first.c.run_id)
    )
    return {
        (run_id, attempt): Prediction(place, tokens, exact=exact)
        for run_id, attempt, place, tokens, exact in rows
        if isinstance(tokens, int) and isinstance(place, int | None)
    }


async def load_cached_calls(session: AsyncSession, owner: str, model: str, since: datetime) -> tuple[CachedCall, ...]:
    """Return a model's newest calls since a time, in all conversations: at most `MAX_CALLS`, oldest first."""
    of_model = (PROMPT_CACHE.c.owner == owner, PROMPT_CACHE.c.model == model, PROMPT_CACHE.c.at > since)
    return tuple(use.call for use in await _load(session, *of_model))


async def load_cache_uses(
    session: AsyncSession, owner: str, model: str, since: datetime, conversation_id: str
) -> tuple[tuple[CachedCall, ...], tuple[StoredUse, ...]]:
    """Return the calls that `load_cached_calls` returns and, with their predictions, those of this conversation."""
    uses = await _load(session, PROMPT_CACHE.c.owner == owner, PROMPT_CACHE.c.model == model, PROMPT_CACHE.c.at > since)
    calls = tuple(use.call for use in uses)
    return calls, tuple(use for use in uses if use.call.conversation_id == conversation_id)


async def _load(session: AsyncSession, *conditions: ColumnElement[bool]) -> Sequence[StoredUse]:
    query = (
        select(
            PROMPT_CACHE, *(RUN.c[name] for name in ("usage", "rounds", "ended_at", "pair_id", "attempt_started_at"))
        )
        .join(RUN, RUN.c.id == PROMPT_CACHE.c.run_id)
        .where(*conditions)
        .order_by(PROMPT_CACHE.c.at.desc())
        .limit(MAX_CALLS)
    )
    rows = (await session.execute(query)).mappings().all()
    return read_rows(PROMPT_CACHE, reversed(rows), _decode)


def decode_marks(stored: Any) -> tuple[Breakpoint, ...]:
    """Decode stored cache breakpoints. If `stored` is None, the plan has no row, and the result is empty."""
    return (
        () if stored is None else tuple(Breakpoint(a_number(place), a_number(lifetime)) for place, lifetime in stored)
    )


def decode_sent(stored: Any) -> tuple[tuple[int, int], ...]:
    """Decode the stored position ranges of sent pairs, each with its first and last position."""
    return tuple((a_number(first), a_number(last)) for first, last in stored)


def _decode(row: Any) -> StoredUse:
    ended = row["rounds"][row["round"] - 1 : row["round"]]
    usage = decode_round(ended[0]).usage if ended else decode_usage(row["usage"])
    call = CachedCall(
        run_id=row["run_id"],
        conversation_id=row["conversation_id"],
        # After a retry, the cache entry was written at the start of the attempt that the provider answered.
        at=row["at"] if ended else max(row["at"], row["attempt_started_at"]),
        prefix=Prefix(row["tools_key"], row["system_key"], row["chain"]),
        marks=decode_marks(row["marks"]),
        usage=usage,
    )
    return StoredUse(
        call=call,
        pair_id=row["pair_id"],
        index=row["cache_control_index"],
        predicted=Prediction(row["predicted_place"], row["predicted_read_tokens"], exact=row["predicted_exactly"]),
        frozen=row["frozen"],
        over=bool(ended) or row["ended_at"] is not None,
    )
