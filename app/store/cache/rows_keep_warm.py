"""The table of cache keep-alive: one row per conversation, for the user's last request to keep its cache warm.

The ledger has the calls and their cost. Each call has a child conversation.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import JSON, Text
from sqlmodel import Field

from app.store.database.row import Json, Row


class KeepWarmRow(Row, table=True):
    """The keep-alive of a conversation. See `domain/cache/keep_alive.py`.

    `look` are view options: the prefix that a send with them would read stays in the cache until `until`. `made_id` is
    the conversation of the newest call; None: no call was made yet. `ended_at` is the time when the keep-alive ended;
    None: it is active. `words` is the reason if it ended early.
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
