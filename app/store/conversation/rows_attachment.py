"""The tables of attachments: bytes once per owner, and which conversations they belong to.

Who deletes a conversation deletes its uses with it, and then the bytes that nothing uses any more (`attachments.py`).
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Index, LargeBinary
from sqlmodel import Field

from app.store.database.row import Row


class AttachmentRow(Row, table=True):
    """The bytes of an image or a file. `id` is their SHA-256, hex. They are last: what stands behind them is slow."""

    owner: str = Field(primary_key=True)
    id: str = Field(primary_key=True)
    media_type: str
    name: str
    size: int
    created_at: datetime
    data: bytes = Field(sa_type=LargeBinary)


class AttachmentUseRow(Row, table=True):
    """That parts of a conversation's messages name an attachment."""

    __table_args__ = (Index(None, "owner", "attachment_id"),)

    conversation_id: str = Field(foreign_key="conversation.id", ondelete="CASCADE", primary_key=True)
    attachment_id: str = Field(primary_key=True)
    owner: str


ATTACHMENT = Row.metadata.tables["attachment"]
ATTACHMENT_USE = Row.metadata.tables["attachment_use"]
