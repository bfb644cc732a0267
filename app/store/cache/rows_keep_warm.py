"""The table of cache keep-alive: one row per conversation, for the user's last request to keep it warm.

The ledger records its calls and their cost, under the `tool` conversation of these calls.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import JSON, Text
from sqlmodel import Field

from app.store.database.row import Json, Row


class KeepWarmRow(Row, table=True):
    """The keep-alive of a conversation. See `domain/cache/keep_alive.py`.

    Until `until`, it keeps in the cache the prefix that the next send with the view options `look` would read.
    `made_id` is the conversation of its newest call; None before the first one. `ended_at` is set when it ended.
    `words` is the reason if it ended early.
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
