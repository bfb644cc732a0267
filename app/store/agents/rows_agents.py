"""The table of agents: see `domain/agents/agents.py`.

No foreign key connects it with conversations: temporary conversations, which are in another database, have agents too.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, Text
from sqlmodel import Field

from app.store.database.row import Json, Row


class AgentRow(Row, table=True):
    """An agent. If it is deleted, it stays stored with its `deleted_at`, and can be restored."""

    id: str = Field(primary_key=True)
    owner: str = Field(index=True)
    name: str
    icon: str
    description: str = Field(sa_type=Text)
    model: str | None
    system_prompt: str = Field(sa_type=Text)
    parameters: Json = Field(sa_type=JSON)
    server_ids: list[str] | None = Field(sa_type=JSON(none_as_null=True))
    allowed_tools: list[Any] | None = Field(sa_type=JSON(none_as_null=True))
    created_at: datetime
    updated_at: datetime
    deleted_at: datetime | None


AGENT = Row.metadata.tables["agent"]
