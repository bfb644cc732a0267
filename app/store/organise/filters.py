"""Queries of saved filters and of those that were applied."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Select, bindparam, delete, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from app.store.conversation.rows import CONVERSATION
from app.store.database.upsert import insert_or_replace
from app.store.organise.rows_filters import APPLIED_FILTER, SAVED_FILTER

MAX_APPLIED = 200
"""Filters of the history that are kept."""


async def load_saved_filters(session: AsyncSession, owner: str) -> dict[str, str]:
    """An owner's saved filters by name, in alphabetical order."""
    query = select(SAVED_FILTER.c.name, SAVED_FILTER.c.filter).where(SAVED_FILTER.c.owner == owner)
    return {row.name: row.filter for row in await session.execute(query.order_by(SAVED_FILTER.c.name))}


async def write_saved_filters(session: AsyncSession, owner: str, lines: Mapping[str, str], now: datetime) -> None:
    """Keep these under their names, in the place of what was kept so before."""
    rows = [{"owner": owner, "name": name, "filter": line, "updated_at": now} for name, line in lines.items()]
    if rows:
        await session.execute(insert_or_replace(SAVED_FILTER), rows)


async def delete_saved_filter(session: AsyncSession, owner: str, name: str) -> None:
    """Delete the filter of that name."""
    await session.execute(delete(SAVED_FILTER).where(SAVED_FILTER.c.owner == owner, SAVED_FILTER.c.name == name))


@dataclass(frozen=True, slots=True)
class FilterInUse:
    """A conversation's own filter that names a saved one."""

    conversation_id: str
    title: str
    filter: str


async def load_filters_in_use(session: AsyncSession, owner: str) -> tuple[FilterInUse, ...]:
    """The conversations whose filter has an `@`, the one changed last first."""
    query = (
        select(CONVERSATION.c.id, CONVERSATION.c.title, CONVERSATION.c.filter)
        .where(CONVERSATION.c.owner == owner, CONVERSATION.c.filter.contains("@"))
        .order_by(CONVERSATION.c.updated_at.desc())
    )
    return tuple(FilterInUse(*row) for row in await session.execute(query))


async def set_conversation_filters(session: AsyncSession, lines: Mapping[str, str]) -> None:
    """Give conversations, by id, these filters."""
    if lines:
        statement = update(CONVERSATION).where(CONVERSATION.c.id == bindparam("of_id")).values(filter=bindparam("line"))
        await session.execute(statement, [{"of_id": one, "line": line} for one, line in lines.items()])


async def keep_applied(session: AsyncSession, owner: str, line: str, now: datetime) -> None:
    """Note that a filter was applied now, as the newest of the history; the oldest give way."""
    applied = {"owner": owner, "filter": line, "applied_at": now}
    await session.execute(insert_or_replace(APPLIED_FILTER), applied)
    oldest = _newest_first(owner).offset(MAX_APPLIED)
    await session.execute(
        delete(APPLIED_FILTER).where(APPLIED_FILTER.c.owner == owner, APPLIED_FILTER.c.filter.in_(oldest))
    )


async def load_applied(session: AsyncSession, owner: str) -> tuple[str, ...]:
    """The filters that were applied, the newest first."""
    return tuple((await session.execute(_newest_first(owner).limit(MAX_APPLIED))).scalars())


def _newest_first(owner: str) -> Select[str]:
    # The text decides between equal times, so that the order is one.
    order = APPLIED_FILTER.c.applied_at.desc(), APPLIED_FILTER.c.filter
    return select(APPLIED_FILTER.c.filter).where(APPLIED_FILTER.c.owner == owner).order_by(*order)
