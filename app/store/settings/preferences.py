"""Queries of preferences: what an owner set, one row each."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from functools import cache, lru_cache
from typing import Any, Final

import orjson
from pydantic import TypeAdapter, ValidationError
from sqlalchemy import ColumnElement, Select, String, bindparam, delete, insert, select
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.preferences import Preferences
from app.store.database.damage import note_damage
from app.store.database.json_sql import object_of, or_empty
from app.store.settings.rows_settings import PREFERENCE

_ADAPTER = TypeAdapter(Preferences)
NO_JSON: Final = '{"unreadable": true}'
"""What stands for a value that is no JSON: none that a preference can have."""


async def load_preferences(session: AsyncSession, owner: str) -> Preferences:
    """An owner's preferences; the default of what cannot be read."""
    return read_preferences((await session.execute(_select_of_owner(), {"of_owner": owner})).scalar_one())


@cache
def _select_of_owner() -> Select[str]:
    """What `load_preferences` asks: made once."""
    return select_preferences(bindparam("of_owner", type_=String()))


def select_preferences(owner: str | ColumnElement[str]) -> Select[str]:
    """What an owner set as one text, to be asked for together with other things; `read_preferences` reads it."""
    one = object_of(PREFERENCE.c.name, or_empty(PREFERENCE.c.value, NO_JSON))
    return select(one).where(PREFERENCE.c.owner == owner)


@lru_cache(maxsize=64)
def read_preferences(stored: str) -> Preferences:
    """What `select_preferences` gave; the default of what cannot be read (`list_unreadable`)."""
    try:
        return _ADAPTER.validate_json(stored)
    except ValidationError:
        unreadable = list_unreadable(stored)
    for name in unreadable:
        note_damage("preference", name, "value", "it is none of the values that this preference can have")
    kept = {name: value for name, value in orjson.loads(stored).items() if name not in unreadable}
    return _ADAPTER.validate_python(kept)


@lru_cache(maxsize=64)
def list_unreadable(stored: str) -> tuple[str, ...]:
    """The names of those of `select_preferences` that cannot be read."""
    values: dict[str, object] = orjson.loads(stored)
    return tuple(name for name, value in values.items() if not _can_be_read(name, value))


def _can_be_read(name: str, value: object) -> bool:
    try:
        _ADAPTER.validate_python({name: value})
    except ValidationError:
        return False
    return True


async def save_preferences(session: AsyncSession, owner: str, wanted: Preferences, now: datetime) -> None:
    """Keep what differs from the usual, in the place of all that was kept before."""
    values: Mapping[str, Any] = _ADAPTER.dump_python(wanted, mode="json")
    usual: Mapping[str, Any] = _ADAPTER.dump_python(Preferences(), mode="json")
    rows = [
        {"owner": owner, "name": name, "value": value, "updated_at": now}
        for name, value in values.items()
        if value != usual[name]
    ]
    await session.execute(delete(PREFERENCE).where(PREFERENCE.c.owner == owner))
    if rows:
        await session.execute(insert(PREFERENCE), rows)
