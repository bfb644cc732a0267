"""Queries of provider settings: the base URL and the key that the user entered for a provider.

The caller encrypts the key first (`store/database/encryption.py`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from functools import cache, reduce
from typing import Any

from sqlalchemy import ColumnElement, Select, Text, bindparam, delete, func, insert, select
from sqlalchemy.ext.asyncio import AsyncSession

from app.store.database.damage import require_row
from app.store.settings.rows_settings import PROVIDER_SETTING


@dataclass(frozen=True, slots=True)
class ProviderSetting:
    """The settings of one provider. `sealed_key` is the encrypted key; None if no key was entered."""

    provider: str
    base_url: str | None
    sealed_key: bytes | None = field(repr=False)
    updated_at: datetime


async def load_provider_settings(session: AsyncSession, owner: str) -> tuple[ProviderSetting, ...]:
    """Return an owner's provider settings.

    Raises:
        DamagedRowError: a setting cannot be read, so the address of a call is unknown.
    """
    rows = (await session.execute(_of_owner(), {"of_owner": owner})).mappings()
    return tuple(require_row(PROVIDER_SETTING, row, _decode) for row in rows)


def select_provider_stamp(owner: str | ColumnElement[str]) -> Select[str]:
    """Select a text that changes whenever an owner's provider settings change, for use in other queries.

    A caller that caches the settings compares this text to see whether it must read them again.
    """
    values: list[ColumnElement[str]] = [func.quote(column, type_=Text()) for column in PROVIDER_SETTING.c]
    rows = func.group_concat(reduce(lambda one, next_one: one + next_one, values))
    return select(func.coalesce(rows, "")).where(PROVIDER_SETTING.c.owner == owner)


async def load_provider_stamp(session: AsyncSession, owner: str) -> str:
    """Return the text of `select_provider_stamp`."""
    return (await session.execute(_stamp_of_owner(), {"of_owner": owner})).scalar_one()


@cache
def _stamp_of_owner() -> Select[str]:
    """Build the query of `load_provider_stamp` once."""
    return select_provider_stamp(bindparam("of_owner", type_=PROVIDER_SETTING.c.owner.type))


@cache
def _of_owner() -> Select[Any]:
    """Build the query of `load_provider_settings` once: it runs whenever the settings have changed."""
    table = PROVIDER_SETTING.c
    return select(PROVIDER_SETTING).where(table.owner == bindparam("of_owner")).order_by(table.provider)


def _decode(row: Any) -> ProviderSetting:
    return ProviderSetting(row["provider"], row["base_url"], row["sealed_key"], row["updated_at"])


async def save_provider_setting(session: AsyncSession, owner: str, setting: ProviderSetting) -> None:
    """Store the settings of a provider. They replace older ones."""
    await delete_provider_setting(session, owner, setting.provider)
    await session.execute(
        insert(PROVIDER_SETTING),
        {
            "owner": owner,
            "provider": setting.provider,
            "base_url": setting.base_url,
            "sealed_key": setting.sealed_key,
            "updated_at": setting.updated_at,
        },
    )


async def delete_provider_setting(session: AsyncSession, owner: str, provider: str) -> None:
    table = PROVIDER_SETTING.c
    await session.execute(delete(PROVIDER_SETTING).where(table.owner == owner, table.provider == provider))
