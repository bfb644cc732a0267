"""The tables of the queue: sends that wait for the running reply, and what holds them."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import JSON, Text
from sqlmodel import Field

from app.store.database.row import Json, Row


class QueuedRow(Row, table=True):
    """A text that waits for the reply that runs, and how it is to be sent. `place` orders those of a conversation."""

    id: str = Field(primary_key=True)
    owner: str
    conversation_id: str = Field(foreign_key="conversation.id", ondelete="CASCADE", index=True)
    place: int
    version: int
    text: str = Field(sa_type=Text)
    filter: str
    model: str | None
    agent_id: str | None
    topic: str | None
    zone: str
    parameters: Json = Field(sa_type=JSON)
    over_budget: str | None
    created_at: datetime
    attached: list[Json] = Field(sa_type=JSON, sa_column_kwargs={"server_default": "[]"})


class QueueHoldRow(Row, table=True):
    """Why nothing is sent out of a queue until a person says so. `message` is "" if nothing went wrong."""

    conversation_id: str = Field(foreign_key="conversation.id", ondelete="CASCADE", primary_key=True)
    owner: str
    reason: str
    message: str = Field(sa_type=Text)
    held_at: datetime


QUEUED = Row.metadata.tables["queued"]
QUEUE_HOLD = Row.metadata.tables["queue_hold"]
