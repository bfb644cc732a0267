"""The table of uploads: files for messages that are not sent yet. Their bytes are attachments."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Index
from sqlmodel import Field

from app.store.database.row import Row


class UploadRow(Row, table=True):
    """A file that the user attached to a draft. Sizes are in pixels, see `domain/attachments/uploads.py`.

    If the same bytes are attached twice, there are two uploads, each with its name. `taken_by` is the conversation with
    the message that last took the upload; None while the upload is in a draft.
    """

    __table_args__ = (Index(None, "owner", "attachment_id"),)

    owner: str = Field(primary_key=True)
    id: str = Field(primary_key=True)
    attachment_id: str
    kind: str
    name: str
    width: int
    height: int
    full_width: int
    full_height: int
    created_at: datetime
    taken_by: str | None = Field(default=None, index=True)


UPLOAD = Row.metadata.tables["upload"]
