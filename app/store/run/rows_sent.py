"""The tables of recorded provider calls: each call, permanently, and the bytes of its body."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Index, LargeBinary
from sqlmodel import Field

from app.store.database.row import Row


class SentCallRow(Row, table=True):
    """One provider call as it left. It hangs on nothing, and the database refuses to change or delete it, but for a
    person who is deleted. It has no words: `pieces` are the SHA-256 of the pieces of its body, 32 bytes each.

    `number` counts the calls of a run from 1: attempts and rounds of tools alike.
    """

    __table_args__ = (Index("ix_sent_call_conversation_id", "conversation_id", "sent_at"),)

    run_id: str = Field(primary_key=True)
    number: int = Field(primary_key=True)
    owner: str
    conversation_id: str
    pair_id: str = Field(index=True)
    purpose: str
    model: str
    url: str
    sent_at: datetime
    body_sha256: str
    body_bytes: int
    pieces: bytes = Field(sa_type=LargeBinary)


class SentPieceRow(Row, table=True):
    """A piece of the bodies of a conversation's calls, compressed by zlib. It is never changed, and goes with the
    conversation. The database refuses to delete one that a call has, but for those in `forgotten_piece`.
    """

    conversation_id: str = Field(primary_key=True, foreign_key="conversation.id", ondelete="CASCADE")
    sha256: bytes = Field(primary_key=True, sa_type=LargeBinary)
    data: bytes = Field(sa_type=LargeBinary)


class ForgottenPieceRow(Row, table=True):
    """A piece that was deleted because words in it were deleted for good: it is not missing."""

    conversation_id: str = Field(primary_key=True, foreign_key="conversation.id", ondelete="CASCADE")
    sha256: bytes = Field(primary_key=True, sa_type=LargeBinary)


SENT_CALL = Row.metadata.tables["sent_call"]
SENT_PIECE = Row.metadata.tables["sent_piece"]
FORGOTTEN_PIECE = Row.metadata.tables["forgotten_piece"]
