"""Replays: if an identical request was answered before, the stored answer is used again. Off by default.

    state, run_id = await find_replay(ctx, owner, start)

No provider is called, so no tokens are used and the ledger has no row. Two requests are identical if their hashes are
equal: the same model, system text, parameters, tools and messages. “Regenerate” and “Edit and resend” never replay.
"""

from __future__ import annotations

from datetime import datetime

from app.domain.run.run import RunStart, RunState, Succeeded
from app.domain.usage import Usage
from app.runs.app_context import AppContext
from app.runs.engine.live import LiveRun
from app.runs.request.send_plan import Plan
from app.runs.runtime.event_bus import PairsChanged
from app.store.run.runs import RunPlace
from app.store.run.stored_runs import find_replayable


async def find_replay(ctx: AppContext, owner: str, start: RunStart) -> tuple[RunState | None, str | None]:
    """Find a stored reply to an identical request.

    Return the final state of the new run, which has this reply, and the id of the earlier run. Both are None if there
    is no such reply.
    """
    async with ctx.store.read() as session:
        found = await find_replayable(session, owner, start.request_hash)
    if found is None or not isinstance(found.state.outcome, Succeeded) or found.state.rounds:
        return None, None  # a reply with tool calls is not replayed, because the tools might return other results today
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


def tell_replayed(ctx: AppContext, place: RunPlace, plan: Plan, state: RunState, at: datetime) -> None:
    """Publish a replayed reply (a stored reply that is used again) to subscribers, and start the post-run tasks."""
    ctx.engine.ended(LiveRun(place, plan.provider, plan.wire, state, state, state, attempt_started_at=at))
    ctx.event_bus.publish(place.owner, place.conversation_id, PairsChanged((place.pair_id,)))
