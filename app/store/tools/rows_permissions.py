"""The tables of permissions: requests and rules.

Requests and rules of a conversation are deleted with it. Rules for all conversations have no foreign key.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import JSON, Index, Text, text
from sqlmodel import Field

from app.store.database.row import Row

IS_PENDING = "standing = 'pending'"


class PermissionRequestRow(Row, table=True):
    """A tool call that needs the user's answer: see `domain/tools/permission_requests.py`."""

    __table_args__ = (
        Index("ix_permission_request_pending", "owner", "shown_in", sqlite_where=text(IS_PENDING)),
        Index(None, "run_id"),
    )

    id: str = Field(primary_key=True)
    owner: str
    conversation_id: str = Field(foreign_key="conversation.id", ondelete="CASCADE", index=True)
    shown_in: str
    run_id: str
    pair_id: str
    tool_call_id: str
    server_id: str
    server_name: str
    tool_name: str
    name: str
    title: str
    description: str = Field(sa_type=Text)
    input_schema_json: str = Field(sa_type=Text)
    fingerprint: str
    input_json: str = Field(sa_type=Text)
    asked_at: datetime
    expires_at: datetime
    standing: str
    run_json: str | None = Field(sa_type=Text)
    scope: str | None
    rule_id: str | None
    ending: str | None
    settled_at: datetime | None
    agent_id: str | None
    agent_name: str | None


class RuleColumns(Row):
    """The columns of a permission rule: the allowed tool, and patterns of its arguments, each as [name, pattern].

    `fingerprint` identifies the definition of the tool.
    """

    id: str = Field(primary_key=True)
    owner: str
    server_id: str
    server_name: str
    tool_name: str
    title: str
    fingerprint: str
    arguments: list[list[str]] = Field(sa_type=JSON)
    created_at: datetime


class PermissionRuleRow(RuleColumns, table=True):
    """A permission rule that applies in all conversations. `agent_id`: only for calls of this agent."""

    __table_args__ = (Index(None, "owner"),)

    agent_id: str | None


class ConversationRuleRow(RuleColumns, table=True):
    """A permission rule that applies in one conversation, and to the tasks delegated from it."""

    conversation_id: str = Field(foreign_key="conversation.id", ondelete="CASCADE", index=True)


PERMISSION_REQUEST = Row.metadata.tables["permission_request"]
PERMISSION_RULE = Row.metadata.tables["permission_rule"]
CONVERSATION_RULE = Row.metadata.tables["conversation_rule"]
