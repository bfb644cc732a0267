"""The tables of persons, sessions and one-time links (`domain/people/people.py`). Of tokens only hashes are stored."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Field

from app.store.database.row import Row


class PersonRow(Row, table=True):
    """Somebody who can sign in. `password_hash` is argon2id in PHC format."""

    id: str = Field(primary_key=True)
    name: str
    email: str = Field(unique=True)
    role: str
    password_hash: str
    disabled: bool
    created_at: datetime


class SessionRow(Row, table=True):
    """A browser that is signed in, until it is revoked or not used for long.

    `proved_at` is when its person last typed the password (`runs/people/proof.py`).
    """

    id: str = Field(primary_key=True)
    person_id: str = Field(foreign_key="person.id", ondelete="CASCADE", index=True)
    token_hash: str = Field(unique=True)
    created_at: datetime
    used_at: datetime
    agent: str
    address: str
    revoked_at: datetime | None
    proved_at: datetime | None


class InvitationRow(Row, table=True):
    """A link that works once. With a person, it sets that person's password; else it makes a person with the role."""

    id: str = Field(primary_key=True)
    token_hash: str = Field(unique=True)
    role: str
    person_id: str | None = Field(foreign_key="person.id", ondelete="CASCADE", index=True)
    created_at: datetime
    expires_at: datetime


class DeletedPersonRow(Row, table=True):
    """The id of a person who was deleted. It owns rows of the ledger; its entries of the audit trail may be deleted."""

    id: str = Field(primary_key=True)
    deleted_at: datetime


PERSON = Row.metadata.tables["person"]
SESSION = Row.metadata.tables["session"]
INVITATION = Row.metadata.tables["invitation"]
DELETED_PERSON = Row.metadata.tables["deleted_person"]
