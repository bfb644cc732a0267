"""The tables of provider settings and preferences."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, LargeBinary, Text
from sqlmodel import Field

from app.store.database.row import Row


class ProviderSettingRow(Row, table=True):
    """The settings that the user entered for a provider.

    `sealed_key` is readable only with the key file (see `store/database/encryption.py`).
    """

    owner: str = Field(primary_key=True)
    provider: str = Field(primary_key=True)
    base_url: str | None = Field(sa_type=Text)
    sealed_key: bytes | None = Field(sa_type=LargeBinary)
    updated_at: datetime


class PreferenceRow(Row, table=True):
    """A preference that the user changed. All others have their defaults (`domain/settings/preferences.py`)."""

    owner: str = Field(primary_key=True)
    name: str = Field(primary_key=True)
    value: Any = Field(sa_type=JSON)
    updated_at: datetime


PROVIDER_SETTING = Row.metadata.tables["provider_setting"]
PREFERENCE = Row.metadata.tables["preference"]
