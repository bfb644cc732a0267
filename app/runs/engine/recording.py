"""Records each provider call before it is made: permanently in the database, and in the log at level `debug`.

    await record_first(session, place, start.run_id, wire, "reply")     # in the transaction that begins the run

A call that cannot be recorded is not made.
"""

from __future__ import annotations

from sqlalchemy.ext.asyncio import AsyncSession

from app.providers.base import WireRequest
from app.runs.process.ids import now
from app.store.ledger.ledger import Purpose
from app.store.run.runs import RunPlace
from app.store.run.sent_calls import NewCall, record_call


async def record_first(
    session: AsyncSession, place: RunPlace, run_id: str, wire: WireRequest, purpose: Purpose = "reply"
) -> None:
    """Record the first call of a run."""
    await record_call(session, describe_call(place, run_id, 1, wire, purpose), wire.body)


def describe_call(place: RunPlace, run_id: str, number: int, wire: WireRequest, purpose: Purpose) -> NewCall:
    """Return what is recorded of a call beside its body."""
    return NewCall(
        owner=place.owner,
        conversation_id=place.conversation_id,
        pair_id=place.pair_id,
        run_id=run_id,
        number=number,
        purpose=purpose,
        model=wire.model,
        url=wire.url,
        sent_at=now(),
    )
