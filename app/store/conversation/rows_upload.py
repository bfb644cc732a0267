"""The table of uploads: files for messages that are not sent yet. Their bytes are attachments."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Field

from app.store.database.row import Row


class UploadRow(Row, table=True):
    """That somebody has attached these bytes to a draft. Sizes are pixels, see `domain/conversation/uploads.py`.

    `pages` is 0 of what is no document; `other_id` names the same document in its other form, "" if there is none.
    """

    owner: str = Field(primary_key=True)
    attachment_id: str = Field(primary_key=True)
    kind: str
    name: str
    width: int
    height: int
    full_width: int
    full_height: int
    pages: int
    textless: int
    characters: int
    other_id: str
    created_at: datetime


UPLOAD = Row.metadata.tables["upload"]
