"""The ledger: one row per provider call, written with what the call produced, never changed or deleted.

Raw counters only; sums and costs are computed on reading. A counter the provider did not tell is None, never 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import insert, select
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.errors import ErrorClass
from app.domain.lifecycle import Lifecycle
from app.domain.usage import Usage
from app.store.mapping import decode_word
from app.store.rows import LEDGER

Purpose = Literal["reply"]

_COUNTERS = tuple(counter.name for counter in fields(Usage))


@dataclass(frozen=True, slots=True)
class Call:
    """One provider call as it ended. `usage` None: the provider told nothing. `error_class` None: it did not fail."""

    id: str
    owner: str
    conversation_id: str
    pair_id: str
    run_id: str
    attempt: int
    model: str
    outcome: Lifecycle
    started_at: datetime
    ended_at: datetime
    error_class: ErrorClass | None = None
    usage: Usage | None = None
    purpose: Purpose = "reply"


async def insert_calls(session: AsyncSession, calls: Sequence[Call]) -> None:
    """Enter calls into the book. A call (run and attempt) that stands there already is refused by the database."""
    if calls:
        await session.execute(insert(LEDGER), [_encode(call) for call in calls])


async def insert_missing_calls(session: AsyncSession, run_id: str, calls: Sequence[Call]) -> None:
    """Enter those of a run's calls that nobody else has entered."""
    entered = set((await session.execute(select(LEDGER.c.attempt).where(LEDGER.c.run_id == run_id))).scalars())
    await insert_calls(session, [call for call in calls if call.attempt not in entered])


async def load_calls(session: AsyncSession, owner: str, conversation_id: str) -> tuple[Call, ...]:
    """The calls made for a conversation, in order; also for one that was deleted."""
    query = (
        select(LEDGER)
        .where(LEDGER.c.owner == owner, LEDGER.c.conversation_id == conversation_id)
        .order_by(LEDGER.c.started_at, LEDGER.c.id)
    )
    return tuple(_decode(row) for row in (await session.execute(query)).mappings())


def _encode(call: Call) -> dict[str, Any]:
    counters = dict.fromkeys(_COUNTERS) if call.usage is None else asdict(call.usage)
    return {field.name: getattr(call, field.name) for field in fields(call) if field.name != "usage"} | counters


def _decode(row: Any) -> Call:
    counters = {name: row[name] for name in _COUNTERS}
    error_class = row["error_class"]
    return Call(
        id=row["id"],
        owner=row["owner"],
        conversation_id=row["conversation_id"],
        pair_id=row["pair_id"],
        run_id=row["run_id"],
        attempt=row["attempt"],
        model=row["model"],
        outcome=decode_word(Lifecycle, row["outcome"]),
        started_at=row["started_at"],
        ended_at=row["ended_at"],
        error_class=None if error_class is None else decode_word(ErrorClass, error_class),
        usage=None if row["input_tokens"] is None else Usage(**counters),
        purpose=row["purpose"],
    )
