"""Queries of provider settings: a base URL, and a key that arrives encrypted (`store/database/encryption.py`)."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import Select, bindparam, delete, insert, select
from sqlalchemy.ext.asyncio import AsyncSession

from app.store.settings.rows_settings import PROVIDER_SETTING


@dataclass(frozen=True, slots=True)
class ProviderSetting:
    """One provider's entry. `sealed_key` None: no key was entered."""

    provider: str
    base_url: str | None
    sealed_key: bytes | None = field(repr=False)
    updated_at: datetime


async def load_provider_settings(session: AsyncSession, owner: str) -> tuple[ProviderSetting, ...]:
    return tuple(ProviderSetting(*row) for row in await session.execute(_of_owner(), {"of_owner": owner}))


@cache
def _of_owner() -> Select[Any, Any, Any, Any]:
    """What `load_provider_settings` asks, and so each look at a conversation: made once."""
    table = PROVIDER_SETTING.c
    query = select(table.provider, table.base_url, table.sealed_key, table.updated_at)
    return query.where(table.owner == bindparam("of_owner")).order_by(table.provider)


async def save_provider_setting(session: AsyncSession, owner: str, setting: ProviderSetting) -> None:
    """Store an entry in the place of an older one."""
    await delete_provider_setting(session, owner, setting.provider)
    await session.execute(
        insert(PROVIDER_SETTING).values(
            owner=owner,
            provider=setting.provider,
            base_url=setting.base_url,
            sealed_key=setting.sealed_key,
            updated_at=setting.updated_at,
        )
    )


async def delete_provider_setting(session: AsyncSession, owner: str, provider: str) -> None:
    table = PROVIDER_SETTING.c
    await session.execute(delete(PROVIDER_SETTING).where(table.owner == owner, table.provider == provider))
