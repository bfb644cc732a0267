"""The tables of attachments: the bytes, once per owner, and the conversations that use them.

When a conversation is deleted, its uses of attachments are deleted with it. Then `attachments.py` deletes unused
bytes.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Index, LargeBinary
from sqlmodel import Field

from app.store.database.row import Row


class AttachmentRow(Row, table=True):
    """The bytes of an image or a file. `id` is their SHA-256 in hex.

    `data` is the last column, because columns after it would be slow to read.
    """

    owner: str = Field(primary_key=True)
    id: str = Field(primary_key=True)
    media_type: str
    name: str
    size: int
    created_at: datetime
    data: bytes = Field(sa_type=LargeBinary)


class AttachmentUseRow(Row, table=True):
    """The use of an attachment by messages of a conversation."""

    __table_args__ = (Index(None, "owner", "attachment_id"),)

    conversation_id: str = Field(foreign_key="conversation.id", ondelete="CASCADE", primary_key=True)
    attachment_id: str = Field(primary_key=True)
    owner: str


ATTACHMENT = Row.metadata.tables["attachment"]
ATTACHMENT_USE = Row.metadata.tables["attachment_use"]
