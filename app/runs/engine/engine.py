"""The engine: performs the actions that `domain.run.run` decides. Each call of a provider or a tool is a task.

    run = engine.start(place, start, provider, wire)      # the run continues without its caller
    engine.cancel(run.run_id)

Every event is passed to `apply_event`, and `_perform` is the only place that performs the resulting actions.
Subscribers read `LiveRun.shown`; a slow subscriber does not delay the reply.
"""

from __future__ import annotations

import asyncio
from asyncio import create_task
from collections.abc import Callable, Iterable
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from logging import DEBUG
from random import random
from time import monotonic
from typing import Protocol, assert_never

import structlog

from app.domain.conversation.lifecycle import Lifecycle
from app.domain.conversation.parts import Text, ToolCall
from app.domain.errors import ErrorClass, Failure, InviewError, ProviderError, StoreError, failure
from app.domain.request.hashing import Hashed
from app.domain.request.sent_pieces import write_pieces
from app.domain.run.reply_size import MAX_REPLY_BYTES
from app.domain.run.run import (
    Action,
    CallTool,
    CloseStream,
    Failed,
    FinishRun,
    RunStart,
    RunState,
    StartAttempt,
    StartRound,
    WaitForRetry,
    apply_event,
    is_call_on,
    lifecycle_of,
    start_run,
)
from app.domain.run.run_events import (
    AttemptFailed,
    CancelRequested,
    Interrupted,
    RetryDue,
    RunEvent,
    StreamEnded,
    ToolFinished,
)
from app.domain.stream.stream_events import StreamEvent
from app.providers.base import Provider, Timeouts, WireRequest
from app.providers.wire.transport import Transport
from app.runs.engine.live import LiveRun, Loop
from app.runs.engine.writer import Writer
from app.runs.runtime.event_bus import EventBus, PairsChanged
from app.runs.runtime.ids import new_id, now
from app.store.ledger.ledger import CountedRequest, EndedCall, Purpose
from app.store.ledger.sent_calls import CallToRecord
from app.store.run.runs import RunPlace

log = structlog.get_logger()

NO_MESSAGES = frozenset({"parameters", "tools"})
"""The pieces of a request that the log does not list as messages."""
INTERRUPT_SECONDS = 1.5
"""Maximum seconds that an ending process waits for its replies to be stored."""


class ToolExecutor(Protocol):
    """The operations that a reply with tools needs from other parts of the process (`runs/tools/tool_calls.py`)."""

    async def call_tool(self, run: LiveRun, call: ToolCall) -> ToolFinished:
        """Call a tool. Every outcome is returned as a result, failures too. Cancelling this coroutine ends the call."""
        ...

    async def plan_round(self, run: LiveRun) -> NextRound:
        """Plan the provider call that continues a reply after its tool calls.

        Raises:
            InviewError: the call cannot be made.
        """
        ...


@dataclass(frozen=True, slots=True)
class NextRound:
    """The provider call that continues a reply after tool calls. `counted` has its token counts, if they are known."""

    wire: WireRequest
    request: Hashed
    counted: CountedRequest | None = None


@dataclass(frozen=True)
class Engine:
    """The engine of an app context. It drives the active runs, which are listed in `writer.runs`.

    - `ended`: called when the end of a run is stored, before any page shows this end.
    - `desk`: performs tool calls; None if replies call no tools.
    - `max_bytes`: the maximum size of a reply.
    """

    transport: Transport
    writer: Writer
    event_bus: EventBus
    timeouts: Timeouts = field(default_factory=Timeouts)
    ended: Callable[[LiveRun], None] = field(default=lambda _run: None, repr=False)
    desk: ToolExecutor | None = field(default=None, repr=False)
    max_bytes: int = MAX_REPLY_BYTES

    @property
    def runs(self) -> dict[str, LiveRun]:
        return self.writer.runs

    def start(  # noqa: PLR0913, PLR0917 - the data of a run
        self,
        place: RunPlace,
        start: RunStart,
        provider: Provider,
        wire: WireRequest,
        counted: CountedRequest | None = None,
        purpose: Purpose = "reply",
        loop: Loop | None = None,
        request: Hashed | None = None,
    ) -> LiveRun:
        """Start a run that the caller has already stored in the database.

        With a `loop` the run calls tools and continues; without a `loop`, tool calls end the run. `request` is the
        request in the form of all providers; None: it is the first request of the `loop`, or only its bytes are known.
        """
        request = loop.first if request is None and loop is not None else request
        loop = None if self.desk is None else loop
        tools = start.tools if loop is None else loop.limits
        state, actions = start_run(replace(start, tools=tools, max_bytes=self.max_bytes))
        run = LiveRun(
            place,
            provider,
            wire,
            state,
            state,
            state,
            attempt_started_at=now(),
            counted=counted,
            purpose=purpose,
            loop=loop,
            request=request,
            request_hash=start.request_hash,
        )
        _log_messages(run)
        self.writer.take(run)
        for action in actions:
            self._perform(run, action)
        return run

    def runs_of(self, conversation_id: str) -> tuple[LiveRun, ...]:
        """List the active runs of a conversation."""
        return tuple(run for run in self.runs.values() if run.place.conversation_id == conversation_id)

    def cancel(self, run_id: str) -> LiveRun | None:
        """Stop a run and return it; None: this process has no such active run.

        The task `finishing` of the returned run is done when the end is stored.
        """
        run = self.runs.get(run_id)
        if run is not None:
            self._apply(run, CancelRequested(run.begun))
        return run

    def hurry(self, run_id: str) -> LiveRun | None:
        """Start the next attempt of a run now, instead of waiting, and return the run.

        None: no such run waits for an attempt in this process.
        """
        run = self.runs.get(run_id)
        if run is None or run.state.phase != "retrying":
            return None
        if run.work is not None:
            run.work.cancel()
        self._apply(run, RetryDue())
        return run

    async def interrupt_all(self) -> None:
        """End every run because the process is ending: store the text received so far and close the connections."""
        runs = tuple(self.runs.values())
        for run in runs:
            self._apply(run, Interrupted(run.begun))
        tasks = [task for run in runs for task in (run.work, run.finishing, *run.calling) if task is not None]
        if not tasks:
            return
        _, late = await asyncio.wait(tasks, timeout=INTERRUPT_SECONDS)
        for run in runs:
            if run.finishing in late:
                log.error(
                    "the end of a reply was not stored; the next start of Inview will end the reply",
                    run_id=run.run_id,
                )
        for task in late:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    # --- performing ---

    def _apply(self, run: LiveRun, event: RunEvent) -> None:
        before = run.state
        run.state, actions = apply_event(before, event)
        if is_call_on(before) and not is_call_on(run.state) and not run.planning:
            run.calls.append(_describe_call(run, before))
        for action in actions:
            self._perform(run, action)

    def _perform(self, run: LiveRun, action: Action) -> None:
        match action:
            case StartAttempt(attempt):
                run.attempt_started_at = now()
                _begin_call(run)
                run.work = create_task(self._attempt(run), name=f"attempt {attempt} of run {run.run_id}")
            case WaitForRetry(seconds):
                run.show(run.state)
                self.writer.hurry()
                run.work = create_task(self._wait(run, seconds), name=f"retry of run {run.run_id}")
            case CallTool(call):
                task = create_task(self._call_tool(run, call), name=f"{call.name} of run {run.run_id}")
                run.calling.add(task)
                task.add_done_callback(run.calling.discard)
            case StartRound(number):
                run.attempt_started_at, run.planning = now(), True
                run.work = create_task(self._go_on(run), name=f"round {number} of run {run.run_id}")
            case CloseStream():
                for task in (run.work, *run.calling):
                    if task is not None:
                        task.cancel()
            case FinishRun():
                run.close_records(now())
                run.finishing = create_task(self._finish(run), name=f"end of run {run.run_id}")
            case _:
                assert_never(action)

    async def _attempt(self, run: LiveRun) -> None:
        """Make one provider call. Cancelling it closes the connection."""
        await asyncio.sleep(0)  # let subscribers see the run before its first text
        if run.state.attempt > 1:
            await self._note_attempt(run)
        try:
            wire = run.round_wire or run.wire
            async with aclosing(self.transport.stream(run.provider, wire, self.timeouts)) as batches:
                async for batch in batches:
                    self._receive(run, batch)
                    # the end of the run must not be shown before it is stored, so the rest of the batch is dropped
                    if run.finishing is not None:
                        break
        except ProviderError as error:
            self._apply(run, AttemptFailed(error.failure, _jitter()))
        except Exception:  # a defect of Inview must end the run and keep its text so far
            log.exception("run failed because of a defect in Inview", run_id=run.run_id, model=run.state.start.model)
            reason = failure(ErrorClass.UNKNOWN, "Inview failed while it received the reply. The log has the details.")
            self._apply(run, AttemptFailed(reason, _jitter()))
        else:
            self._apply(run, StreamEnded(monotonic() - run.began))

    async def _call_tool(self, run: LiveRun, call: ToolCall) -> None:
        """Make one tool call. Every outcome is a result.

        The call is cancelled only when its run has ended. The end of the run then closes the record of the call.
        """
        if self.desk is None:
            raise ValueError(f"Run {run.run_id} calls tools, but this engine cannot.")
        try:
            finished = await self.desk.call_tool(run, call)
        except Exception:  # a defect of Inview must give a result: otherwise the reply would never end
            log.exception("a tool call failed because of a defect in Inview", run_id=run.run_id, tool=call.name)
            text = (
                f"Inview failed while it called {call.name}. It is not known what the tool did. The log has the "
                "details."
            )
            finished = ToolFinished(call.tool_call_id, (Text(text),), is_error=True)
        self._apply(run, finished)
        run.show(run.state)
        self.writer.hurry()

    async def _go_on(self, run: LiveRun) -> None:
        """Start the next round: a provider call with the reply and the tool results so far."""
        if self.desk is None:
            raise ValueError(f"Run {run.run_id} continues after tool calls, but this engine cannot make any.")
        try:
            planned = await self.desk.plan_round(run)
        except InviewError as error:
            self._apply(run, AttemptFailed(_describe_refusal(error), _jitter()))
            return
        except Exception:  # a defect of Inview must end the run, as in `_attempt`
            log.exception("a reply could not continue because of a defect in Inview", run_id=run.run_id)
            reason = failure(
                ErrorClass.UNKNOWN, "Inview failed while it continued after the tool calls. The log has the details."
            )
            self._apply(run, AttemptFailed(reason, _jitter()))
            return
        run.round_wire, run.request, run.request_hash = planned.wire, planned.request, planned.request.hashes[-1]
        run.counted, run.planning = planned.counted, False
        _log_messages(run)
        _begin_call(run)
        await self._attempt(run)

    async def _note_attempt(self, run: LiveRun) -> None:
        """Store that the next provider call starts, before the call is made.

        So if this process dies during the call, another process can add the call to the ledger.
        """
        try:
            await self.writer.save()
        except StoreError as error:
            log.warning("another attempt could not be recorded; it starts anyway", run_id=run.run_id, fault=str(error))

    def _receive(self, run: LiveRun, batch: Iterable[StreamEvent]) -> None:
        state = run.state
        run.chunks += 1
        run.heard_at = now()
        for event in batch:
            grown, actions = apply_event(state, event)
            if actions:  # events of a stream cause an action only if the reply is too long
                run.state = state
                self._apply(run, event)
                return
            state = grown
        run.state = state
        run.show(state)
        if not run.saved.parts:
            self.writer.hurry()

    async def _wait(self, run: LiveRun, seconds: float) -> None:
        await self.writer.clock.sleep(seconds)
        self._apply(run, RetryDue())

    async def _finish(self, run: LiveRun) -> None:
        """Store the end of a run, then publish it.

        In this order, a client that sees the end can read it from the database, and can send again.
        """
        ended = await self.writer.finish(run)
        del self.runs[run.run_id]
        self.ended(run)
        run.show(ended)
        self.event_bus.publish(run.place.owner, run.place.conversation_id, PairsChanged((run.place.pair_id,)))


def _jitter() -> float:
    return random()  # noqa: S311 - the random number only spreads retries in time


def _describe_refusal(error: InviewError) -> Failure:
    return error.failure if isinstance(error, ProviderError) else failure(ErrorClass.UNKNOWN, str(error))


def _begin_call(run: LiveRun) -> None:
    """Note what the provider call that starts now contains, so that the writer records it."""
    place = run.place
    run.contents.append(
        CallToRecord(
            place.owner,
            place.conversation_id,
            place.pair_id,
            run.run_id,
            run.state.attempt,
            run.request_hash,
            run.request,
        )
    )


def _log_messages(run: LiveRun) -> None:
    """Log a line for each message of a request, without its text, if the log level is debug.

    A retry logs nothing new, because it sends the same messages.
    """
    if run.request is None or not log.is_enabled_for(DEBUG):
        return
    messages = (one.piece for one in write_pieces(run.request.request) if one.piece.role not in NO_MESSAGES)
    for index, piece in enumerate(messages):
        log.debug(
            "message of a request",
            run_id=run.run_id,
            attempt=run.state.attempt,
            message_index=index,
            role=piece.role,
            content_length=piece.length,
            has_tool_calls=piece.has_tool_calls,
            hash=piece.hash,
        )


def _describe_call(run: LiveRun, before: RunState) -> EndedCall:
    """Describe the provider call that was active in `before` and has just ended, for the ledger."""
    state = run.state
    match state.outcome:
        case Failed(reason):
            outcome, error_class = Lifecycle.ERROR, reason.error_class
        case None if state.phase == "retrying":
            outcome, error_class = Lifecycle.ERROR, state.retries[-1].reason.error_class
        case None:  # the call ended with tool calls
            outcome, error_class = Lifecycle.SUCCEEDED, None
        case _:
            outcome, error_class = lifecycle_of(state), None
    return EndedCall(
        id=new_id(),
        owner=run.place.owner,
        conversation_id=run.place.conversation_id,
        pair_id=run.place.pair_id,
        run_id=run.run_id,
        attempt=before.attempt,
        model=state.start.model,
        outcome=outcome,
        started_at=run.attempt_started_at,
        ended_at=now(),
        error_class=error_class,
        usage=before.usage,
        purpose=run.purpose,
        counted=run.counted,
        report_fault=before.report_fault,
    )
