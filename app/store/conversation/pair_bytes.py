"""Queries of the sizes of pairs in bytes, for use before the pairs are loaded.

A page of pairs has a limit in bytes (`domain/conversation/page_bytes.py`).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from sqlalchemy import LargeBinary, Select, case, cast, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from app.store.conversation.pairs import BATCH, NOT_DELETED
from app.store.conversation.rows import MESSAGE, PAIR

_REQUEST = MESSAGE.alias("request")
REPLY = MESSAGE.alias("reply")
"""The replies in the query of `select_bytes`."""


@dataclass(frozen=True, slots=True)
class PairBytes:
    """A pair, its position, and the stored size of its two messages in bytes."""

    pair_id: str
    position: int
    size: int


async def load_pair_bytes(session: AsyncSession, owner: str, pair_ids: Collection[str]) -> dict[str, int]:
    """Return the sizes of these pairs in bytes, by id. Missing ones are left out."""
    ids, found = tuple(pair_ids), dict[str, int]()
    for start in range(0, len(ids), BATCH):
        query = select_bytes().where(PAIR.c.owner == owner, PAIR.c.id.in_(ids[start : start + BATCH]))
        found |= {pair_id: size for pair_id, _, size in await session.execute(query)}
    return found


async def load_bytes_beside(
    session: AsyncSession, owner: str, conversation_id: str, *, limit: int
) -> tuple[PairBytes, ...]:
    """Return the sizes in bytes of the newest `limit` pairs of a conversation, newest first."""
    here = (PAIR.c.conversation_id == conversation_id, PAIR.c.owner == owner, NOT_DELETED)
    query = select_bytes().where(*here).order_by(PAIR.c.position.desc()).limit(limit)
    return tuple(PairBytes(*row) for row in await session.execute(query))


def select_bytes() -> Select[str, int, int]:
    """Return the query of pairs with their sizes, without a condition."""
    request, reply = (
        func.coalesce(func.length(cast(message.c.parts, LargeBinary)), 0) for message in (_REQUEST, REPLY)
    )
    size = request + case((PAIR.c.reply_id.is_(None), 0), else_=reply)
    return (
        select(PAIR.c.id, PAIR.c.position, size)
        .outerjoin(_REQUEST, _REQUEST.c.id == PAIR.c.request_id)
        .outerjoin(REPLY, REPLY.c.id == PAIR.c.reply_id)
    )
