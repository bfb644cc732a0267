"""Who watches: a run from any position on, and what happens in a conversation.

    async for events in follow(wb, owner, run_id, after=position): ...
    feed = watch(wb, owner, conversation_id)          # heard from now on; then read, then iterate

A watcher costs and changes nothing but its own time; a run that is over is told from the store in the same words.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

from app.domain.permission_requests import describe_asked
from app.domain.run import RunState
from app.domain.run_log import LogEvent, events_after
from app.runs.feeds import Subscription
from app.runs.live import LiveRun
from app.runs.pace import FRAME_SECONDS, Pace
from app.runs.warming import warm
from app.runs.workbench import Workbench
from app.store.runs import load_run

TEXTS = frozenset({"text", "thinking", "tool_input"})
COMPANY_SECONDS = 1.5 * FRAME_SECONDS
"""How long after the last piece the next one waits at most for more to come with it, while the window is shorter."""
POLL_SECONDS = 1.0
"""Between two looks at a run that another process drives."""


def watch(wb: Workbench, owner: str, conversation_id: str) -> Subscription:
    """What happens in a conversation from this call on. The caller has made sure that it is the owner's.

    Whoever watches is likely to send: that is made ready meanwhile.
    """
    warm(wb, owner, conversation_id)
    return wb.feeds.subscribe(owner, conversation_id)


async def load_state(wb: Workbench, owner: str, run_id: str) -> RunState:
    """A run as watchers see it now, running or over.

    Raises:
        NotFoundError: there is none of that id, or it is another's.
    """
    run = wb.engine.runs.get(run_id)
    if run is not None and run.place.owner == owner:
        return run.shown
    async with wb.store.read() as session:
        return (await load_run(session, owner, run_id)).state


async def follow(wb: Workbench, owner: str, run_id: str, after: int = 0) -> AsyncGenerator[tuple[LogEvent, ...], None]:
    """The events of a run after a position, each once, as they come; it ends after the run's end.

    What is there is given at once; then a piece a display frame or a little more, or fewer when the event loop is late.
    A reply slower than that is given as it comes.

    Raises:
        NotFoundError: there is none of that id, or it is another's.
    """
    run = wb.engine.runs.get(run_id)
    if run is None or run.place.owner != owner:
        async for events in _follow_stored(wb, owner, run_id, after):
            yield events
        return
    clock = asyncio.get_running_loop().time
    position = after
    told_at = 0.0
    chunks = run.chunks
    told: set[str] = set()
    while True:
        state = run.shown
        events = events_after(state, position)
        if events:
            if any(event.kind in TEXTS for event in events):
                # What comes before the first text is no piece of it, and holds none back.
                several = run.chunks - chunks > 1
                told_at = clock() if several else _window_begins(clock(), told_at, wb.pace.window)
            position = max(position, events[-1].position)
            chunks = run.chunks
            yield events
        else:
            told_at = 0.0
        if waiting := [request for request in run.asking.values() if request.id not in told]:
            told.update(request.id for request in waiting)
            yield tuple(LogEvent(position, "permission_request", describe_asked(request)) for request in waiting)
        if state.outcome is not None:
            return
        await run.wait_for_change(state)
        await _gather(run, wb.pace, told_at)


def _window_begins(now: float, told_at: float, window: float) -> float:
    """When the window after a piece begins that is one chunk alone: as much sooner as it came later than it might have.

    So a reply slower than the windows is told as it comes, also where its chunks come unevenly. A faster one, whose
    pieces are several chunks, has its windows whole. `told_at` 0: nothing came before it.
    """
    return min(now, max(told_at + window, now - window)) if told_at else now


async def _gather(run: LiveRun, pace: Pace, told_at: float) -> None:
    """Let a window pass since the last piece, and the next chunk join this one if it is near.

    A chunk wakes this process anyway, a timer for itself alone.
    """
    clock = asyncio.get_running_loop().time
    due = told_at + pace.window
    if due <= clock() or run.shown.outcome is not None:
        return
    latest = max(due, told_at + COMPANY_SECONDS)
    await run.wait_for_company(due, latest)
    if (late := clock() - latest) > 0:
        pace.observe(late)


async def _follow_stored(
    wb: Workbench, owner: str, run_id: str, after: int
) -> AsyncGenerator[tuple[LogEvent, ...], None]:
    position = after
    while True:
        async with wb.store.read() as session:
            state = (await load_run(session, owner, run_id)).state
        if events := events_after(state, position):
            position = max(position, events[-1].position)
            yield events
        if state.outcome is not None:
            return
        await asyncio.sleep(POLL_SECONDS)
