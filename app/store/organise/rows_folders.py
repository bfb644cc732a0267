"""The table of folders. A conversation's folder is a column of the conversation."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Field

from app.store.database.row import Row


class FolderRow(Row, table=True):
    """A folder of the list of conversations. `retention_days` None: as outside; 0: never."""

    id: str = Field(primary_key=True)
    owner: str = Field(index=True)
    name: str
    created_at: datetime
    retention_days: int | None = None


FOLDER = Row.metadata.tables["folder"]
