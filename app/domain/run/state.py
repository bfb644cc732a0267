"""The state of a run: its start, what it received, how it ended. It only grows at its end.

    state = RunState(RunStart("r1", "p1", "offline:demo", "hash"))
    lifecycle_of(state), is_call_on(state)

Not here: what changes it (`transitions.py`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, assert_never

from app.domain.conversation.lifecycle import Lifecycle
from app.domain.conversation.parts import Part
from app.domain.conversation.retry_policy import RetryPolicy
from app.domain.errors import Failure
from app.domain.run.reply_size import MAX_REPLY_BYTES
from app.domain.run.rounds import Round, ToolLimits
from app.domain.stream_events import StopReason
from app.domain.usage import Usage


@dataclass(frozen=True, slots=True)
class RunStart:
    """What names a run from its beginning to its end.

    `tools`: how much it may do with tools; None: what it calls is not called, as of a title. `max_bytes`: how large its
    reply may become. `retry_policy`: when a failed call is made again.
    """

    run_id: str
    pair_id: str
    model: str
    request_hash: str
    tools: ToolLimits | None = None
    max_bytes: int = MAX_REPLY_BYTES
    retry_policy: RetryPolicy = RetryPolicy.EXPONENTIAL


@dataclass(frozen=True, slots=True)
class Retry:
    """A failed attempt that is followed by another after `seconds`. `attempt` counts from 1, over all rounds.

    `after`: how many parts the reply had then.
    """

    attempt: int
    seconds: float
    reason: Failure
    after: int = 0


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
Phase = Literal["awaiting", "retrying", "streaming", "calling", "finished"]


@dataclass(frozen=True, slots=True)
class RunState:
    """A run so far. `part_open` says that the last part may still grow; `outcome` is None while it runs.

    `rounds` are those that ended in calls; `usage` is that of the call after them, and `report_fault` says what of its
    last usage report is no count. `size` is what providers sent of the reply, in bytes (`reply_size.py`); that of a
    stored run is not known.
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


def sum_usage(state: RunState) -> Usage | None:
    """What the reply used, over all its rounds; None: nobody told."""
    told = [usage for usage in (*(each.usage for each in state.rounds), state.usage) if usage is not None]
    return sum(told[1:], told[0]) if told else None


def is_call_on(state: RunState) -> bool:
    """Whether the provider is being called."""
    return state.phase in {"awaiting", "streaming"}
