"""A second database, in memory, for the data of temporary conversations, which are never on the disk.

    async with open_memory(store, "temporary") as memory:
        async with memory.write() as session: ...        # conversations, pairs, messages: in memory

Each connection has two databases. SQLite looks for a table in memory first, where it finds the tables that belong to a
conversation. It finds all other tables (the ledger, preferences, providers, topics) on the disk. Queries are the same
for both kinds of conversations. No text of a temporary conversation can reach a file, because the tables in memory hide
those on the disk.

This works only with SQLite: `memdb` is SQLite's file system in memory. All connections of a process find the same
database in it by its name.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import ColumnElement, MetaData, Table, event, literal, make_url, select, union_all, update
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession

from app.domain.errors import StoreError
from app.store.attachments.attachments import delete_taken, list_used
from app.store.attachments.rows_attachment import ATTACHMENT
from app.store.attachments.rows_upload import UPLOAD
from app.store.conversation.rows import CONVERSATION
from app.store.database.database import Store, make_engine
from app.store.index.rows_search import INDEX, SEARCH_TEXT, TRIGGERS
from app.store.ledger.rows_sent import SENT_CALL
from app.store.ledger.sent_calls import delete_sent_calls
from app.store.tables import Row

ON_DISK = "disk"
"""The name of the database on the disk within a connection."""


def _hang_on(root: Table) -> tuple[Table, ...]:
    """Return the table and all tables whose rows are deleted with its rows, each after the tables it refers to."""
    found = {root}
    for table in Row.metadata.sorted_tables:
        if any(key.column.table in found for key in table.foreign_keys):
            found.add(table)
    return tuple(table for table in Row.metadata.sorted_tables if table in found)


HANGING = _hang_on(CONVERSATION)
"""The table `conversation`, and all tables whose rows are deleted with it by a foreign key.

A new table with text of conversations must have such a foreign key.
"""
IN_MEMORY = (*HANGING, ATTACHMENT, UPLOAD, SENT_CALL)
"""The tables in memory: those of `HANGING`, and those of attachments, uploads and sent calls.

Attachments and uploads have no foreign key to a conversation, because conversations can share their bytes. Sent calls
have none, because on the disk they stay when their conversation is deleted.
"""


@asynccontextmanager
async def open_memory(store: Store, name: str) -> AsyncGenerator[Store, None]:
    """Yield a new database in memory, which can also read and write the tables of `store` on the disk.

    The database in memory is deleted when the context ends. `name` must be unique in the process.

    Raises:
        StoreError: `store` is not in a file.
    """
    path = make_url(store.engine.url).database
    if path is None or path == ":memory:":
        raise StoreError("Temporary conversations need a database in a file. Set INVIEW_DATABASE_URL to one.")
    engine = make_engine(f"sqlite+aiosqlite:///file:/{name}?vfs=memdb&uri=true")
    _attach(engine, path)
    try:
        async with engine.connect() as anchor:  # SQLite deletes the database when its last connection closes
            await anchor.run_sync(lambda made: Row.metadata.create_all(made, IN_MEMORY, checkfirst=False))
            for statement in (INDEX, *TRIGGERS):
                await anchor.exec_driver_sql(statement)
            await anchor.commit()
            yield store.beside(engine)
    finally:
        await engine.dispose()


async def holds(session: AsyncSession, ids: Iterable[str]) -> bool:
    """Return True if any row in the database in memory has one of these ids."""
    named = [table for table in IN_MEMORY if "id" in table.c]
    query = union_all(*(select(literal(1)).where(table.c.id.in_(tuple(ids))) for table in named))
    return (await session.execute(query.limit(1))).first() is not None


async def move_to_disk(session: AsyncSession, conversation_ids: Sequence[str]) -> None:
    """Move these conversations with all their rows from memory to the disk, in one transaction."""
    here = CONVERSATION.c.id.in_(conversation_ids)
    there = MetaData(schema=ON_DISK)
    used = await list_used(session, conversation_ids)
    for table in HANGING:
        if table is SEARCH_TEXT:  # triggers of the database on the disk fill this table
            continue
        on_disk = table.to_metadata(there)
        columns = [column.name for column in table.c]
        await session.execute(on_disk.insert().from_select(columns, select(table).where(_belongs(table, here))))
        if table is CONVERSATION:
            kept = update(on_disk).where(on_disk.c.id.in_(conversation_ids))
            await session.execute(kept.values(temporary=False))
    recorded = select(SENT_CALL).where(SENT_CALL.c.account_id.in_(conversation_ids))
    names = [column.name for column in SENT_CALL.c]
    await session.execute(SENT_CALL.to_metadata(there).insert().from_select(names, recorded))
    await delete_sent_calls(session, conversation_ids)
    if used:
        await _move_bytes(session, ATTACHMENT.to_metadata(there), used)
    for owner in set((await session.execute(select(CONVERSATION.c.owner).where(here))).scalars()):
        await session.execute(CONVERSATION.delete().where(here, CONVERSATION.c.owner == owner))
        await delete_taken(session, owner, conversation_ids, used)


async def _move_bytes(session: AsyncSession, on_disk: Table, used: Sequence[str]) -> None:
    """Copy the bytes of these attachments to the disk, unless their owner has them there already."""
    there = await session.execute(select(on_disk.c.owner, on_disk.c.id).where(on_disk.c.id.in_(used)))
    known = {(row.owner, row.id) for row in there}
    here = (await session.execute(select(ATTACHMENT).where(ATTACHMENT.c.id.in_(used)))).mappings()
    rows = [dict(row) for row in here if (row["owner"], row["id"]) not in known]
    if rows:
        await session.execute(on_disk.insert(), rows)


def _belongs(table: Table, here: ColumnElement[bool]) -> ColumnElement[bool]:
    """Return the condition for rows that belong to these conversations, by the shortest path of foreign keys."""
    if table is CONVERSATION:
        return here
    keys = [key for key in table.foreign_keys if key.column.table in HANGING]
    key = min(keys, key=lambda key: key.column.table is not CONVERSATION)
    above = key.column.table
    return key.parent.in_(select(key.column).where(_belongs(above, here)))


def _attach(engine: AsyncEngine, path: str) -> None:
    # Without `vfs`, the attached path would be a file in the file system of the connection, which is in memory.
    address = f"file:{quote(str(Path(path).absolute()))}?vfs=unix"

    def prepare(connection: Any, _record: object) -> None:
        cursor = connection.cursor()
        try:
            cursor.execute("PRAGMA temp_store=MEMORY")  # otherwise SQLite may write sorted rows to a file
            cursor.execute(f"ATTACH DATABASE ? AS {ON_DISK}", (address,))
            cursor.execute(f"PRAGMA {ON_DISK}.synchronous=NORMAL")
            cursor.close()
        except Exception:
            connection.close()  # otherwise its thread would outlive the event loop, as in database.py
            raise

    event.listen(engine.sync_engine, "connect", prepare)
