"""Queries of cache keep-alive (small calls that keep a provider's cache from expiring): one row per conversation."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from sqlalchemy import ColumnElement, CursorResult, delete, insert, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.errors import StoreError
from app.store.cache.rows_keep_warm import KEEP_WARM
from app.store.database.damage import UNKNOWN_TIME, read_row
from app.store.database.row import Json

DAMAGED = "The stored settings cannot be read, so nothing is kept warm. Start it again."
"""The reason shown when keep-alive ended because its row is damaged."""
OPTION_FIELDS = frozenset({"filter", "model", "topic", "zone", "tool_mode", "agent"})
"""The fields of stored view options."""


@dataclass(frozen=True, slots=True)
class Keeping:
    """A stored cache keep-alive: the order to keep a provider's cache for a conversation from expiring.

    `look` has the view options as JSON. `KeepWarmRow` explains the other fields. A row that cannot be read counts as a
    keep-alive that has ended, because no money may be spent on unknown settings.
    """

    conversation_id: str
    owner: str
    look: Json
    until: datetime
    started_at: datetime
    made_id: str | None = None
    ended_at: datetime | None = None
    words: str | None = None


async def load_keeping(session: AsyncSession, owner: str, conversation_id: str) -> Keeping | None:
    query = select(KEEP_WARM).where(KEEP_WARM.c.conversation_id == conversation_id, KEEP_WARM.c.owner == owner)
    row = (await session.execute(query)).mappings().one_or_none()
    return None if row is None else _read(row)


async def list_open(session: AsyncSession) -> tuple[Keeping, ...]:
    """Return every keep-alive that has not ended, of all owners."""
    query = select(KEEP_WARM).where(KEEP_WARM.c.ended_at.is_(None))
    found = map(_read, (await session.execute(query)).mappings())
    return tuple(keeping for keeping in found if keeping.ended_at is None)


async def put_keeping(session: AsyncSession, keeping: Keeping) -> None:
    """Store the keep-alive of a conversation. It replaces an earlier one."""
    await session.execute(delete(KEEP_WARM).where(KEEP_WARM.c.conversation_id == keeping.conversation_id))
    await session.execute(
        insert(KEEP_WARM),
        {
            "conversation_id": keeping.conversation_id,
            "owner": keeping.owner,
            "look": keeping.look,
            "until": keeping.until,
            "started_at": keeping.started_at,
            "made_id": keeping.made_id,
            "ended_at": keeping.ended_at,
            "words": keeping.words,
        },
    )


async def claim_refresh(session: AsyncSession, keeping: Keeping, made_id: str) -> bool:
    """Claim the next call that reads the cache, so that only one caller makes it. Return True if it was claimed.

    `made_id` is the child conversation that the caller will use for the call. Return False if the keep-alive ended or
    was started again, or if another caller claimed this call.
    """
    made_before = KEEP_WARM.c.made_id.is_not_distinct_from(keeping.made_id)
    claimed = await session.execute(update(KEEP_WARM).where(*_still(keeping), made_before).values(made_id=made_id))
    return bool(cast("CursorResult[Any]", claimed).rowcount)


async def end_keeping(session: AsyncSession, keeping: Keeping, at: datetime, words: str | None) -> None:
    """Mark a keep-alive as ended, unless it has ended or was started again. `words` is the reason for an early end."""
    await session.execute(update(KEEP_WARM).where(*_still(keeping)).values(ended_at=at, words=words))


async def forget_keeping(session: AsyncSession, conversation_id: str) -> None:
    await session.execute(delete(KEEP_WARM).where(KEEP_WARM.c.conversation_id == conversation_id))


def _read(row: Any) -> Keeping:
    over = Keeping(row["conversation_id"], row["owner"], {}, UNKNOWN_TIME, UNKNOWN_TIME, None, UNKNOWN_TIME, DAMAGED)
    return read_row(KEEP_WARM, row, _decode, over)


def _decode(row: Any) -> Keeping:
    require_options(row["look"])
    return Keeping(**row)


def require_options(options: Any) -> None:
    """Check that a stored JSON object has exactly the fields of view options, each a string or None.

    Raises:
        StoreError: it has other fields or other values.
    """
    if options.keys() != OPTION_FIELDS:
        raise StoreError("it has other fields than a view")
    for value in options.values():
        if not isinstance(value, str | None):
            raise StoreError(f"it has {type(value).__name__}, not str")


def _still(keeping: Keeping) -> tuple[ColumnElement[bool], ...]:
    return (
        KEEP_WARM.c.conversation_id == keeping.conversation_id,
        KEEP_WARM.c.started_at == keeping.started_at,
        KEEP_WARM.c.ended_at.is_(None),
    )
