"""Commands for running replies: stop one, or end the wait before its next attempt."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from app.domain.errors import (
    ConflictError,
)
from app.runs.app_context import AppContext
from app.runs.runtime.event_bus import RetryHurried
from app.runs.runtime.shielded import shielded
from app.store.run.stored_runs import load_run

STOP_SECONDS = 2.0
"""Maximum seconds that a command waits until the end of a reply that it stopped is stored."""


@shielded
async def cancel_run(ctx: AppContext, owner: str, run_id: str) -> None:
    """Stop a reply; the text received so far is kept. Does nothing if the reply is over.

    Raises:
        NotFoundError: this owner has no such run.
        ConflictError: another process drives the run.
    """
    run = ctx.engine.runs.get(run_id)
    if run is not None and run.place.owner == owner:
        await stop_run(ctx, run_id)
        return
    async with ctx.store.read() as session:
        stored = await load_run(session, owner, run_id)
    if stored.state.outcome is None:
        raise ConflictError(f"Run {run_id!r} belongs to another process of Inview. Stop it there.")


async def hurry_run(ctx: AppContext, owner: str, run_id: str) -> None:
    """Start the next attempt of a run now instead of waiting for it.

    Raises:
        NotFoundError: this owner has no such run.
        ConflictError: the run does not wait for an attempt, or belongs to another process.
    """
    async with ctx.store.read() as session:
        place = (await load_run(session, owner, run_id)).place
    if ctx.engine.hurry(run_id) is None:
        raise ConflictError(f"Run {run_id!r} is not waiting for another attempt: it has made it, or it has ended.")
    ctx.event_bus.publish(owner, place.conversation_id, RetryHurried(place.pair_id))


async def stop_run(ctx: AppContext, run_id: str) -> None:
    """Stop a run of this process and wait until its end is stored. Does nothing if it is not active in this process."""
    run = ctx.engine.cancel(run_id)
    if run is not None and run.finishing is not None:
        await asyncio.wait({run.finishing}, timeout=STOP_SECONDS)


async def stop_runs(ctx: AppContext, conversation_ids: Iterable[str]) -> None:
    """Stop the running replies of these conversations, one after the other, as `stop_run` does."""
    for one in conversation_ids:
        for run in ctx.engine.runs_of(one):
            await stop_run(ctx, run.run_id)
