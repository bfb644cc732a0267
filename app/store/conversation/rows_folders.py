"""The table of folders. The folder of a conversation is a column of the conversation.

No foreign key connects them: temporary conversations are in another database. A folder is never deleted from the table.
"""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Field

from app.store.database.row import Row


class FolderRow(Row, table=True):
    """A folder. If it is deleted, it stays stored with its `deleted_at`, and can be restored."""

    id: str = Field(primary_key=True)
    owner: str = Field(index=True)
    name: str
    metadata_json: str = Field(sa_column_kwargs={"server_default": ""})
    created_at: datetime
    updated_at: datetime
    deleted_at: datetime | None


FOLDER = Row.metadata.tables["folder"]
