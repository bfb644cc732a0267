"""Queries of preferences. Each preference that the user changed has a row."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from functools import lru_cache
from typing import Any

import orjson
from pydantic import TypeAdapter, ValidationError
from sqlalchemy import ColumnElement, Select, case, delete, func, insert, select
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.conversation.damage import DamagedRowError
from app.domain.settings.preferences import Preferences
from app.store.database.damage import Reading, raw_bytes
from app.store.settings.rows_settings import PREFERENCE

_ADAPTER = TypeAdapter(Preferences)


async def load_preferences(session: AsyncSession, owner: str) -> Preferences:
    """Return an owner's preferences.

    Raises:
        DamagedRowError: this version cannot read a stored preference.
    """
    return decode_preferences((await session.execute(select_preferences(owner))).scalar_one())


def select_preferences(owner: str | ColumnElement[str]) -> Select[str]:
    """Select an owner's preferences as one text, for use in other queries. `decode_preferences` decodes the text.

    If a stored value is not JSON, the text is empty, because SQLite would otherwise fail the whole query.
    `decode_preferences` refuses an empty text.
    """
    value = PREFERENCE.c.value
    stored = func.json_group_object(PREFERENCE.c.name, case((func.json_valid(value) == 1, func.json(value))))
    return select(case((func.min(func.json_valid(value)) == 0, ""), else_=stored)).where(PREFERENCE.c.owner == owner)


@lru_cache(maxsize=64)
def decode_preferences(stored: str) -> Preferences:
    """Decode the result of `select_preferences`.

    Raises:
        DamagedRowError: this version cannot read a stored preference.
    """
    try:
        return _ADAPTER.validate_json(stored)
    except ValidationError as error:
        reading = Reading(PREFERENCE.name, "(without an id)")
        reading.note("value", "it does not have the expected format", len(raw_bytes(stored)))
        raise DamagedRowError(reading.damage[0]) from error


def require_preference(name: str, value: Any) -> None:
    """Check that this version can read a preference.

    Raises:
        ValueError: this version cannot read it.
    """
    _ADAPTER.validate_json(orjson.dumps({name: value}))


async def save_preferences(session: AsyncSession, owner: str, preferences: Preferences, now: datetime) -> None:
    """Store the preferences that differ from the defaults. They replace all stored preferences."""
    values: Mapping[str, Any] = _ADAPTER.dump_python(preferences, mode="json")
    usual: Mapping[str, Any] = _ADAPTER.dump_python(Preferences(), mode="json")
    rows = [
        {"owner": owner, "name": name, "value": value, "updated_at": now}
        for name, value in values.items()
        if value != usual[name]
    ]
    await session.execute(delete(PREFERENCE).where(PREFERENCE.c.owner == owner))
    if rows:
        await session.execute(insert(PREFERENCE), rows)
