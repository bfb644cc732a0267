"""Query of the panels on a conversation's page: queue, comparison, permission requests. Most pages have none."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from sqlalchemy import ColumnElement, Select, bindparam, or_, select, text
from sqlalchemy.ext.asyncio import AsyncSession

from app.store.conversation.rows_comparison import COMPARISON
from app.store.run.rows_queue import QUEUED
from app.store.tools.rows_permissions import IS_PENDING, PERMISSION_REQUEST


@dataclass(frozen=True, slots=True)
class FilledPanels:
    """The panels of a conversation that have content: an open comparison, queued texts, pending requests."""

    queue: bool
    comparison: bool
    permissions: bool


async def find_filled(session: AsyncSession, owner: str, conversation_id: str) -> FilledPanels:
    """Return which panels of a conversation have content, in one query."""
    row = (await session.execute(_select_filled(), {"conversation": conversation_id, "of_owner": owner})).one()
    return FilledPanels(*map(bool, row))


@cache
def _select_filled() -> Select[bool, bool, bool]:
    """Build the query of `find_filled` once."""
    here: ColumnElement[str] = bindparam("conversation", type_=QUEUED.c.conversation_id.type)
    owner: ColumnElement[str] = bindparam("of_owner", type_=QUEUED.c.owner.type)
    queued, compared, asked = QUEUED.c, COMPARISON.c, PERMISSION_REQUEST.c
    shown_here = or_(asked.shown_in == here, asked.conversation_id == here)
    return select(
        select(queued.id).where(queued.conversation_id == here, queued.owner == owner).exists(),
        select(compared.id)
        .where(compared.conversation_id == here, compared.owner == owner, compared.closed_at.is_(None))
        .exists(),
        select(asked.id).where(text(IS_PENDING), asked.owner == owner, shown_here).exists(),
    )
