"""The table of grants: see `domain/sharing/grants.py`."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import UniqueConstraint
from sqlmodel import Field

from app.store.database.row import Row


class ConversationGrantRow(Row, table=True):
    """A person with access to a conversation of another. It ends with the conversation and with the person."""

    __table_args__ = (UniqueConstraint("conversation_id", "person_id"),)

    id: str = Field(primary_key=True)
    owner: str = Field(index=True)
    conversation_id: str = Field(foreign_key="conversation.id", ondelete="CASCADE")
    person_id: str = Field(foreign_key="person.id", ondelete="CASCADE", index=True)
    access: str
    created_at: datetime


GRANT = Row.metadata.tables["conversation_grant"]
