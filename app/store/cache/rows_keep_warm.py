"""The table of cache keep-alive: one row per conversation, for the user's last order to keep its cache from expiring.

The ledger has the calls and their cost. The calls are in a child conversation.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import JSON, Text
from sqlmodel import Field

from app.store.database.row import Json, Row


class KeepWarmRow(Row, table=True):
    """The keep-alive of a conversation. See `domain/cache/keep_alive.py`.

    - `look`: the view options of a send. The prefix that this send would read from the cache is kept there.
    - `until`: the time when the keep-alive shall end.
    - `made_id`: the conversation of the newest call; None if no call was made yet.
    - `ended_at`: the time when the keep-alive ended; None while it is active.
    - `words`: the reason, if it ended early.
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
