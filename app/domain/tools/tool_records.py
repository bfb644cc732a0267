"""The full record of a tool call: what was asked, what ran, its result, and when.

The reply has what the model got of it (`parts.ToolResult`). Here stands what only people look at: the server, the input
as it was run, structured content, and the whole of a result of which the model got the beginning alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from app.domain.tools.tools import ToolContent


class CallFault(StrEnum):
    """Why a call gave nothing. Those of `tools.ToolFault`, and those that are no fault of a tool."""

    UNKNOWN = "unknown"
    """The model was told of no such tool."""
    INVALID_INPUT = "invalid_input"
    DENIED = "denied"
    """A person or a rule refused it, or nobody answered in time."""
    GONE = "gone"
    CHANGED = "changed"
    UNAVAILABLE = "unavailable"
    DIED = "died"
    TIMED_OUT = "timed_out"
    PROTOCOL = "protocol"
    REFUSED = "refused"
    TOO_LARGE = "too_large"
    UNRECORDED = "unrecorded"
    """That it was about to be made could not be stored, so it was not made."""
    STOPPED = "stopped"
    """The reply ended before it had answered."""
    INTERRUPTED = "interrupted"
    """The process ended before it had answered."""
    INTERNAL = "internal"
    """Inview failed."""


@dataclass(frozen=True, slots=True)
class ToolCallRecord:
    """One call. `number` orders those of a reply, from 1. What was never known, or has not happened, is None.

    `asked_json` is the input as the model wrote it, `run_json` as the tool got it (None: it was not called). `content`
    is the whole result where the model got less. With `is_error` and no `fault` the tool itself said that it failed.
    """

    tool_call_id: str
    number: int
    name: str
    asked_json: str
    asked_at: datetime
    server_id: str | None = None
    server_name: str | None = None
    tool_name: str | None = None
    title: str | None = None
    run_json: str | None = None
    started_at: datetime | None = None
    ended_at: datetime | None = None
    is_error: bool = False
    fault: CallFault | None = None
    structured_json: str | None = None
    content: tuple[ToolContent, ...] | None = None
