"""The table of accounts at a sign-in provider (OpenID Connect) and whose they are."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Field

from app.store.database.row import Row


class LinkedIdentityRow(Row, table=True):
    """An account at a provider that signs a person in. The address is shown, and matches nothing."""

    issuer: str = Field(primary_key=True)
    subject: str = Field(primary_key=True)
    person_id: str = Field(foreign_key="person.id", ondelete="CASCADE", index=True)
    email: str
    linked_at: datetime


LINKED_IDENTITY = Row.metadata.tables["linked_identity"]
