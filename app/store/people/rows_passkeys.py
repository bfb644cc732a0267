"""The table of passkeys and whose they are. Of a passkey only the public key is stored, which signs nobody in."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Field

from app.store.database.row import Row


class PasskeyRow(Row, table=True):
    """A passkey. `credential_id` and `public_key` (COSE) are base64url; `transports` are separated by blanks."""

    id: str = Field(primary_key=True)
    person_id: str = Field(foreign_key="person.id", ondelete="CASCADE", index=True)
    name: str
    credential_id: str = Field(unique=True)
    public_key: str
    sign_count: int
    transports: str
    created_at: datetime
    used_at: datetime | None


PASSKEY = Row.metadata.tables["passkey"]
