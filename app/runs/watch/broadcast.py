"""Subscriptions to a run: its events from any position, or its states.

    async for events in follow(ctx, owner, run_id, after=position): ...

A subscriber affects neither the run nor other subscribers. A run that is over is read from the store, and yields the
same events.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

from app.domain.conversation.parts import Part, Text, Thinking, ToolCall
from app.domain.run.growth import Growth, describe_growth
from app.domain.run.run import RunState
from app.domain.run.run_log import LogEvent, events_after, events_of
from app.runs.app_context import AppContext
from app.runs.engine.live import LiveRun
from app.runs.engine.update_rate import FRAME_SECONDS, Throttle
from app.runs.watch.extra_events import Notices, ValueEvents
from app.store.run.stored_runs import load_run

COMPANY_SECONDS = 1.5 * FRAME_SECONDS
"""Maximum seconds, counted from the last update, that a chunk waits so that more chunks are published with it.

If `Throttle.window` (the minimum time between two updates) is longer, the chunk waits for that time instead.
"""
POLL_SECONDS = 1.0
"""Seconds between two reads of a run that another process drives."""


async def load_state(ctx: AppContext, owner: str, run_id: str) -> RunState:
    """Return the published state of a run, running or over.

    Raises:
        NotFoundError: there is no run with this id, or it belongs to another owner.
    """
    run = ctx.engine.runs.get(run_id)
    if run is not None and run.place.owner == owner:
        return run.shown
    async with ctx.store.read() as session:
        return (await load_run(session, owner, run_id)).state


async def follow(
    ctx: AppContext, owner: str, run_id: str, after: int = 0, *, values: bool = False
) -> AsyncGenerator[tuple[LogEvent, ...], None]:
    """Yield the events of a run after a position, each once, until the run has ended.

    While the run is active, events that are not in the log are added (`Notices`). Their position is that of the last
    event before them. `values`: also add the JSON value in the reply's text (`ValueEvents`).

    The rate is that of `follow_states`.

    Raises:
        NotFoundError: there is no run with this id, or it belongs to another owner.
    """
    position, at_end = after, False
    notices, value_events = Notices(ctx), ValueEvents() if values else None
    async for state, growth in follow_states(ctx, owner, run_id):
        if events := events_of(growth, state, position) if at_end else events_after(state, position):
            if value_events is not None:
                events = await value_events.add(state, events, position)
            position, at_end = max(position, events[-1].position), True
            yield events
        if state.outcome is None and (run := ctx.engine.runs.get(run_id)) and (found := notices.find(run, position)):
            yield found


async def follow_states(ctx: AppContext, owner: str, run_id: str) -> AsyncGenerator[tuple[RunState, Growth], None]:
    """Yield the published states of a run: the current one, then each later one. The last one has the outcome.

    Each state comes with the growth of the reply since the previous state. The first growth is the whole reply.

    The first state with text is yielded at once. From then on, at most one state is yielded per display frame, or less
    often if the event loop is late. If a reply changes less often than that, each state is yielded without delay.

    Raises:
        NotFoundError: there is no run with this id, or it belongs to another owner.
    """
    run = ctx.engine.runs.get(run_id)
    if run is None or run.place.owner != owner:
        async for state in _poll_states(ctx, owner, run_id):
            yield state, describe_growth(None, state)
        return
    clock = asyncio.get_running_loop().time
    yielded_at = 0.0
    chunks, before = run.chunks, None
    while True:
        state = run.shown
        growth = describe_growth(before, state)
        replaced = () if before is None else before.parts[growth.kept :]
        if growth.text or count_reply_characters(growth.parts) > count_reply_characters(replaced):
            several = run.chunks - chunks > 1
            yielded_at = clock() if several else _window_begins(clock(), yielded_at, ctx.throttle.window)
        else:  # a state without new text is yielded at once, and does not delay the next text
            yielded_at = 0.0
        chunks, before = run.chunks, state
        yield state, growth
        if state.outcome is not None:
            return
        await run.wait_for_change(state)
        await _gather(run, ctx.throttle, yielded_at)


def count_reply_characters(parts: tuple[Part, ...]) -> int:
    """Count the characters of all texts of a reply: its text, its thinking, the arguments of its tool calls."""
    return sum(
        len(part.input_json) if isinstance(part, ToolCall) else len(part.text)
        for part in parts
        if isinstance(part, Text | Thinking | ToolCall)
    )


def _window_begins(now: float, yielded_at: float, window: float) -> float:
    """Return the time from which the wait for the next update counts, after an update with one chunk at the time `now`.

    `window` is the length of a wait (`Throttle.window`). `yielded_at` is the time from which the previous wait counted;
    0: there was none. If the update came after the end of that wait, the next wait counts from earlier than `now`: by
    this delay, at most by one `window`. So if on average less than one chunk arrives per `window`, each chunk is
    published without delay, even if chunks arrive unevenly. After an update with several chunks, the caller does not
    use this function: the next update waits for the whole window.
    """
    return min(now, max(yielded_at + window, now - window)) if yielded_at else now


async def _gather(run: LiveRun, throttle: Throttle, yielded_at: float) -> None:
    """Wait for the first chunk that arrives after `throttle.window` has passed since the last update.

    If no chunk arrives, the wait ends COMPANY_SECONDS after the last update, or at the end of the window if that is
    later.
    """
    clock = asyncio.get_running_loop().time
    due = yielded_at + throttle.window
    if due <= clock() or run.shown.outcome is not None:
        return
    latest = max(due, yielded_at + COMPANY_SECONDS)
    await run.wait_for_company(due, latest)
    if (late := clock() - latest) > 0:
        throttle.observe(late)


async def _poll_states(ctx: AppContext, owner: str, run_id: str) -> AsyncGenerator[RunState, None]:
    """Yield the stored states of a run that another process drives, or that is over."""
    before = None
    while True:
        async with ctx.store.read() as session:
            state = (await load_run(session, owner, run_id)).state
        if state != before:
            yield state
        before = state
        if state.outcome is not None:
            return
        await asyncio.sleep(POLL_SECONDS)
