"""The events of a run that do not come from the provider's stream, and the union of all its events.

`run.apply_event` returns the state after such an event. The stream's events are in `stream/stream_events.py`.
"""

from __future__ import annotations

from dataclasses import dataclass

from app.domain.conversation.parts import File, Image, Text
from app.domain.errors import Failure, InviewError
from app.domain.stream.stream_events import StreamEvent


@dataclass(frozen=True, slots=True)
class StreamEnded:
    """The event that the stream ended without an error. `seconds` is the time since the start of the run."""

    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class ToolFinished:
    """The event that a tool call ended.

    - `content`: its result or, if `is_error`, its error.
    - `seconds`: the duration of the call; None if it was not measured.
    - `denied`: a person denied the call.
    """

    tool_call_id: str
    content: tuple[Text | Image | File, ...]
    is_error: bool = False
    seconds: float | None = None
    denied: bool = False


@dataclass(frozen=True, slots=True)
class AttemptFailed:
    """The event that the provider call failed.

    `jitter` in [0, 1) varies the wait before a retry, so that many runs do not retry at the same time.
    """

    reason: Failure
    jitter: float


@dataclass(frozen=True, slots=True)
class RetryDue:
    """The event that the wait before the next attempt is over."""


@dataclass(frozen=True, slots=True)
class CancelRequested:
    """The event that a person stopped the run. It has the ids of the tool calls that had started."""

    begun: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Interrupted:
    """The event that the process ended before the run did, or is ending now.

    It has the ids of the tool calls that had started.
    """

    begun: frozenset[str] = frozenset()


RunEvent = StreamEvent | StreamEnded | ToolFinished | AttemptFailed | RetryDue | CancelRequested | Interrupted


class OutOfOrderError(InviewError):
    """Error: an adapter reported stream events in an invalid order.

    This is always a bug in Inview, never the provider's fault.
    """

    def __init__(self, event: StreamEvent) -> None:
        super().__init__(
            f"{type(event).__name__} came without an open tool call. Please report this defect of the adapter."
        )
