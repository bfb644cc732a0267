"""The tables of saved and applied filters. The filter in use is a column of the conversation."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Field

from app.store.database.row import Row


class SavedFilterRow(Row, table=True):
    """A saved filter. Other filters name it as `@name`."""

    owner: str = Field(primary_key=True)
    name: str = Field(primary_key=True)
    filter: str
    updated_at: datetime


class AppliedFilterRow(Row, table=True):
    """An entry of the filter history: a filter, with the time when it was last applied."""

    owner: str = Field(primary_key=True)
    filter: str = Field(primary_key=True)
    applied_at: datetime


SAVED_FILTER = Row.metadata.tables["saved_filter"]
APPLIED_FILTER = Row.metadata.tables["applied_filter"]
