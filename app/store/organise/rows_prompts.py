"""The table of prompts: see `domain/prompts/prompts.py`."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Text
from sqlmodel import Field

from app.store.database.row import Row


class PromptRow(Row, table=True):
    """A text that a person keeps. One that was deleted stays, with a `deleted_at`, and can be restored."""

    id: str = Field(primary_key=True)
    owner: str = Field(index=True)
    name: str
    title: str
    folder: str
    text: str = Field(sa_type=Text)
    created_at: datetime
    updated_at: datetime
    deleted_at: datetime | None
    shared_at: datetime | None


PROMPT = Row.metadata.tables["prompt"]
