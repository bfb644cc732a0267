"""The engine: performs what `domain.run` decides. One plain task per provider call, owned by the process.

    run = engine.start(place, start, provider, wire)      # and whoever started it may go
    engine.cancel(run.run_id)

Every event goes through `apply_event`, and `_perform` is the one place that performs its actions. A reply does not know
who is watching: followers read `LiveRun.shown`.
"""

from __future__ import annotations

import asyncio
from asyncio import create_task
from collections.abc import Iterable
from contextlib import aclosing
from dataclasses import dataclass, field
from random import random
from typing import assert_never

import structlog

from app.domain.errors import ErrorClass, ProviderError, failure
from app.domain.lifecycle import Lifecycle
from app.domain.run import (
    Action,
    AttemptFailed,
    CancelRequested,
    CloseStream,
    Failed,
    FinishRun,
    Interrupted,
    RetryDue,
    RunEvent,
    RunStart,
    StartAttempt,
    StreamEnded,
    WaitForRetry,
    apply_event,
    lifecycle_of,
    start_run,
)
from app.domain.stream_events import StreamEvent
from app.domain.usage import Usage
from app.providers.base import Provider, Timeouts, WireRequest
from app.providers.transport import Transport
from app.runs.feeds import Feeds, PairsChanged
from app.runs.ids import new_id, now
from app.runs.live import LiveRun
from app.runs.writer import Writer
from app.store.ledger import Call
from app.store.runs import RunPlace

log = structlog.get_logger()

INTERRUPT_SECONDS = 1.5
"""How long the end of the process waits for replies to be stored."""


@dataclass(frozen=True)
class Engine:
    """The runs that are on in this process. `writer.runs` is the list of them."""

    transport: Transport
    writer: Writer
    feeds: Feeds
    timeouts: Timeouts = field(default_factory=Timeouts)

    @property
    def runs(self) -> dict[str, LiveRun]:
        return self.writer.runs

    def start(self, place: RunPlace, start: RunStart, provider: Provider, wire: WireRequest) -> LiveRun:
        """Start a run whose row is stored."""
        state, actions = start_run(start)
        run = LiveRun(place, provider, wire, state, shown=state, saved=state, attempt_started_at=now())
        self.runs[run.run_id] = run
        self.writer.hurry()
        for action in actions:
            self._perform(run, action)
        return run

    def runs_of(self, conversation_id: str) -> tuple[LiveRun, ...]:
        """What is on in a conversation."""
        return tuple(run for run in self.runs.values() if run.place.conversation_id == conversation_id)

    def cancel(self, run_id: str) -> LiveRun | None:
        """Stop a run; its `finishing` is done once that is stored. None: it is not on here."""
        run = self.runs.get(run_id)
        if run is not None:
            self._apply(run, CancelRequested())
        return run

    async def interrupt_all(self) -> None:
        """End every run because the process ends: their text is stored, their connections are closed."""
        runs = tuple(self.runs.values())
        for run in runs:
            self._apply(run, Interrupted())
        tasks = [task for run in runs for task in (run.work, run.finishing) if task is not None]
        if not tasks:
            return
        _, late = await asyncio.wait(tasks, timeout=INTERRUPT_SECONDS)
        for run in runs:
            if run.finishing in late:
                log.error("the end of a reply was not stored; the next start will end it", run_id=run.run_id)
        for task in late:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    # --- performing ---

    def _apply(self, run: LiveRun, event: RunEvent) -> None:
        before = run.state
        run.state, actions = apply_event(before, event)
        for action in actions:
            self._perform(run, action, before.usage)

    def _perform(self, run: LiveRun, action: Action, told: Usage | None = None) -> None:
        """`told` is the usage of the call that just ended, if any."""
        match action:
            case StartAttempt(attempt):
                run.attempt_started_at = now()
                run.work = create_task(self._attempt(run), name=f"attempt {attempt} of run {run.run_id}")
            case WaitForRetry(seconds):
                run.calls.append(_describe_call(run, run.state.retries[-1].attempt, told))
                run.show(run.state)
                self.writer.hurry()
                run.work = create_task(self._wait(run, seconds), name=f"retry of run {run.run_id}")
            case CloseStream():
                if run.work is not None:
                    run.work.cancel()
            case FinishRun():
                if len(run.state.retries) < run.state.attempt:  # else no call was on: the next one was waited for
                    run.calls.append(_describe_call(run, run.state.attempt, told))
                run.finishing = create_task(self._finish(run), name=f"end of run {run.run_id}")
            case _:
                assert_never(action)

    async def _attempt(self, run: LiveRun) -> None:
        """One provider call. Cancelling it closes the connection."""
        try:
            async with aclosing(self.transport.stream(run.provider, run.wire, self.timeouts)) as batches:
                async for batch in batches:
                    self._receive(run, batch)
        except ProviderError as error:
            self._apply(run, AttemptFailed(error.failure, _jitter()))
        except Exception:  # a fault of ours must end the run, with what was received, and not leave it hanging
            log.exception("run failed by a fault of Inview", run_id=run.run_id, model=run.state.start.model)
            reason = failure(ErrorClass.UNKNOWN, "Inview failed while receiving the reply. The log says where.")
            self._apply(run, AttemptFailed(reason, _jitter()))
        else:
            self._apply(run, StreamEnded())

    def _receive(self, run: LiveRun, batch: Iterable[StreamEvent]) -> None:
        state = run.state
        for event in batch:
            state, _ = apply_event(state, event)  # what a stream says asks for no action
        run.state = state
        run.show(state)
        if not run.saved.parts:
            self.writer.hurry()

    async def _wait(self, run: LiveRun, seconds: float) -> None:
        await asyncio.sleep(seconds)
        self._apply(run, RetryDue())

    async def _finish(self, run: LiveRun) -> None:
        """Store the end; only then does anybody see it, so whoever saw it can send again or read it back."""
        ended = await self.writer.finish(run)
        del self.runs[run.run_id]
        run.show(ended)
        self.feeds.publish(run.place.owner, run.place.conversation_id, PairsChanged((run.place.pair_id,)))


def _jitter() -> float:
    return random()  # noqa: S311 - it spreads retries, it guards nothing


def _describe_call(run: LiveRun, attempt: int, usage: Usage | None) -> Call:
    """The provider call that just ended, for the ledger."""
    state = run.state
    reason = state.outcome.reason if isinstance(state.outcome, Failed) else None
    if state.outcome is None:
        reason = state.retries[-1].reason
    return Call(
        id=new_id(),
        owner=run.place.owner,
        conversation_id=run.place.conversation_id,
        pair_id=run.place.pair_id,
        run_id=run.run_id,
        attempt=attempt,
        model=state.start.model,
        outcome=Lifecycle.ERROR if state.outcome is None else lifecycle_of(state),
        started_at=run.attempt_started_at,
        ended_at=now(),
        error_class=None if reason is None else reason.error_class,
        usage=usage,
    )
