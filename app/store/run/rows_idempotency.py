"""The table of idempotency keys: which run a program's key began."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Field

from app.store.database.row import Row


class IdempotencyKeyRow(Row, table=True):
    """A key that a program sent, the hash of what it sent with it, and the run that came of it."""

    owner: str = Field(primary_key=True)
    key: str = Field(primary_key=True)
    fingerprint: str
    conversation_id: str = Field(foreign_key="conversation.id", ondelete="CASCADE", index=True)
    pair_id: str
    run_id: str
    content_hash: str
    created_at: datetime


IDEMPOTENCY_KEY = Row.metadata.tables["idempotency_key"]
