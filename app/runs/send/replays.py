"""Replays: a request that was answered before gets the stored answer. Off by default.

    said, run_id = await find_replay(wb, owner, start)

No provider is called, so no tokens are used and the ledger has no row. The hash of the whole request decides: the same
model, system text, parameters, tools and messages. Regenerate and edit & resend never replay.
"""

from __future__ import annotations

from datetime import datetime

from app.domain.run.run import RunStart, RunState, Succeeded
from app.domain.usage import Usage
from app.runs.engine.live import LiveRun
from app.runs.process.event_bus import PairsChanged
from app.runs.request.send_plan import Plan
from app.runs.workbench import Workbench
from app.store.run.runs import RunPlace, find_replayable


async def find_replay(wb: Workbench, owner: str, start: RunStart) -> tuple[RunState | None, str | None]:
    """Find a stored reply to this request: return this run's final state and the replayed run's id, or None twice."""
    async with wb.store.read() as session:
        found = await find_replayable(session, owner, start.request_hash)
    if found is None or not isinstance(found.state.outcome, Succeeded) or found.state.rounds:
        return None, None  # tools might return other results today
    outcome = found.state.outcome
    state = RunState(
        start=start,
        phase="finished",
        parts=found.state.parts,
        usage=Usage(),
        stop_reason=outcome.stop_reason,
        outcome=outcome,
    )
    return state, found.state.start.run_id


def tell_replayed(wb: Workbench, place: RunPlace, plan: Plan, said: RunState, at: datetime) -> None:
    """Publish a replayed reply to subscribers, and start the work that follows every reply."""
    wb.engine.ended(LiveRun(place, plan.provider, plan.wire, said, said, said, attempt_started_at=at))
    wb.event_bus.publish(place.owner, place.conversation_id, PairsChanged((place.pair_id,)))
