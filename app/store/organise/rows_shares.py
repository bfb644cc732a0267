"""The table of shares: see `domain/sharing/shares.py`."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import JSON, LargeBinary
from sqlmodel import Field

from app.store.database.row import Json, Row


class ShareRow(Row, table=True):
    """A link and the page that it opens, compressed. `token_hash` is all that is stored of the link."""

    id: str = Field(primary_key=True)
    owner: str = Field(index=True)
    conversation_id: str = Field(foreign_key="conversation.id", ondelete="CASCADE", index=True)
    token_hash: str = Field(unique=True)
    title: str
    choice: Json = Field(sa_type=JSON)
    pairs: int
    page: bytes = Field(sa_type=LargeBinary)
    created_at: datetime
    expires_at: datetime
    views: int


SHARE = Row.metadata.tables["share"]
