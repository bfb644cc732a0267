"""The table of comparisons. Their replies are in separate conversations until one is chosen."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import JSON, Index, Text, text
from sqlmodel import Field

from app.store.database.row import Json, Row

IS_OPEN_COMPARISON = "closed_at IS NULL"


class ComparisonRow(Row, table=True):
    """One request to several models. `runs` has an entry for each reply.

    - `closed_at`: the time when the comparison was discarded; None while it is open.
    - `pair_id`, `request_id`: the pair that the comparison answers again, and its request; None if the kept reply makes
      a new pair.
    - `gone`: the later pairs that are removed when a reply is kept.

    A unique partial index allows only one open comparison per conversation, also with many processes.
    """

    __table_args__ = (
        Index(
            "uq_comparison_open",
            "conversation_id",
            unique=True,
            sqlite_where=text(IS_OPEN_COMPARISON),
        ),
    )

    id: str = Field(primary_key=True)
    owner: str
    conversation_id: str = Field(foreign_key="conversation.id", ondelete="CASCADE", index=True)
    text: str = Field(sa_type=Text)
    topic: str | None
    parameters: Json = Field(sa_type=JSON)
    runs: list[Json] = Field(sa_type=JSON)
    pair_id: str | None
    request_id: str | None
    gone: list[str] = Field(sa_type=JSON)
    created_at: datetime
    closed_at: datetime | None


COMPARISON = Row.metadata.tables["comparison"]
