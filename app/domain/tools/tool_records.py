"""The full record of a tool call: its input as requested and as run, its result, and the times.

The reply has only the result that the model received (`parts.ToolResult`). This record adds the data that only people
see: the server, the input that was run, structured content, and the full result if the model got only its beginning.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from app.domain.tools.tools import ToolContent


class CallFault(StrEnum):
    """The reason why a tool call gave no result: a fault of the tool (`tools.ToolFault`) or another reason."""

    UNKNOWN = "unknown"
    """The model called a tool that was not in its request."""
    INVALID_INPUT = "invalid_input"
    DENIED = "denied"
    """A person or a rule refused the call, or a person did not answer in time."""
    GONE = "gone"
    CHANGED = "changed"
    UNAVAILABLE = "unavailable"
    DIED = "died"
    TIMED_OUT = "timed_out"
    PROTOCOL = "protocol"
    REFUSED = "refused"
    TOO_LARGE = "too_large"
    UNRECORDED = "unrecorded"
    """The record could not be stored before the call, so the call was not made."""
    STOPPED = "stopped"
    """The reply ended before the tool answered."""
    INTERRUPTED = "interrupted"
    """The process ended before the tool answered."""
    INTERNAL = "internal"
    """A fault in Inview."""


@dataclass(frozen=True, slots=True)
class ToolCallRecord:
    """The record of one tool call. Fields that are unknown or not set yet are None.

    - `number`: orders the calls of a reply, from 1.
    - `asked_json`: the input as the model wrote it.
    - `run_json`: the input as the tool received it; None if the tool was not called.
    - `content`: the full result, if the model received only a part of it.
    - `is_error`: the call ended with an error.
    - `fault`: the reason of this error; None if the tool itself reported the error.
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
