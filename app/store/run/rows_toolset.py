"""The tables of tool sets: the tools that a run's request carried, each set once per owner.

A set is told again and again as it is, so a run only names it, by the SHA-256 of what it holds. It holds no word of any
conversation, and stays when the last run that names it goes.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import JSON
from sqlmodel import Field

from app.store.database.row import Json, Row


class ToolsetRow(Row, table=True):
    """Tools as a model was told of them, in that order."""

    owner: str = Field(primary_key=True)
    id: str = Field(primary_key=True)
    tools: list[Json] = Field(sa_type=JSON)
    created_at: datetime


class RunToolsetRow(Row, table=True):
    """That a run's request told of these tools. A run without tools has no row."""

    run_id: str = Field(foreign_key="run.id", ondelete="CASCADE", primary_key=True)
    owner: str
    toolset_id: str


TOOLSET = Row.metadata.tables["toolset"]
RUN_TOOLSET = Row.metadata.tables["run_toolset"]
