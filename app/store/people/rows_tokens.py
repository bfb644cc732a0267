"""The table of API tokens (`domain/people/tokens.py`). Of a token only its hash and its last characters are stored."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Field

from app.store.database.row import Row


class ApiTokenRow(Row, table=True):
    """A token of a program. `scopes` are names with spaces between. The owner need not be a person: see accounts."""

    id: str = Field(primary_key=True)
    owner: str = Field(index=True)
    name: str
    scopes: str
    token_hash: str = Field(unique=True)
    hint: str
    created_at: datetime
    expires_at: datetime | None
    used_at: datetime | None
    revoked_at: datetime | None


API_TOKEN = Row.metadata.tables["api_token"]
