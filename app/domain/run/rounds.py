"""Rounds: what a reply that calls tools has been answered, and how much of that one reply may do.

A round is a provider call with the tools it ended in. Its calls come first and their results after them, in the order
in which they came, so the parts alone say which calls are answered.

    >>> parts = (ToolCall("a", "clock", "{}", complete=True), ToolCall("b", "clock", "{}", complete=True))
    >>> [call.tool_call_id for call in list_unanswered((*parts, ToolResult("a", (Text("noon"),))))]
    ['b']

Not here: the run that goes from round to round (`run.py`).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from app.domain.conversation.parts import Part, Text, ToolCall, ToolResult
from app.domain.usage import Usage

UNANSWERED = "The reply was stopped before this had answered. What it did until then is not known."
"""The result of a call that had begun when its reply was stopped."""
NOT_RUN = "Not run: the reply was stopped before this call was allowed."
"""The result of a call that had not begun then."""


MAX_CALLS = 100
"""Calls of tools in one reply. A stream that brings more ends there."""


@dataclass(frozen=True, slots=True)
class ToolLimits:
    """How much one reply may do with tools: rounds, calls in all of them, bytes of results, seconds since its start."""

    rounds: int = 25
    calls: int = MAX_CALLS
    result_bytes: int = 2_000_000
    seconds: float = 3_600.0


@dataclass(frozen=True, slots=True)
class Round:
    """A provider call that ended in calls of tools: which attempt that was, and what the provider reported of it.

    `report_fault` says what of the report is no count; None: all of it is.
    """

    attempt: int
    usage: Usage | None
    report_fault: str | None = None


def list_unanswered(parts: tuple[Part, ...]) -> tuple[ToolCall, ...]:
    """The calls that are complete and have no result."""
    answered = {part.tool_call_id for part in parts if isinstance(part, ToolResult)}
    return tuple(
        part for part in parts if isinstance(part, ToolCall) and part.complete and part.tool_call_id not in answered
    )


def count_answered(parts: tuple[Part, ...]) -> int:
    """How many parts belong to rounds that are over: all up to the last result."""
    return next((place for place in range(len(parts), 0, -1) if isinstance(parts[place - 1], ToolResult)), 0)


def answer(parts: tuple[Part, ...], calls: tuple[ToolCall, ...], why: str) -> tuple[Part, ...]:
    """The parts with a result for each of these calls that says why there is none."""
    return (*parts, *(ToolResult(call.tool_call_id, (Text(why),), is_error=True) for call in calls))


def answer_stopped(parts: tuple[Part, ...], begun: Collection[str]) -> tuple[Part, ...]:
    """The parts of a stopped reply, with a result for each call. `begun` are the ids of the calls that began."""
    calls = list_unanswered(parts)
    results = ((call, UNANSWERED if call.tool_call_id in begun else NOT_RUN) for call in calls)
    return (*parts, *(ToolResult(call.tool_call_id, (Text(words),), is_error=True) for call, words in results))


def free_id(parts: tuple[Part, ...], tool_call_id: str) -> str:
    """The id that a provider gave a call, or one like it if another call of the reply has it: some count anew."""
    taken = {part.tool_call_id for part in parts if isinstance(part, ToolCall)}
    free, number = tool_call_id, 1
    while free in taken:
        number += 1
        free = f"{tool_call_id}_{number}"
    return free


def find_limit(parts: tuple[Part, ...], rounds: int, seconds: float, limits: ToolLimits) -> str | None:
    """Why the calls at the end of these parts are not to be made after so many rounds and seconds; None: they are."""
    if rounds >= limits.rounds:
        return f"this reply has called tools {limits.rounds} times in a row, as often as one may."
    if (calls := sum(isinstance(part, ToolCall) for part in parts)) > limits.calls:
        return f"it would be {calls} calls in this reply, and {limits.calls} are as many as one may make."
    if (size := sum(map(measure_result, parts))) > limits.result_bytes:
        return f"results of {size:,} bytes came in this reply, and {limits.result_bytes:,} are as many as one may get."
    if seconds > limits.seconds:
        return f"this reply has been at it for {limits.seconds:,.0f} seconds, as long as one may."
    return None


def measure_result(part: Part) -> int:
    """Bytes of the words that a tool answered; 0 of any other part."""
    if not isinstance(part, ToolResult):
        return 0
    return sum(len(piece.text.encode(errors="replace")) for piece in part.content if isinstance(piece, Text))
