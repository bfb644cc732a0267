"""The table of topics. The topic of a pair is a column of the pair."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Index
from sqlmodel import Field

from app.store.database.row import Row


class TopicRow(Row, table=True):
    """A topic.

    `place` is its manual position among its siblings, `used_at` the time when a pair was last filed under it.
    """

    __table_args__ = (Index(None, "owner", "parent_id"),)

    id: str = Field(primary_key=True)
    owner: str
    name: str
    parent_id: str | None = Field(foreign_key="topic.id", ondelete="RESTRICT")
    place: int
    created_at: datetime
    used_at: datetime


TOPIC = Row.metadata.tables["topic"]
