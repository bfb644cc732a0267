"""Events of a run: those of the provider's stream, and those that do not come from it. All are past facts."""

from __future__ import annotations

from dataclasses import dataclass

from app.domain.conversation.parts import File, Image, Text
from app.domain.errors import Failure
from app.domain.stream_events import StreamEvent


@dataclass(frozen=True, slots=True)
class StreamEnded:
    """The stream is over and said all it had to say, so many `seconds` after the run's start."""

    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class ToolFinished:
    """A tool has answered, or it is certain that it will not: the content says which."""

    tool_call_id: str
    content: tuple[Text | Image | File, ...]
    is_error: bool = False
    seconds: float | None = None


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


RunEvent = StreamEvent | StreamEnded | ToolFinished | AttemptFailed | RetryDue | CancelRequested | Interrupted
