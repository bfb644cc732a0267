"""How a run proceeds: each event gives a new state and the actions to perform, among them retries and Stop.

A reply takes a provider call; where the model calls tools, one more each time they have answered. Such a call with its
tools is a round. A round's attempts are counted on from those before it, so every provider call has a number.

`apply_event(state, event)` gives the new state and the actions, which are effects as data.
The state is also the run's log: it only ever grows at its end, so `run_log.events_after(state, position)` can give
anybody the events from any place on, and the log of a stored run is the same as that of a live one.

    >>> state = start_run(RunStart("r1", "p1", "offline:demo", "hash"))[0]
    >>> state, actions = apply_event(state, TextReceived("Hi"))
    >>> state.parts, actions
    ((Text(text='Hi'),), ())

The state is in `state.py`, the events in `events.py`, the actions in `actions.py`.

Not here: calling providers, saving, waiting, clocks (see `runs/engine/engine.py`, which performs the actions).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import assert_never

from app.domain.conversation.parts import Part, Text, Thinking, ToolCall, ToolResult
from app.domain.conversation.retry_policy import seconds_before
from app.domain.copying import copy_with
from app.domain.errors import RETRYABLE, ErrorClass, Failure, InviewError, failure
from app.domain.run.actions import Action, CallTool, CloseStream, FinishRun, StartAttempt, StartRound, WaitForRetry
from app.domain.run.events import (
    AttemptFailed,
    CancelRequested,
    Interrupted,
    RetryDue,
    RunEvent,
    StreamEnded,
    ToolFinished,
)
from app.domain.run.reply_size import PART_BYTES, cut_event, measure_event
from app.domain.run.rounds import (
    MAX_CALLS,
    UNANSWERED,
    Round,
    ToolLimits,
    answer,
    count_answered,
    find_limit,
    free_id,
    list_unanswered,
)
from app.domain.run.state import Canceled, Failed, Outcome, Phase, Retry, RunStart, RunState, Succeeded
from app.domain.stream_events import (
    PartEnded,
    RedactedThinkingReceived,
    Stopped,
    StopReason,
    StreamEvent,
    TextReceived,
    ThinkingReceived,
    ThinkingSigned,
    ToolCallStarted,
    ToolInputReceived,
    UsageReported,
)

MAX_RETRY_AFTER = 60.0
"""Seconds of a provider's `Retry-After` that are waited for; a longer one ends the run and is told to the person."""

_HEARD_WITHOUT_STREAM: Mapping[Phase, tuple[type[object], ...]] = MappingProxyType(
    {
        "retrying": (RetryDue, CancelRequested, Interrupted),
        "calling": (ToolFinished, CancelRequested, Interrupted),
        "finished": (),
    }
)


class OutOfOrderError(InviewError):
    """An adapter broke the order of stream events: a fault of ours, never of the provider's."""

    def __init__(self, event: StreamEvent) -> None:
        super().__init__(f"{type(event).__name__} without an open tool call. Please report this adapter's fault.")


def start_run(start: RunStart) -> tuple[RunState, tuple[Action, ...]]:
    """A new run and what to do first."""
    return RunState(start), (StartAttempt(1),)


def apply_event(state: RunState, event: RunEvent) -> tuple[RunState, tuple[Action, ...]]:
    """The state after `event`, and what is to be done about it.

    A finished run stays as it is, and a run that waits for its next attempt, or for tools, has no stream to hear from.
    """
    if (heard := _HEARD_WITHOUT_STREAM.get(state.phase)) is not None and not isinstance(event, heard):
        return state, ()
    match event:
        case StreamEnded():
            return _end_stream(state, event)
        case ToolFinished():
            return _receive_result(state, event)
        case AttemptFailed():
            return _fail_attempt(state, event)
        case RetryDue():
            if state.phase != "retrying":
                return state, ()
            attempt = state.attempt + 1
            return replace(state, phase="awaiting", attempt=attempt), (StartAttempt(attempt),)
        case CancelRequested():
            return _finish(state, Canceled(), CloseStream())
        case Interrupted():
            reason = failure(ErrorClass.INTERRUPTED, "Inview stopped before the reply was complete.")
            return _finish(state, Failed(reason), CloseStream())
        case _:
            return _receive_within_bounds(state, event)


def decide_retry(state: RunState, reason: Failure, jitter: float) -> float | None:
    """Seconds to wait before the next attempt; None when there is to be none.

    As the run's policy says; a provider's `Retry-After` is obeyed up to a limit. Each round has its own retries, and
    none once its first token came.
    """
    begun = count_answered(state.parts)
    retried = sum(retry.after == begun for retry in state.retries)
    if reason.error_class not in RETRYABLE or len(state.parts) > begun:
        return None
    seconds = seconds_before(state.start.retry_policy, retried, jitter)
    if seconds is None or reason.retry_after is None:
        return seconds
    return reason.retry_after if reason.retry_after <= MAX_RETRY_AFTER else None


def _receive_within_bounds(state: RunState, event: StreamEvent) -> tuple[RunState, tuple[Action, ...]]:
    """Receive an event, or end the reply that it would make too long with as much of it as fits."""
    received = _receive(state, event)
    size = state.size + measure_event(event) + PART_BYTES * (len(received.parts) - len(state.parts))
    if size <= state.start.max_bytes:
        return (received if size == state.size else copy_with(received, size=size)), ()
    rest = cut_event(event, state.start.max_bytes - state.size)
    reason = failure(
        ErrorClass.TOO_LONG,
        f"The reply reached {state.start.max_bytes:,} bytes, as many as one may have, and was ended there.",
    )
    return _finish(state if rest is None else _receive(state, rest), Failed(reason), CloseStream())


def _receive(state: RunState, event: StreamEvent) -> RunState:
    match event:
        case TextReceived():
            return _grow(state, Text(event.text))
        case ThinkingReceived():
            return _grow(state, Thinking(event.text))
        case ThinkingSigned():
            return _sign(state, event)
        case RedactedThinkingReceived():
            return _append(state, Thinking("", event.data, event.vendor, redacted=True), part_open=False)
        case ToolCallStarted():
            return _append(state, ToolCall(free_id(state.parts, event.tool_call_id), event.name), part_open=True)
        case ToolInputReceived():
            return _grow_input(state, event)
        case PartEnded():
            return _close(state)
        case UsageReported():
            return replace(state, usage=event.usage or state.usage, report_fault=event.fault)
        case Stopped():
            # Of a call that is open when a model stops for another reason, the rest of the input never came.
            whole = _close(state) if event.reason is StopReason.TOOL_CALLS else replace(state, part_open=False)
            return replace(whole, stop_reason=event.reason)
        case _:
            assert_never(event)


def _grow(state: RunState, piece: Text | Thinking) -> RunState:
    if not piece.text:
        return state
    last = state.parts[-1] if state.part_open else None
    if isinstance(last, Text) and isinstance(piece, Text):
        grown: Part = Text(last.text + piece.text)
    elif isinstance(last, Thinking) and isinstance(piece, Thinking):
        grown = replace(last, text=last.text + piece.text)
    else:
        return _append(state, piece, part_open=True)
    return copy_with(state, parts=(*state.parts[:-1], grown))


def _sign(state: RunState, event: ThinkingSigned) -> RunState:
    last = state.parts[-1] if state.part_open else None
    if not isinstance(last, Thinking):  # thinking whose words the vendor omits comes as a signature alone
        return _append(state, Thinking("", event.signature, event.vendor), part_open=False)
    signed = replace(last, signature=(last.signature or "") + event.signature, vendor=event.vendor)
    return replace(state, parts=(*state.parts[:-1], signed))


def _grow_input(state: RunState, event: ToolInputReceived) -> RunState:
    last = state.parts[-1] if state.part_open else None
    if not isinstance(last, ToolCall):
        raise OutOfOrderError(event)
    grown = replace(last, input_json=last.input_json + event.json_text)
    return replace(state, parts=(*state.parts[:-1], grown))


def _append(state: RunState, part: Part, *, part_open: bool) -> RunState:
    closed = _close(state)
    return replace(closed, phase="streaming", parts=(*closed.parts, part), part_open=part_open)


def _close(state: RunState) -> RunState:
    if not state.part_open:
        return state
    last = state.parts[-1]
    if isinstance(last, ToolCall):
        last = replace(last, complete=True)
    return replace(state, parts=(*state.parts[:-1], last), part_open=False)


def _end_stream(state: RunState, event: StreamEnded) -> tuple[RunState, tuple[Action, ...]]:
    match state.stop_reason:
        case None:
            reason = failure(ErrorClass.STREAM, "The stream ended before the reply was complete.")
            return _finish(state, Failed(reason))
        case StopReason.CONTENT_FILTER:
            reason = failure(ErrorClass.CONTENT_FILTER, "The provider stopped the reply because of its content.")
            return _finish(state, Failed(reason))
        case StopReason.REFUSAL:
            reason = failure(ErrorClass.CONTENT_FILTER, "The model declined to answer this.")
            return _finish(state, Failed(reason))
        case StopReason.TOOL_LIMIT:
            why = f"Not called: the model asked for more than {MAX_CALLS} calls at once, and no more are taken."
            parts = answer(state.parts, list_unanswered(state.parts), why)
            return _finish(replace(state, parts=parts), Succeeded(StopReason.TOOL_LIMIT))
        case StopReason.TOOL_CALLS if state.start.tools is not None and list_unanswered(state.parts):
            return _call_tools(state, state.start.tools, event.seconds)
        case stop_reason:
            return _finish(state, Succeeded(stop_reason))


def _call_tools(state: RunState, limits: ToolLimits, seconds: float) -> tuple[RunState, tuple[Action, ...]]:
    calls = list_unanswered(state.parts)
    if (reached := find_limit(state.parts, len(state.rounds), seconds, limits)) is not None:
        parts = answer(state.parts, calls, f"Not called: {reached}")
        refused = replace(state, parts=parts, stop_reason=StopReason.TOOL_LIMIT)
        return _finish(refused, Succeeded(StopReason.TOOL_LIMIT))
    ended = Round(state.attempt, state.usage)
    calling = replace(
        state, phase="calling", usage=None, report_fault=None, stop_reason=None, rounds=(*state.rounds, ended)
    )
    return calling, tuple(CallTool(call) for call in calls)


def _receive_result(state: RunState, event: ToolFinished) -> tuple[RunState, tuple[Action, ...]]:
    """A result that nobody waits for, or the second of a call, is not heard."""
    waited_for = {call.tool_call_id for call in list_unanswered(state.parts)} if state.phase == "calling" else ()
    if event.tool_call_id not in waited_for:
        return state, ()
    result = ToolResult(event.tool_call_id, event.content, event.is_error, event.seconds)
    answered = replace(state, parts=(*state.parts, result))
    if list_unanswered(answered.parts):
        return answered, ()
    attempt = state.attempt + 1
    return replace(answered, phase="awaiting", attempt=attempt), (StartRound(len(state.rounds) + 1, attempt),)


def _fail_attempt(state: RunState, event: AttemptFailed) -> tuple[RunState, tuple[Action, ...]]:
    seconds = decide_retry(state, event.reason, event.jitter)
    if seconds is None:
        return _finish(state, Failed(event.reason))
    retries = (*state.retries, Retry(state.attempt, seconds, event.reason, len(state.parts)))
    return replace(state, phase="retrying", retries=retries, usage=None, report_fault=None), (WaitForRetry(seconds),)


def _finish(state: RunState, outcome: Outcome, *first: Action) -> tuple[RunState, tuple[Action, ...]]:
    # A tool call whose input was cut off stays incomplete: it must never be executed.
    if state.phase == "calling":
        state = replace(state, parts=answer(state.parts, list_unanswered(state.parts), UNANSWERED))
    finished = replace(state, phase="finished", part_open=False, outcome=outcome)
    return finished, (*first, FinishRun(outcome))
