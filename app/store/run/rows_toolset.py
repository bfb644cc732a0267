"""The tables of tool sets: the tools in the request of a run. Each set is stored once per owner.

Many requests have the same set, so a run only refers to it, by the SHA-256 of its content. A set contains no text of a
conversation. It stays stored even if every run that refers to it was deleted.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import JSON
from sqlmodel import Field

from app.store.database.row import Json, Row


class ToolsetRow(Row, table=True):
    """A tool set: the tool definitions of a request, in the order of the request."""

    owner: str = Field(primary_key=True)
    id: str = Field(primary_key=True)
    tools: list[Json] = Field(sa_type=JSON)
    created_at: datetime


class RunToolsetRow(Row, table=True):
    """The tool set in the request of a run. A run without tools has no row."""

    run_id: str = Field(foreign_key="run.id", ondelete="CASCADE", primary_key=True)
    owner: str
    toolset_id: str


TOOLSET = Row.metadata.tables["toolset"]
RUN_TOOLSET = Row.metadata.tables["run_toolset"]
