"""Who watches: a run from any position on, and what happens in a conversation.

    async for events in follow(wb, owner, run_id, after=position): ...
    feed = watch(wb, owner, conversation_id)          # heard from now on; then read, then iterate

A watcher costs and changes nothing but its own time; a run that is over is told from the store in the same words.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

from app.domain.conversation.parts import Text, Thinking, ToolCall
from app.domain.run.run_log import LogEvent, events_after
from app.domain.run.state import RunState
from app.domain.tools.permission_requests import describe_asked
from app.runs.engine.live import LiveRun
from app.runs.process.event_bus import Subscription
from app.runs.process.update_rate import FRAME_SECONDS, Pace
from app.runs.send.prefetch import warm
from app.runs.workbench import Workbench
from app.store.run.runs import load_run

COMPANY_SECONDS = 1.5 * FRAME_SECONDS
"""How long after the last piece the next one waits at most for more to come with it, while the window is shorter."""
POLL_SECONDS = 1.0
"""Between two looks at a run that another process drives."""


def watch(wb: Workbench, owner: str, conversation_id: str) -> Subscription:
    """What happens in a conversation from this call on. The caller has made sure that it is the owner's.

    A watcher is likely to send, so the next send is prepared meanwhile.
    """
    warm(wb, owner, conversation_id)
    return wb.event_bus.subscribe(owner, conversation_id)


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
    """The events of a run after a position, each once, paced as `follow_states` is; it ends after the run's end.

    Raises:
        NotFoundError: there is none of that id, or it is another's.
    """
    position = after
    asked: set[str] = set()
    async for state in follow_states(wb, owner, run_id):
        if events := events_after(state, position):
            position = max(position, events[-1].position)
            yield events
        run = wb.engine.runs.get(run_id)
        waiting = [] if run is None else [request for request in run.asking.values() if request.id not in asked]
        if waiting:
            asked.update(request.id for request in waiting)
            yield tuple(LogEvent(position, "permission_request", describe_asked(request)) for request in waiting)


async def follow_states(wb: Workbench, owner: str, run_id: str) -> AsyncGenerator[RunState, None]:
    """The states of a run as watchers see them: the one it is in, then each that follows; the last one has the outcome.

    The first text comes at once; then a state a display frame or a little more, or fewer when the event loop is late.
    A reply slower than that is given as it comes.

    Raises:
        NotFoundError: there is none of that id, or it is another's.
    """
    run = wb.engine.runs.get(run_id)
    if run is None or run.place.owner != owner:
        async for state in _follow_elsewhere(wb, owner, run_id):
            yield state
        return
    clock = asyncio.get_running_loop().time
    told_at = 0.0
    chunks, size = run.chunks, 0
    while True:
        state = run.shown
        before, size = size, count_characters(state)
        grown = size - before
        if grown > 0:
            several = run.chunks - chunks > 1
            told_at = clock() if several else _window_begins(clock(), told_at, wb.pace.window)
        else:  # what comes before the first text, or between texts, is no piece of one and holds none back
            told_at = 0.0
        chunks = run.chunks
        yield state
        if state.outcome is not None:
            return
        await run.wait_for_change(state)
        await _gather(run, wb.pace, told_at)


def count_characters(state: RunState) -> int:
    """The characters of all texts of a reply so far: what it says, its thinking, the arguments of its calls."""
    return sum(
        len(part.input_json) if isinstance(part, ToolCall) else len(part.text)
        for part in state.parts
        if isinstance(part, Text | Thinking | ToolCall)
    )


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


async def _follow_elsewhere(wb: Workbench, owner: str, run_id: str) -> AsyncGenerator[RunState, None]:
    """The states of a run that another process receives, or that is over."""
    async with wb.store.read() as session:
        stored = await load_run(session, owner, run_id)
    if wb.cluster is not None and stored.state.outcome is None and stored.process_id != wb.process_id:
        async with aclosing(wb.cluster.follow(stored.process_id, run_id)) as states:
            async for state in states:
                yield state
                if state.outcome is not None:
                    return
    async for state in _poll_states(wb, owner, run_id):
        yield state


async def _poll_states(wb: Workbench, owner: str, run_id: str) -> AsyncGenerator[RunState, None]:
    """The states of a run that another process drives, or that is over, as the store has them."""
    while True:
        async with wb.store.read() as session:
            state = (await load_run(session, owner, run_id)).state
        yield state
        if state.outcome is not None:
            return
        await asyncio.sleep(POLL_SECONDS)
