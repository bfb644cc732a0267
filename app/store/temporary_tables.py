"""Tables in memory on PostgreSQL: temporary tables of one connection, which stand in front of those with their names.

    async with open_temporary_tables(url, tables) as engine: ...

A temporary table is seen by its connection alone, is in no log of changes, no replica and no copy by `pg_dump`, and is
gone when the connection ends, however it does. The server keeps `BUFFERS` of them in memory; what is more it may write
into files of its own, which it deletes.

All sessions share the one connection, one after the other: who has a session open must not wait for another one of the
same engine.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final

from sqlalchemy import URL, ExceptionContext, Table, event
from sqlalchemy.ext.asyncio import AsyncEngine
from sqlalchemy.schema import AddConstraint

from app.store.database.database import make_engine

BUFFERS: Final = "256MB"
_TRIGGERS: Final = (
    "SELECT pg_get_triggerdef(oid), tgrelid::regclass::text FROM pg_trigger "
    "WHERE NOT tgisinternal AND tgname LIKE '%%searched' AND tgrelid = ANY(%s::regclass[])"
)


@asynccontextmanager
async def open_temporary_tables(url: URL, tables: Sequence[Table]) -> AsyncGenerator[AsyncEngine, None]:
    """An engine whose one connection has these tables, empty, in front of those on the disk."""
    engine = make_engine(url.render_as_string(hide_password=False), pool_size=1, max_overflow=0)

    def prepare(connection: Any, _record: object) -> None:
        # A new connection, as after a restart of the server, has new tables: nothing meant for them reaches the disk.
        cursor = connection.cursor()
        try:
            cursor.execute(f"SET temp_buffers = '{BUFFERS}'")
            for statement in _list_statements(engine, tables):
                cursor.execute(statement)
            cursor.execute(_TRIGGERS, ([f"public.{table.name}" for table in tables],))
            for definition, table in cursor.fetchall():
                cursor.execute(definition.replace(f" ON {table} ", f" ON pg_temp.{table.removeprefix('public.')} ", 1))
            cursor.close()
            connection.commit()
        except Exception:
            connection.close()  # the pool does not know it yet
            raise

    event.listen(engine.sync_engine, "connect", prepare)
    event.listen(engine.sync_engine, "handle_error", _keep_connection)
    try:
        async with engine.connect():  # that it can be opened is known now
            pass
        yield engine
    finally:
        await engine.dispose()


def _list_statements(engine: AsyncEngine, tables: Sequence[Table]) -> list[str]:
    made = [f'CREATE TEMPORARY TABLE "{one.name}" (LIKE public."{one.name}" INCLUDING ALL)' for one in tables]
    # Keys are not copied along; they name tables in memory alone.
    keys = [
        str(AddConstraint(key).compile(engine.sync_engine)) for one in tables for key in one.foreign_key_constraints
    ]
    return made + keys


def _keep_connection(context: ExceptionContext) -> None:
    """Keep the connection when a task is cancelled in the middle of a statement: the driver ends the statement first,
    and with the connection all that is in memory would go.
    """
    if isinstance(context.original_exception, asyncio.CancelledError):
        context.is_disconnect = False
