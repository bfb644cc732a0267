"""The table of the cache keep-alive: one row a conversation, the last request for it.

What was called for it and what that cost stands in the ledger, by the `tool` conversation it was called in.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import JSON, Text
from sqlmodel import Field

from app.store.database.row import Json, Row


class KeepWarmRow(Row, table=True):
    """Keep warm what the next send with these view options would read, `until` then. See `domain/cache/keep_alive.py`.

    `made_id` is the conversation in which it is called, once it was. `ended_at`: it is over; `words` say why if that
    was not because its time had come.
    """

    conversation_id: str = Field(foreign_key="conversation.id", ondelete="CASCADE", primary_key=True)
    owner: str
    look: Json = Field(sa_type=JSON)
    until: datetime
    started_at: datetime
    made_id: str | None
    ended_at: datetime | None
    words: str | None = Field(sa_type=Text)


KEEP_WARM = Row.metadata.tables["keep_warm"]
