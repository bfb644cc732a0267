"""Queries of what runs now, in whatever process."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import select, text
from sqlalchemy.ext.asyncio import AsyncSession

from app.store.conversation.rows import IS_RUNNING_PAIR, PAIR


@dataclass(frozen=True, slots=True)
class Running:
    """A run that has not ended, and where."""

    run_id: str
    conversation_id: str


async def list_running(session: AsyncSession, owner: str, conversation_id: str | None = None) -> tuple[Running, ...]:
    """The running replies of an owner, in one conversation or in all; without pairs whose run is not stored yet."""
    query = select(PAIR.c.run_id, PAIR.c.conversation_id).where(PAIR.c.owner == owner, text(IS_RUNNING_PAIR))
    if conversation_id is not None:
        query = query.where(PAIR.c.conversation_id == conversation_id)
    rows = (await session.execute(query.where(PAIR.c.run_id.is_not(None)))).all()
    return tuple(Running(row.run_id, row.conversation_id) for row in rows)
