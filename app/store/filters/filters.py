"""Queries of saved filters and of applied filters (the history)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, Integer, bindparam, delete, literal_column, select, update
from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.errors import StoreError
from app.domain.filters.language.errors import FilterError
from app.domain.filters.language.parser import parse_filter
from app.domain.filters.saved import UNREADABLE
from app.domain.filters.saved_rules import AppliedFilter, SavedFilter
from app.store.conversation.rows import CONVERSATION
from app.store.database.damage import Reading, a_text
from app.store.database.mapping import NO_FILTER
from app.store.filters.rows_filters import APPLIED_FILTER, SAVED_FILTER

MAX_APPLIED = 200
"""Maximum number of filters in the history."""


UNREADABLE_NAME = "(its name cannot be read)"
"""The name shown for a saved filter whose stored name cannot be read. It is not valid after an `@`."""
_rowid: ColumnElement[int] = literal_column("saved_filter.rowid", Integer)
_applied_rowid: ColumnElement[int] = literal_column("applied_filter.rowid", Integer)
# Filters with equal times are sorted by text, so that the order is always the same.
_NEWEST_FIRST = APPLIED_FILTER.c.applied_at.desc(), APPLIED_FILTER.c.filter


async def load_saved_filters(session: AsyncSession, owner: str) -> dict[str, str]:
    """Return an owner's saved filters by name, in alphabetical order. Filters with an unreadable name are left out."""
    query = select(SAVED_FILTER.c.name, SAVED_FILTER.c.filter, _rowid).where(SAVED_FILTER.c.owner == owner)
    rows = await session.execute(query.order_by(SAVED_FILTER.c.name))
    return {
        name: _read_line("saved_filter", f"number {number}", line)
        for name, line, number in rows
        if isinstance(name, str)
    }


async def list_saved_filters(session: AsyncSession, owner: str) -> tuple[SavedFilter, ...]:
    """Return all saved filters of an owner in alphabetical order, including unreadable ones."""
    query = select(SAVED_FILTER.c.name, SAVED_FILTER.c.filter, _rowid).where(SAVED_FILTER.c.owner == owner)
    rows = await session.execute(query.order_by(SAVED_FILTER.c.name))
    return tuple(_decode(number, name, line) for name, line, number in rows)


def require_filter(line: str) -> object:
    """Check that a line is a filter.

    Raises:
        StoreError: the line is not a filter.
    """
    try:
        return parse_filter(line)
    except FilterError:
        raise StoreError(NO_FILTER) from None


def _decode(number: int, name: object, line: object) -> SavedFilter:
    reading = Reading("saved_filter", f"number {number}")
    known = reading.take("name", name, a_text, UNREADABLE_NAME)
    text = _take_filter(reading, line)
    return SavedFilter(number, known, text, tuple(reading.damage))


def _decode_applied(number: int, line: object) -> AppliedFilter:
    reading = Reading("applied_filter", f"number {number}")
    text = _take_filter(reading, line)
    return AppliedFilter(number, text, tuple(reading.damage))


def _take_filter(reading: Reading, line: object) -> str:
    text = reading.take("filter", line, a_text, UNREADABLE)
    if isinstance(line, str):  # show the text even if it is not a filter
        reading.take("filter", line, require_filter, None)
    return text


def _read_line(table: str, row_id: object, stored: object) -> str:
    return Reading(table, str(row_id)).take("filter", stored, a_text, UNREADABLE)


async def write_saved_filters(session: AsyncSession, owner: str, lines: Mapping[str, str], now: datetime) -> None:
    """Store these filters by name. They replace filters with the same names."""
    rows = [{"owner": owner, "name": name, "filter": line, "updated_at": now} for name, line in lines.items()]
    if rows:
        statement = insert(SAVED_FILTER)
        new = {"filter": statement.excluded.filter, "updated_at": statement.excluded.updated_at}
        await session.execute(statement.on_conflict_do_update(index_elements=SAVED_FILTER.primary_key, set_=new), rows)


async def delete_saved_filter(session: AsyncSession, owner: str, name: str) -> None:
    """Delete the filter with this name."""
    await session.execute(delete(SAVED_FILTER).where(SAVED_FILTER.c.owner == owner, SAVED_FILTER.c.name == name))


async def delete_saved_row(session: AsyncSession, owner: str, number: int) -> None:
    """Delete the saved filter with this row number."""
    await session.execute(delete(SAVED_FILTER).where(SAVED_FILTER.c.owner == owner, _rowid == number))


@dataclass(frozen=True, slots=True)
class FilterInUse:
    """A conversation whose filter names a saved filter (`@name`)."""

    conversation_id: str
    title: str
    filter: str


async def load_filters_in_use(session: AsyncSession, owner: str) -> tuple[FilterInUse, ...]:
    """Return the conversations with an `@` in their filter, the most recently changed one first."""
    query = (
        select(CONVERSATION.c.id, CONVERSATION.c.title, CONVERSATION.c.filter)
        .where(CONVERSATION.c.owner == owner, CONVERSATION.c.filter.contains("@"))
        .order_by(CONVERSATION.c.updated_at.desc())
    )
    rows = await session.execute(query)
    return tuple(
        FilterInUse(one, title if isinstance(title, str) else "", _read_line("conversation", one, line))
        for one, title, line in rows
    )


async def set_conversation_filters(session: AsyncSession, lines: Mapping[str, str]) -> None:
    """Set the filters of these conversations. `lines` has the filters by the id of the conversation."""
    if lines:
        statement = update(CONVERSATION).where(CONVERSATION.c.id == bindparam("of_id")).values(filter=bindparam("line"))
        await session.execute(statement, [{"of_id": one, "line": line} for one, line in lines.items()])


async def keep_applied(session: AsyncSession, owner: str, line: str, now: datetime) -> None:
    """Add a filter to the history as the newest entry, and delete the oldest entries beyond `MAX_APPLIED`."""
    statement = insert(APPLIED_FILTER).values(owner=owner, filter=line, applied_at=now)
    new = {"applied_at": statement.excluded.applied_at}
    await session.execute(statement.on_conflict_do_update(index_elements=APPLIED_FILTER.primary_key, set_=new))
    oldest = select(APPLIED_FILTER.c.filter).where(APPLIED_FILTER.c.owner == owner).order_by(*_NEWEST_FIRST)
    await session.execute(
        delete(APPLIED_FILTER).where(
            APPLIED_FILTER.c.owner == owner, APPLIED_FILTER.c.filter.in_(oldest.offset(MAX_APPLIED))
        )
    )


async def list_applied(session: AsyncSession, owner: str) -> tuple[AppliedFilter, ...]:
    """Return the filter history: the applied filters, newest first, including unreadable ones."""
    query = select(_applied_rowid, APPLIED_FILTER.c.filter).where(APPLIED_FILTER.c.owner == owner)
    rows = await session.execute(query.order_by(*_NEWEST_FIRST).limit(MAX_APPLIED))
    return tuple(_decode_applied(number, line) for number, line in rows)


async def delete_applied_row(session: AsyncSession, owner: str, number: int) -> None:
    """Delete the entry of the filter history with this row number."""
    await session.execute(delete(APPLIED_FILTER).where(APPLIED_FILTER.c.owner == owner, _applied_rowid == number))
