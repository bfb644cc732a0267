"""A run: the work of getting one reply, as an immutable state and the events that lead to the next state.

A reply needs one provider call, and another one after each set of tool results. A provider call with its tool calls is
a round. Attempts are numbered across rounds, so every provider call has a number.

`apply_event(state, event)` returns the new state and the actions, which are effects as data. The run's log is
derived from the state. The log only grows at its end, so `run_log.events_after(state, position)` can return the events
from any position. A stored run has the same log as a live run.

    >>> state = start_run(RunStart("r1", "p1", "c1", "offline:demo", "hash"))[0]
    >>> state, actions = apply_event(state, TextReceived("Hi"))
    >>> state.parts, actions
    ((Text(text='Hi'),), ())

The events are in `run_events.py` and `stream/stream_events.py`. Not here: calling providers, saving, waiting, clocks
(see `runs/engine/engine.py`, which performs the actions).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Literal, assert_never

from app.domain.conversation.lifecycle import Lifecycle
from app.domain.conversation.parts import Part, Text, Thinking, ToolCall, ToolResult
from app.domain.errors import RETRYABLE, ErrorClass, Failure, failure
from app.domain.retry_policy import USUAL_RETRIES, RetryLimits, RetryPolicy, seconds_before
from app.domain.run.reply_size import MAX_REPLY_BYTES, PART_BYTES, cut_event, measure_event
from app.domain.run.rounds import (
    MAX_CALLS,
    Round,
    ToolLimits,
    answer,
    answer_stopped,
    count_answered,
    find_limit,
    free_id,
    list_unanswered,
)
from app.domain.run.run_events import (
    AttemptFailed,
    CancelRequested,
    Interrupted,
    OutOfOrderError,
    RetryDue,
    RunEvent,
    StreamEnded,
    ToolFinished,
)
from app.domain.stream.stream_events import (
    PartEnded,
    RedactedThinkingReceived,
    Stopped,
    StopReason,
    StreamEvent,
    TextReceived,
    TextWasThinking,
    ThinkingReceived,
    ThinkingSigned,
    ToolCallStarted,
    ToolInputReceived,
    UsageReported,
)
from app.domain.usage import Usage

MAX_RETRY_AFTER = 60.0
"""Maximum `Retry-After` of a provider, in seconds.

With a longer one, the run fails instead of waiting, and its failure has the `Retry-After`.
"""


# --- the state ---


@dataclass(frozen=True, slots=True)
class RunStart:
    """The properties of a run that never change.

    - `tools`: the limits for tools; None if no tool is called, for example for a title.
    - `retry_policy`, `retry_limits`: the rule for repeating a failed call.
    - `max_bytes`: the maximum size of the reply.
    """

    run_id: str
    pair_id: str
    conversation_id: str
    model: str
    request_hash: str
    tools: ToolLimits | None = None
    max_bytes: int = MAX_REPLY_BYTES
    retry_policy: RetryPolicy = RetryPolicy.EXPONENTIAL
    retry_limits: RetryLimits = USUAL_RETRIES


@dataclass(frozen=True, slots=True)
class Retry:
    """A failed attempt. Another attempt follows after `seconds`.

    - `attempt`: the number of the failed attempt, from 1, over all rounds.
    - `after`: the number of parts that the reply had when the attempt failed.
    """

    attempt: int
    seconds: float
    reason: Failure
    after: int = 0


@dataclass(frozen=True, slots=True)
class Succeeded:
    """The outcome of a reply that the provider reported as complete."""

    stop_reason: StopReason


@dataclass(frozen=True, slots=True)
class Failed:
    """The outcome of a reply that failed. The received parts remain."""

    reason: Failure


@dataclass(frozen=True, slots=True)
class Canceled:
    """The outcome of a reply that a person stopped. The received parts remain."""


Outcome = Succeeded | Failed | Canceled
Phase = Literal["awaiting", "retrying", "streaming", "calling", "finished"]


@dataclass(frozen=True, slots=True)
class RunState:
    """The current state of a run.

    - `part_open`: the last part may still grow.
    - `outcome`: None until the run ends.
    - `rounds`: the provider calls with tool calls.
    - `usage`: the usage of the call after these rounds.
    - `report_fault`: the invalid fields of that call's last usage report.
    - `size`: the received size of the reply in bytes (`reply_size.py`); unknown for a stored run.
    """

    start: RunStart
    phase: Phase = "awaiting"
    attempt: int = 1
    retries: tuple[Retry, ...] = ()
    parts: tuple[Part, ...] = ()
    part_open: bool = False
    usage: Usage | None = None
    report_fault: str | None = None
    stop_reason: StopReason | None = None
    outcome: Outcome | None = None
    rounds: tuple[Round, ...] = ()
    size: int = field(default=0, compare=False)


# --- actions: effects as data ---


@dataclass(frozen=True, slots=True)
class StartAttempt:
    """The action that calls the provider, for the attempt with this number."""

    attempt: int


@dataclass(frozen=True, slots=True)
class WaitForRetry:
    """The action that shows the wait to the user, waits, and then reports `RetryDue`."""

    seconds: float


@dataclass(frozen=True, slots=True)
class CallTool:
    """The action that calls a tool and then reports `ToolFinished`, even after an error.

    Several calls run at the same time.
    """

    call: ToolCall


@dataclass(frozen=True, slots=True)
class StartRound:
    """The action that calls the provider with the reply so far, when all tool calls have results.

    `number` is the number of the round, from 1.
    """

    number: int
    attempt: int


@dataclass(frozen=True, slots=True)
class CloseStream:
    """The action that closes the connection to the provider, or ends the wait for the next attempt or for tools."""


@dataclass(frozen=True, slots=True)
class FinishRun:
    """The action that stores the final reply with its outcome."""

    outcome: Outcome


Action = StartAttempt | WaitForRetry | CallTool | StartRound | CloseStream | FinishRun


# --- the transition function ---


_HEARD_WITHOUT_STREAM: Mapping[Phase, tuple[type[object], ...]] = MappingProxyType(
    {
        "retrying": (RetryDue, CancelRequested, Interrupted),
        "calling": (ToolFinished, CancelRequested, Interrupted),
        "finished": (),
    }
)


def start_run(start: RunStart) -> tuple[RunState, tuple[Action, ...]]:
    """Return a new run and its first action."""
    return RunState(start), (StartAttempt(1),)


def apply_event(state: RunState, event: RunEvent) -> tuple[RunState, tuple[Action, ...]]:
    """Return the state after `event`, and the actions to perform.

    A finished run ignores all events. A run that waits for a retry or for tools ignores the events of the stream.
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
            return _finish(_answer_calls(state, event.begun), Canceled(), CloseStream())
        case Interrupted():
            reason = failure(ErrorClass.INTERRUPTED, "Inview stopped before the reply was complete.")
            return _finish(_answer_calls(state, event.begun), Failed(reason), CloseStream())
        case _:
            return _receive_within_bounds(state, event)


def lifecycle_of(state: RunState) -> Lifecycle:
    """Return the lifecycle status of the pair of this run."""
    match state.outcome:
        case None:
            return Lifecycle.AWAITING
        case Succeeded():
            return Lifecycle.SUCCEEDED
        case Failed():
            return Lifecycle.ERROR
        case Canceled():
            return Lifecycle.CANCELED
        case _:
            assert_never(state.outcome)


def sum_usage(state: RunState) -> Usage | None:
    """Return the usage of a run's reply over all its rounds, or None if the provider reported no usage."""
    reported = [usage for usage in (*(each.usage for each in state.rounds), state.usage) if usage is not None]
    return sum(reported[1:], reported[0]) if reported else None


def decide_retry(state: RunState, reason: Failure, jitter: float) -> float | None:
    """Return the seconds to wait before the next attempt, or None if there is no retry.

    The wait follows the retry policy of the run. A provider's `Retry-After` replaces that wait, up to a limit. Each
    round has its own retries, and no retry follows after the first token of a round.
    """
    begun = count_answered(state.parts)
    retried = sum(retry.after == begun for retry in state.retries)
    if reason.error_class not in RETRYABLE or len(state.parts) > begun:
        return None
    start = state.start
    seconds = seconds_before(start.retry_policy, retried, jitter, start.retry_limits)
    if seconds is None or reason.retry_after is None:
        return seconds
    return reason.retry_after if reason.retry_after <= MAX_RETRY_AFTER else None


def is_call_on(state: RunState) -> bool:
    """Return True while a provider call is running."""
    return state.phase in {"awaiting", "streaming"}


def _receive_within_bounds(state: RunState, event: StreamEvent) -> tuple[RunState, tuple[Action, ...]]:
    """Receive an event of the stream.

    If the reply would become too long, add only the text that fits and end the reply.
    """
    size = state.size + measure_event(event)
    received = _receive(state, event, size)
    size += PART_BYTES * (len(received.parts) - len(state.parts))
    if size <= state.start.max_bytes:
        return (received if size == received.size else replace(received, size=size)), ()
    rest = cut_event(event, state.start.max_bytes - state.size)
    reason = failure(
        ErrorClass.TOO_LONG,
        f"The reply was ended because it reached the limit of {state.start.max_bytes:,} bytes.",
    )
    return _finish(state if rest is None else _receive(state, rest, state.size), Failed(reason), CloseStream())


def _receive(state: RunState, event: StreamEvent, size: int) -> RunState:
    """Receive an event of the stream. If it continues the last part, `size` is the size of the reply with it."""
    match event:
        case TextReceived():
            return _grow(state, Text(event.text), size)
        case ThinkingReceived():
            return _grow(state, Thinking(event.text), size)
        case TextWasThinking():
            return _turn_into_thinking(state)
        case ThinkingSigned():
            return _sign(state, event)
        case RedactedThinkingReceived():
            return _append(state, Thinking("", event.data, event.vendor, redacted=True), part_open=False)
        case ToolCallStarted():
            return _append(state, ToolCall(free_id(state.parts, event.tool_call_id), event.name), part_open=True)
        case ToolInputReceived():
            return _grow_input(state, event, size)
        case PartEnded():
            return _close(state)
        case UsageReported():
            return replace(state, usage=event.usage or state.usage, report_fault=event.fault)
        case Stopped():
            # If a model stops for another reason while it writes a tool call, the input of that call is incomplete.
            whole = _close(state) if event.reason is StopReason.TOOL_CALLS else replace(state, part_open=False)
            return replace(whole, stop_reason=event.reason)
        case _:
            assert_never(event)


def _grow(state: RunState, piece: Text | Thinking, size: int) -> RunState:
    if not piece.text:
        return state
    last = state.parts[-1] if state.part_open else None
    if isinstance(last, Text) and isinstance(piece, Text):
        grown: Part = Text(last.text + piece.text)
    elif isinstance(last, Thinking) and isinstance(piece, Thinking):
        grown = replace(last, text=last.text + piece.text)
    else:
        return _append(state, piece, part_open=True)
    return replace(state, parts=(*state.parts[:-1], grown), size=size)


def _turn_into_thinking(state: RunState) -> RunState:
    last = state.parts[-1] if state.part_open else None
    if not isinstance(last, Text):
        return state
    return replace(state, parts=(*state.parts[:-1], Thinking(last.text)), part_open=False)


def _sign(state: RunState, event: ThinkingSigned) -> RunState:
    last = state.parts[-1] if state.part_open else None
    if not isinstance(last, Thinking):  # a vendor that hides its thinking sends a signature without it
        return _append(state, Thinking("", event.signature, event.vendor), part_open=False)
    signed = replace(last, signature=(last.signature or "") + event.signature, vendor=event.vendor)
    return replace(state, parts=(*state.parts[:-1], signed))


def _grow_input(state: RunState, event: ToolInputReceived, size: int) -> RunState:
    last = state.parts[-1] if state.part_open else None
    if not isinstance(last, ToolCall):
        raise OutOfOrderError(event)
    grown = replace(last, input_json=last.input_json + event.json_text)
    return replace(state, parts=(*state.parts[:-1], grown), size=size)


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
            reason = failure(ErrorClass.CONTENT_FILTER, "The model declined to answer.")
            return _finish(state, Failed(reason))
        case StopReason.TOOL_LIMIT:
            why = f"Not called: the model requested more than {MAX_CALLS} calls at once, which is the maximum."
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
    ended = Round(state.attempt, state.usage, state.report_fault)
    calling = replace(
        state, phase="calling", usage=None, report_fault=None, stop_reason=None, rounds=(*state.rounds, ended)
    )
    return calling, tuple(CallTool(call) for call in calls)


def _receive_result(state: RunState, event: ToolFinished) -> tuple[RunState, tuple[Action, ...]]:
    """Receive a tool result. The result is ignored if no call waits for it."""
    waited_for = {call.tool_call_id for call in list_unanswered(state.parts)} if state.phase == "calling" else ()
    if event.tool_call_id not in waited_for:
        return state, ()
    result = ToolResult(event.tool_call_id, event.content, event.is_error, event.seconds, event.denied)
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


def _answer_calls(state: RunState, begun: frozenset[str]) -> RunState:
    return replace(state, parts=answer_stopped(state.parts, begun)) if state.phase == "calling" else state


def _finish(state: RunState, outcome: Outcome, *first: Action) -> tuple[RunState, tuple[Action, ...]]:
    # A tool call with truncated input stays incomplete, so that it is never executed.
    finished = replace(state, phase="finished", part_open=False, outcome=outcome)
    return finished, (*first, FinishRun(outcome))
