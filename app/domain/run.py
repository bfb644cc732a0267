"""A run: one attempt to get a reply, as a value plus events.

`apply_event(state, event)` gives the new state and the actions, which are effects as data.
The state is also the run's log: it only ever grows at its end, so `run_log.events_after(state, position)` can give
anybody the events from any place on, and the log of a stored run is the same as that of a live one.

    >>> state = start_run(RunStart("r1", "p1", "offline:demo", "hash"))[0]
    >>> state, actions = apply_event(state, TextReceived("Hi"))
    >>> state.parts, actions
    ((Text(text='Hi'),), ())

Not here: calling providers, saving, waiting, clocks (see `runs/engine.py`, which performs the actions).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, assert_never

from app.domain.errors import RETRYABLE, ErrorClass, Failure, InviewError, failure
from app.domain.lifecycle import Lifecycle
from app.domain.parts import Part, Text, Thinking, ToolCall
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
from app.domain.usage import Usage

MAX_RETRIES = 3
LONGEST_BACKOFF = 10.0
"""Seconds at most between two attempts when the provider names no time."""
LONGEST_RETRY_AFTER = 60.0
"""Seconds of a provider's `Retry-After` that are waited for; a longer one ends the run and is told to the person."""


# --- the state ---


@dataclass(frozen=True, slots=True)
class RunStart:
    """What names a run from its beginning to its end."""

    run_id: str
    pair_id: str
    model: str
    request_hash: str


@dataclass(frozen=True, slots=True)
class Retry:
    """A failed attempt that is followed by another after `seconds`. `attempt` counts from 1."""

    attempt: int
    seconds: float
    reason: Failure


@dataclass(frozen=True, slots=True)
class Succeeded:
    """The provider said that the reply is complete."""

    stop_reason: StopReason


@dataclass(frozen=True, slots=True)
class Failed:
    """The reply ended in a failure; what was received stays."""

    reason: Failure


@dataclass(frozen=True, slots=True)
class Canceled:
    """A person stopped the reply; what was received stays."""


Outcome = Succeeded | Failed | Canceled
Phase = Literal["awaiting", "retrying", "streaming", "finished"]


@dataclass(frozen=True, slots=True)
class RunState:
    """A run so far. `part_open` says that the last part may still grow; `outcome` is None while it runs."""

    start: RunStart
    phase: Phase = "awaiting"
    attempt: int = 1
    retries: tuple[Retry, ...] = ()
    parts: tuple[Part, ...] = ()
    part_open: bool = False
    usage: Usage | None = None
    stop_reason: StopReason | None = None
    outcome: Outcome | None = None


# --- events that do not come from the provider's stream ---


@dataclass(frozen=True, slots=True)
class StreamEnded:
    """The stream is over and said all it had to say."""


@dataclass(frozen=True, slots=True)
class AttemptFailed:
    """The call failed. `jitter` in [0, 1) spreads the retries of many runs."""

    reason: Failure
    jitter: float


@dataclass(frozen=True, slots=True)
class RetryDue:
    """The wait before the next attempt is over."""


@dataclass(frozen=True, slots=True)
class CancelRequested:
    """A person wants the run to stop."""


@dataclass(frozen=True, slots=True)
class Interrupted:
    """The process ends, or ended, while the run was on."""


_HEARD_BETWEEN_ATTEMPTS = (RetryDue, CancelRequested, Interrupted)
RunEvent = StreamEvent | StreamEnded | AttemptFailed | RetryDue | CancelRequested | Interrupted


class OutOfOrderError(InviewError):
    """An adapter broke the order of stream events: a fault of ours, never of the provider's."""

    def __init__(self, event: StreamEvent) -> None:
        super().__init__(f"{type(event).__name__} without an open tool call. Please report this adapter's fault.")


# --- actions: effects as data ---


@dataclass(frozen=True, slots=True)
class StartAttempt:
    """Call the provider."""

    attempt: int


@dataclass(frozen=True, slots=True)
class WaitForRetry:
    """Wait, visibly, then report `RetryDue`."""

    seconds: float


@dataclass(frozen=True, slots=True)
class CloseStream:
    """Close the connection to the provider, or stop waiting for the next attempt."""


@dataclass(frozen=True, slots=True)
class FinishRun:
    """Save the reply with its outcome, for good."""

    outcome: Outcome


Action = StartAttempt | WaitForRetry | CloseStream | FinishRun


# --- the transition function ---


def start_run(start: RunStart) -> tuple[RunState, tuple[Action, ...]]:
    """A new run and what to do first."""
    return RunState(start), (StartAttempt(1),)


def apply_event(state: RunState, event: RunEvent) -> tuple[RunState, tuple[Action, ...]]:
    """The state after `event`, and what is to be done about it.

    A finished run stays as it is, and a run that waits for its next attempt has no stream to hear from.
    """
    if state.outcome is not None or (state.phase == "retrying" and not isinstance(event, _HEARD_BETWEEN_ATTEMPTS)):
        return state, ()
    match event:
        case StreamEnded():
            return _end_stream(state)
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
            return _receive(state, event), ()


def lifecycle_of(state: RunState) -> Lifecycle:
    """Where the pair of this run stands."""
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


def decide_retry(state: RunState, reason: Failure, jitter: float) -> float | None:
    """Seconds to wait before the next attempt; None when there is to be none.

    Exponential from half a second with full upper-half jitter; a provider's `Retry-After` is obeyed up to a limit.
    """
    if reason.error_class not in RETRYABLE or state.parts or len(state.retries) >= MAX_RETRIES:
        return None
    if reason.retry_after is not None:
        return reason.retry_after if reason.retry_after <= LONGEST_RETRY_AFTER else None
    return min(LONGEST_BACKOFF, 2.0 ** len(state.retries)) * (0.5 + jitter / 2)


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
            return _append(state, ToolCall(event.tool_call_id, event.name), part_open=True)
        case ToolInputReceived():
            return _grow_input(state, event)
        case PartEnded():
            return _close(state)
        case UsageReported():
            return replace(state, usage=event.usage)
        case Stopped():
            return replace(_close(state), stop_reason=event.reason)
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
    return replace(state, parts=(*state.parts[:-1], grown))


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


def _end_stream(state: RunState) -> tuple[RunState, tuple[Action, ...]]:
    match state.stop_reason:
        case None:
            reason = failure(ErrorClass.STREAM, "The stream ended before the reply was complete.")
            return _finish(state, Failed(reason))
        case StopReason.CONTENT_FILTER | StopReason.REFUSAL:
            reason = failure(ErrorClass.CONTENT_FILTER, "The provider stopped the reply because of its content.")
            return _finish(state, Failed(reason))
        case stop_reason:
            return _finish(state, Succeeded(stop_reason))


def _fail_attempt(state: RunState, event: AttemptFailed) -> tuple[RunState, tuple[Action, ...]]:
    seconds = decide_retry(state, event.reason, event.jitter)
    if seconds is None:
        return _finish(state, Failed(event.reason))
    retries = (*state.retries, Retry(state.attempt, seconds, event.reason))
    return replace(state, phase="retrying", retries=retries, usage=None), (WaitForRetry(seconds),)


def _finish(state: RunState, outcome: Outcome, *first: Action) -> tuple[RunState, tuple[Action, ...]]:
    # A tool call whose input was cut off stays incomplete: it must never be executed.
    finished = replace(state, phase="finished", part_open=False, outcome=outcome)
    return finished, (*first, FinishRun(outcome))
