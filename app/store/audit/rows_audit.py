"""The table of the audit trail. It has no foreign key, so its entries stay when a conversation is deleted."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import JSON, Index
from sqlmodel import Field

from app.store.database.row import Json, Row


class AuditRow(Row, table=True):
    """An entry of the audit trail. The database refuses to change or delete it.

    - `subject`: the id of the object of the action.
    - `data`: details, which depend on the action.
    - `via`: how the client reached Inview: "page" or "api"; "": no client acted, or the entry is older.
    - `address`: the network address of the client.
    """

    __table_args__ = (
        Index(None, "owner", "id"),
        Index(None, "owner", "conversation_id", "id"),
        {"sqlite_autoincrement": True},
    )

    id: int = Field(primary_key=True)
    owner: str
    at: datetime
    action: str
    subject: str
    conversation_id: str | None
    data: Json = Field(sa_type=JSON)
    via: str = Field(default="", sa_column_kwargs={"server_default": ""})
    address: str = Field(default="", sa_column_kwargs={"server_default": ""})


AUDIT = Row.metadata.tables["audit"]
