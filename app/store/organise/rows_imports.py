"""The table of imported conversations, each with its id in the other application."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Field

from app.store.database.row import Row


class ImportedRow(Row, table=True):
    """That `conversation_id` is conversation `foreign_id` of an export in this format.

    `digest` is that of what the export said; `revision` the conversation's own after the import, so that a later change
    here can be seen. `import_id` names the import that brought it.
    """

    owner: str = Field(primary_key=True)
    format: str = Field(primary_key=True)
    foreign_id: str = Field(primary_key=True)
    conversation_id: str = Field(foreign_key="conversation.id", ondelete="CASCADE", index=True)
    import_id: str = Field(index=True)
    digest: str
    revision: int
    imported_at: datetime


IMPORTED = Row.metadata.tables["imported"]
