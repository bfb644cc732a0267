"""A made-up row of each table for one person, with that person's mark in every text.

    await insert_rows(session, "mia")
    mark_of("message", "mia")          # in each text of that row: "zq-mia-message"

Tables and columns are read from the metadata: a new table gets a row without being named here.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final
from zlib import crc32

from sqlalchemy import JSON, Boolean, Column, DateTime, Float, Integer, LargeBinary, Numeric, Table, insert
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel.sql.sqltypes import UTCDateTime

from app.store.tables import Row

PERSONAL: Final = ("owner", "person_id", "person")
"""Columns that hold the id of a person."""


def mark_of(table: str, person_id: str) -> str:
    """What stands in the texts of the row that a person has in a table."""
    return f"zq-{person_id}-{table}"


def tables_with_a_row() -> tuple[Table, ...]:
    """The tables that get a row, each after those that it hangs on."""
    return tuple(table for table in Row.metadata.sorted_tables if table.name != "deleted_person")


async def insert_rows(session: AsyncSession, person_id: str) -> None:
    """Give a person one row of everything. Each hangs on the row of the same person above it."""
    rows: dict[str, dict[str, Any]] = {}
    for table in tables_with_a_row():
        rows[table.name] = {
            column.name: value for column in table.c if (value := _value(column, person_id, rows)) is not None
        }
        await session.execute(insert(table).values(**rows[table.name]))


def _value(column: Column[Any], person_id: str, rows: dict[str, dict[str, Any]]) -> Any:
    """A value that fits. None: the database makes one, or there need not be one."""
    table = column.table
    if table.name == "person" and column.name == "id":
        return person_id
    if column.name in PERSONAL:
        return person_id
    for key in column.foreign_keys:
        above = key.column.table
        if above is table:
            return None
        return rows[above.name][key.column.name]
    mark = mark_of(table.name, person_id)
    match column.type:
        case Boolean():
            return False
        case Integer():
            return crc32(mark.encode()) >> 2 if column.primary_key and len(table.primary_key) == 1 else 1
        case Float() | Numeric():
            return 1
        case DateTime() | UTCDateTime():
            return datetime(2026, 1, 2, tzinfo=UTC)
        case LargeBinary():
            return mark.encode()
        case JSON():
            return [mark]
        case _:
            return WORDS.get((table.name, column.name), mark)


WORDS: Final = {("pair", "lifecycle"): "succeeded", ("person", "role"): "member", ("usage_day", "day"): "2026-01-02"}
"""Columns that deletion itself reads."""
