"""The tables of the audit trail. The database itself refuses to change or delete an entry.

Neither hangs on anything: what an entry names may be deleted.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import JSON, Index
from sqlmodel import Field

from app.store.database.row import Json, Row


class AuditRow(Row, table=True):
    """Who did what when. `person` is an id, "" for somebody who was not signed in; `subject` that of the object.

    `note_hash` is "" without a note. `hash` covers the hash of the entry before it (`domain/people/audit.py`).
    """

    __table_args__ = (
        Index(None, "person", "id"),
        Index(None, "action", "id"),
        Index(None, "subject", "id"),
        {"sqlite_autoincrement": True},
    )

    id: int = Field(primary_key=True)
    at: datetime
    person: str
    credential: str
    action: str
    kind: str
    subject: str
    conversation_id: str | None
    data: Json = Field(sa_type=JSON)
    note_hash: str
    hash: str


class AuditNoteRow(Row, table=True):
    """What an entry says that goes when its person is deleted. It is deleted for deleted persons alone."""

    __table_args__ = (Index(None, "owner"),)

    entry_id: int = Field(primary_key=True)
    owner: str
    salt: bytes
    data: Json = Field(sa_type=JSON)


AUDIT = Row.metadata.tables["audit"]
AUDIT_NOTE = Row.metadata.tables["audit_note"]
