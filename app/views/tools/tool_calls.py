"""Views of tool calls: the full record of each call. The reply itself has only a part of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from app.domain.tools.tool_records import CallFault, ToolCallRecord
from app.views.conversation.parts import FileView, ImageView, TextView, describe_content


@dataclass(frozen=True, slots=True)
class ToolCallRecordView:
    """The record of one tool call.

    - `asked_json`: the arguments as the model wrote them.
    - `run_json`: the arguments that the tool got; null: the tool was not run.
    - `server`, `tool`: null if no such tool was known.
    - `content`: the full result if the reply has only its beginning, otherwise null.
    - `fault`: the reason of a failure; null with `is_error`: the tool itself reported the failure.
    - `cut`: `structured_json` and `content` are null because the list would be too large; `GET
      /pairs/{id}/tool-calls/{number}` has them.
    """

    tool_call_id: str
    number: int
    name: str
    server_id: str | None
    server: str | None
    tool: str | None
    title: str | None
    asked_json: str
    run_json: str | None
    asked_at: datetime
    started_at: datetime | None
    ended_at: datetime | None
    is_error: bool
    fault: CallFault | None
    structured_json: str | None
    content: tuple[TextView | ImageView | FileView, ...] | None
    cut: bool


@dataclass(frozen=True, slots=True)
class ToolCallsView:
    """The records of the tool calls of a reply, in the order of the model."""

    items: tuple[ToolCallRecordView, ...]


def describe_tool_call(record: ToolCallRecord, *, cut: bool = False) -> ToolCallRecordView:
    """Convert the record of a tool call for the HTTP API. `cut`: the record was loaded without its results."""
    return ToolCallRecordView(
        tool_call_id=record.tool_call_id,
        number=record.number,
        name=record.name,
        server_id=record.server_id,
        server=record.server_name,
        tool=record.tool_name,
        title=record.title,
        asked_json=record.asked_json,
        run_json=record.run_json,
        asked_at=record.asked_at,
        started_at=record.started_at,
        ended_at=record.ended_at,
        is_error=record.is_error,
        fault=record.fault,
        structured_json=record.structured_json,
        content=None if record.content is None else tuple(map(describe_content, record.content)),
        cut=cut,
    )
