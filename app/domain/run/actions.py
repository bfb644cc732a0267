"""Actions of a run: effects as data. The engine performs them (`runs/engine/engine.py`)."""

from __future__ import annotations

from dataclasses import dataclass

from app.domain.conversation.parts import ToolCall
from app.domain.run.state import Outcome


@dataclass(frozen=True, slots=True)
class StartAttempt:
    """Call the provider."""

    attempt: int


@dataclass(frozen=True, slots=True)
class WaitForRetry:
    """Wait, visibly, then report `RetryDue`."""

    seconds: float


@dataclass(frozen=True, slots=True)
class CallTool:
    """Call a tool, and report `ToolFinished` whatever becomes of it. Several at once are called side by side."""

    call: ToolCall


@dataclass(frozen=True, slots=True)
class StartRound:
    """All calls are answered: call the provider with the reply so far. `number` counts from 1."""

    number: int
    attempt: int


@dataclass(frozen=True, slots=True)
class CloseStream:
    """Close the connection to the provider, stop waiting for the next attempt, or for tools."""


@dataclass(frozen=True, slots=True)
class FinishRun:
    """Save the reply with its outcome, for good."""

    outcome: Outcome


Action = StartAttempt | WaitForRetry | CallTool | StartRound | CloseStream | FinishRun
