"""Loads the rows of a pair, a conversation or a saved filter exactly as they are stored, for "Export raw".

Bytes, and texts that are not UTF-8, are encoded as base64.
"""

from __future__ import annotations

import math
from base64 import b64encode
from typing import Any

from sqlalchemy import ColumnElement, Integer, Table, literal_column, or_, select, type_coerce
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.types import NullType

from app.domain.errors import NotFoundError
from app.store.conversation.rows import CONVERSATION, MESSAGE, PAIR, RUN, SNAPSHOT, VERSION
from app.store.database.damage import Unreadable, raw_bytes
from app.store.database.row import Json
from app.store.filters.rows_filters import SAVED_FILTER
from app.store.tools.rows_tools import TOOL_CALL


async def load_raw_conversation(session: AsyncSession, owner: str, conversation_id: str) -> dict[str, list[Json]]:
    """Return the row of a conversation, without its pairs.

    Raises:
        NotFoundError: this owner has no conversation with that id.
    """
    found = await _load(session, CONVERSATION, CONVERSATION.c.id == conversation_id, CONVERSATION.c.owner == owner)
    if not found:
        raise NotFoundError("conversation", conversation_id)
    return {"conversation": found}


async def load_raw_filter(session: AsyncSession, owner: str, number: int) -> dict[str, list[Json]]:
    """Return the row of a saved filter.

    Raises:
        NotFoundError: this owner has no row with that number.
    """
    rowid: ColumnElement[int] = literal_column("saved_filter.rowid", Integer)
    found = await _load(session, SAVED_FILTER, rowid == number, SAVED_FILTER.c.owner == owner)
    if not found:
        raise NotFoundError("saved filter", str(number))
    return {"saved_filter": found}


async def load_raw_rows(session: AsyncSession, owner: str, pair_id: str) -> dict[str, list[Json]]:
    """Return all rows of a pair, by table. The pair may be deleted.

    Raises:
        NotFoundError: this owner has no pair with that id.
    """
    pairs = await _load(session, PAIR, PAIR.c.id == pair_id, PAIR.c.owner == owner)
    if not pairs:
        raise NotFoundError("pair", pair_id)
    stands = [pairs[0][name] for name in ("request_id", "reply_id") if isinstance(pairs[0][name], str)]
    runs = select(RUN.c.id).where(RUN.c.pair_id == pair_id)
    return {
        "pair": pairs,
        "message": await _load(session, MESSAGE, or_(MESSAGE.c.pair_id == pair_id, MESSAGE.c.id.in_(stands))),
        "version": await _load(session, VERSION, VERSION.c.pair_id == pair_id),
        "run": await _load(session, RUN, RUN.c.pair_id == pair_id),
        "snapshot": await _load(session, SNAPSHOT, SNAPSHOT.c.pair_id == pair_id),
        "tool_call": await _load(session, TOOL_CALL, TOOL_CALL.c.run_id.in_(runs)),
    }


async def _load(session: AsyncSession, table: Table, *conditions: ColumnElement[bool]) -> list[Json]:
    columns = (type_coerce(column, NullType()).label(column.name) for column in table.c)
    rows = (await session.execute(select(*columns).where(*conditions))).mappings()
    return [{name: _plain_value(value) for name, value in row.items()} for row in rows]


def _plain_value(value: Any) -> Any:
    if isinstance(value, bytes | Unreadable):
        return {"base64": b64encode(raw_bytes(value)).decode()}
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value
