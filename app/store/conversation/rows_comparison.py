"""The table of comparisons. Their replies are runs of the conversation, until one of them is chosen."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import JSON, Index, Text, text
from sqlmodel import Field

from app.store.database.row import Json, Row

IS_OPEN_COMPARISON = "closed_at IS NULL"


class ComparisonRow(Row, table=True):
    """One request put to several models. `runs` say where each is and what went along; `closed_at`: it was discarded.

    `pair_id` is the pair that is answered again and `request_id` its request that is; `gone` are the pairs after it
    that leave when a reply is kept.

    The partial index lets one comparison be open in a conversation, however many processes try.
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
