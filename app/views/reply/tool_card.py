"""The card of a tool call in a reply: the tool, its status, its duration.

`tool_body.py` has the arguments and the result, which are shown when a person expands the card.

>>> describe_seconds(0.31), describe_seconds(4.2), describe_seconds(42.0), describe_seconds(125.0)
('310 ms', '4.2 s', '42 s', '2 min 5 s')
>>> show_gist('{"path":   "/home"}'), show_gist("{}")
('{"path": "/home"}', '')
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Final, Literal

from app.domain.conversation.parts import Part, Text, ToolCall, ToolResult, tool_call_state
from app.views.reply.panels import PermissionItemView, ToolProgressView
from app.views.usage.figures import number

MAX_GIST: Final = 120
MAX_PERCENT: Final = 9_999


class CardStatus(StrEnum):
    """The status of a tool call, as its card shows it.

    - WAITING: the call waits for a person's permission.
    - UNANSWERED: the reply ended without a result of the call.
    """

    WRITING = "input-streaming"
    RUNNING = "input-available"
    WAITING = "waiting"
    DONE = "output-available"
    FAILED = "output-error"
    DENIED = "denied"
    UNANSWERED = "unanswered"


_STATES: Final[Mapping[CardStatus, str]] = MappingProxyType(
    {
        CardStatus.WRITING: "Writing the arguments…",
        CardStatus.RUNNING: "Running…",
        CardStatus.WAITING: "Waiting for permission",
        CardStatus.DONE: "Done",
        CardStatus.FAILED: "Failed",
        CardStatus.DENIED: "Denied by you",
        CardStatus.UNANSWERED: "No result",
    }
)


@dataclass(frozen=True, slots=True)
class CardProgressView:
    """The progress of a running tool call. `share` is a fraction from 0 to 1, -1 if unknown.

    `text` is the message of the tool or the progress in figures, `label` names the progress bar. `conversation_id` is
    the conversation of the agent that does delegated work; "": another kind of tool.
    """

    share: float
    label: str
    text: str
    conversation_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCardView:
    """A tool call in a reply. `input_json` are its arguments, as far as they were received.

    `gist` is the beginning of the arguments on one line or, after a failure, the reason. `state` describes the status,
    `took` is the duration of the call ("" if unknown).
    """

    type: Literal["tool_call"] = "tool_call"
    tool_call_id: str
    name: str
    input_json: str
    status: CardStatus
    gist: str
    state: str
    took: str
    progress: CardProgressView | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolAnswerView:
    """A tool result among the parts of a reply. Nothing is shown here: the card of the tool call shows the result."""

    type: Literal["tool_result"] = "tool_result"
    tool_call_id: str
    is_error: bool


def show_card(call: ToolCall, parts: tuple[Part, ...], *, running: bool) -> ToolCardView:
    """Return the card of a tool call. `parts` are the parts of its reply. `running`: the reply is running."""
    result = find_result(call.tool_call_id, parts)
    status = CardStatus(tool_call_state(call, parts))
    if result is None and not running:
        status = CardStatus.UNANSWERED
    if result is not None and result.denied:
        status = CardStatus.DENIED
    failure = _first_line(result) if result is not None and status is CardStatus.FAILED else ""
    return ToolCardView(
        tool_call_id=call.tool_call_id,
        name=call.name,
        input_json=call.input_json,
        status=status,
        gist=failure or show_gist(call.input_json),
        state=_STATES[status],
        took="" if result is None or result.seconds is None else describe_seconds(result.seconds),
    )


def watch_card(card: ToolCardView, waiting: Collection[str], progress: Mapping[str, ToolProgressView]) -> ToolCardView:
    """Return the card of a tool call in a running reply, with its current status and progress.

    `waiting` are the ids of calls that wait for permission. `progress` has the reported progress by the id of a call.
    """
    if card.status not in {CardStatus.WRITING, CardStatus.RUNNING}:
        return card
    if card.tool_call_id in waiting:
        return replace(card, status=CardStatus.WAITING, state=_STATES[CardStatus.WAITING])
    report = progress.get(card.tool_call_id)
    if report is None or card.status is CardStatus.WRITING:
        return card
    shown = _show_progress(report)
    return replace(
        card, progress=shown, state=_STATES[card.status] if shown.share < 0 else f"Running, {_percent(report)}"
    )


def waiting_in(pair_id: str, permissions: Collection[PermissionItemView]) -> frozenset[str]:
    """Return the ids of the tool calls in this pair's reply that wait for a person's permission."""
    return frozenset(each.tool_call_id for each in permissions if each.pair_id == pair_id)


def find_result(tool_call_id: str, parts: tuple[Part, ...]) -> ToolResult | None:
    """Return the result of a tool call among the parts of its reply; None if there is none yet."""
    found = (part for part in parts if isinstance(part, ToolResult) and part.tool_call_id == tool_call_id)
    return next(found, None)


def show_gist(input_json: str) -> str:
    """Return the beginning of a tool call's arguments on one line, "" if there are no arguments."""
    words = " ".join(input_json[: 4 * MAX_GIST].split())
    if words == "{}":
        return ""
    return f"{words[:MAX_GIST]}…" if len(words) > MAX_GIST else words


def describe_seconds(seconds: float) -> str:
    """Write a duration in at most two units."""
    if seconds < 0.995:
        return f"{max(1, round(seconds * 1000))} ms"
    if seconds < 10:
        return f"{seconds:.1f} s"
    if round(seconds) < 60:
        return f"{round(seconds)} s"
    return f"{round(seconds) // 60} min {round(seconds) % 60} s"


def _show_progress(report: ToolProgressView) -> CardProgressView:
    share = min(1.0, report.progress / report.total) if report.total else -1.0
    figure = _percent(report) if report.total else number(round(report.progress))
    return CardProgressView(
        share, report.message or "Progress of the tool", report.message or figure, report.conversation_id
    )


def _percent(report: ToolProgressView) -> str:
    return f"{round(min(MAX_PERCENT, 100 * report.progress / report.total))} %" if report.total else ""


def _first_line(result: ToolResult) -> str:
    text = next((piece.text for piece in result.content if isinstance(piece, Text)), "")
    return text.split("\n", 1)[0][: 2 * MAX_GIST]
