"""Rounds: the tool calls and tool results of a reply, and the limits for them.

A round is a provider call with the tool calls that the model requested in it. Their results follow the calls, in the
order of arrival. So the parts of a reply show which calls have a result.

    >>> parts = (ToolCall("a", "clock", "{}", complete=True), ToolCall("b", "clock", "{}", complete=True))
    >>> [call.tool_call_id for call in list_unanswered((*parts, ToolResult("a", (Text("noon"),))))]
    ['b']

Not here: the run that makes the rounds (`run.py`).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from itertools import groupby

from app.domain.conversation.parts import Part, Text, ToolCall, ToolResult
from app.domain.usage import Usage

UNANSWERED = "The reply was stopped before this tool responded. It is not known what the tool did until then."
"""The result of a tool call that was running when its reply was stopped."""
NOT_RUN = "Not run: the reply was stopped before this call was allowed."
"""The result of a tool call that had not started when its reply was stopped."""


MAX_CALLS = 100
"""Maximum number of tool calls in one reply. A stream with more calls is ended."""


@dataclass(frozen=True, slots=True)
class ToolLimits:
    """The limits for the tools of one reply.

    - `rounds`: the maximum number of rounds.
    - `calls`: the maximum number of calls in all rounds.
    - `result_bytes`: the maximum size of all results.
    - `seconds`: the maximum time since the start of the reply.
    """

    rounds: int = 25
    calls: int = MAX_CALLS
    result_bytes: int = 2_000_000
    seconds: float = 3_600.0


@dataclass(frozen=True, slots=True)
class Round:
    """A provider call that ended in tool calls.

    `attempt` is its number, `usage` is the usage that the provider reported.

    `report_fault` names the fields of the report that are not valid counts; None if all are valid.
    """

    attempt: int
    usage: Usage | None
    report_fault: str | None = None


def list_unanswered(parts: tuple[Part, ...]) -> tuple[ToolCall, ...]:
    """List the complete tool calls that have no result yet."""
    answered = {part.tool_call_id for part in parts if isinstance(part, ToolResult)}
    return tuple(
        part for part in parts if isinstance(part, ToolCall) and part.complete and part.tool_call_id not in answered
    )


def count_answered(parts: tuple[Part, ...]) -> int:
    """Count the parts up to the last tool result, which belong to the finished rounds."""
    return next((place for place in range(len(parts), 0, -1) if isinstance(parts[place - 1], ToolResult)), 0)


def count_rounds(parts: tuple[Part, ...]) -> int:
    """Count the rounds that have tool results.

    >>> result = ToolResult("a", (Text("noon"),))
    >>> count_rounds((result, result, Text("Once more."), result, Text("Done.")))
    2
    >>> count_rounds(())
    0
    """
    return sum(are_results for are_results, _ in groupby(parts, lambda part: isinstance(part, ToolResult)))


def answer(parts: tuple[Part, ...], calls: tuple[ToolCall, ...], why: str) -> tuple[Part, ...]:
    """Return the parts of a reply and, for each of these tool calls, an error result with the text `why`."""
    return (*parts, *(ToolResult(call.tool_call_id, (Text(why),), is_error=True) for call in calls))


def answer_stopped(parts: tuple[Part, ...], begun: Collection[str]) -> tuple[Part, ...]:
    """Return the parts of a stopped reply with a result added for each call that has none.

    The result says whether the call had started.
    """
    calls = list_unanswered(parts)
    results = ((call, UNANSWERED if call.tool_call_id in begun else NOT_RUN) for call in calls)
    return (*parts, *(ToolResult(call.tool_call_id, (Text(words),), is_error=True) for call, words in results))


def free_id(parts: tuple[Part, ...], tool_call_id: str) -> str:
    """Return an id for a new tool call: the provider's id, with a suffix if a call of the reply already has it.

    Some providers reuse ids.
    """
    taken = {part.tool_call_id for part in parts if isinstance(part, ToolCall)}
    free, number = tool_call_id, 1
    while free in taken:
        number += 1
        free = f"{tool_call_id}_{number}"
    return free


def find_limit(parts: tuple[Part, ...], rounds: int, seconds: float, limits: ToolLimits) -> str | None:
    """Return why a limit forbids the tool calls at the end of these parts, or None if the calls are allowed.

    `rounds` is the number of rounds so far, `seconds` the time since the start of the reply.
    """
    if rounds >= limits.rounds:
        return f"this reply reached the limit of {limits.rounds} rounds of tool calls."
    if (calls := sum(isinstance(part, ToolCall) for part in parts)) > limits.calls:
        return f"this reply has {calls} tool calls. The limit is {limits.calls}."
    if (size := sum(map(measure_result, parts))) > limits.result_bytes:
        return f"the tool results of this reply have {size:,} bytes. The limit is {limits.result_bytes:,} bytes."
    if seconds > limits.seconds:
        return f"this reply reached the limit of {limits.seconds:,.0f} seconds."
    return None


def measure_result(part: Part) -> int:
    """Return the number of bytes of the text in a tool result; 0 for any other part."""
    if not isinstance(part, ToolResult):
        return 0
    return sum(len(piece.text.encode(errors="replace")) for piece in part.content if isinstance(piece, Text))
