"""The table of tool calls."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import JSON, Text
from sqlmodel import Field

from app.store.database.row import Json, Row


class ToolCallRow(Row, table=True):
    """A tool call of a reply (see `domain.tools.tool_records.ToolCallRecord`). It is deleted with its run.

    The row is stored before the tool is called. If the outcome of the call is unknown, `ended_at` is None.
    """

    run_id: str = Field(foreign_key="run.id", ondelete="CASCADE", primary_key=True)
    tool_call_id: str = Field(primary_key=True)
    number: int
    name: str
    server_id: str | None
    server_name: str | None
    tool_name: str | None
    title: str | None
    asked_json: str = Field(sa_type=Text)
    run_json: str | None = Field(sa_type=Text)
    asked_at: datetime
    started_at: datetime | None
    ended_at: datetime | None
    is_error: bool
    fault: str | None
    structured_json: str | None = Field(sa_type=Text)
    content: list[Json] | None = Field(sa_type=JSON(none_as_null=True))


TOOL_CALL = Row.metadata.tables["tool_call"]
