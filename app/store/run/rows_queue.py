"""The tables of the queue: texts that wait for a running reply, and the reason why a queue is held."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import JSON, Text
from sqlmodel import Field

from app.store.database.row import Json, Row


class QueuedRow(Row, table=True):
    """A text that waits for the running reply, with the options of its send. `place` is its order in the queue."""

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
    """The reason why a queue is held until the user resumes it. `message` is "" without an error."""

    conversation_id: str = Field(foreign_key="conversation.id", ondelete="CASCADE", primary_key=True)
    owner: str
    reason: str
    message: str = Field(sa_type=Text)
    held_at: datetime


QUEUED = Row.metadata.tables["queued"]
QUEUE_HOLD = Row.metadata.tables["queue_hold"]
