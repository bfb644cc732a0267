from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import insert, text
from sqlalchemy.exc import IntegrityError

from app.domain.errors import StoreError
from app.runs.memory.collector import return_large_blocks
from app.runs.runtime.ids import now
from app.store.conversation.conversations import insert_conversation, load_conversation
from app.store.database import database as module
from app.store.database.database import Store, open_store
from app.store.settings.rows_settings import PREFERENCE
from tests.outside.memory import Memory
from tests.store.values import OWNER, a_conversation, a_pair_of, save_conversation


async def pragma(store: Store, name: str) -> object:
    async with store.write() as session:
        return (await session.execute(text(f"PRAGMA {name}"))).scalar_one()


async def test_sqlite_is_set_up_for_one_writer_many_readers_and_foreign_keys(store: Store) -> None:
    normal = 1

    assert await pragma(store, "journal_mode") == "wal"
    assert await pragma(store, "foreign_keys") == 1
    assert await pragma(store, "busy_timeout") == module.BUSY_SECONDS * 1000
    assert await pragma(store, "synchronous") == normal


async def test_json_is_stored_as_text_and_a_wide_text_is_not_widened_for_it(store: Store) -> None:
    """As a `str`, a text with one emoji takes four bytes for each character."""
    await save_conversation(store, a_conversation())
    wide = "\N{GRINNING FACE}" + "x" * 16_000_000
    return_large_blocks()  # as in a server
    async with store.write() as session:
        memory = Memory.now()
        await session.execute(insert(PREFERENCE), [{"owner": OWNER, "name": "a", "value": wide, "updated_at": now()}])
        growth = memory.growth()
        kind = (await session.execute(text("SELECT typeof(value) FROM preference WHERE name = 'a'"))).scalar_one()

    assert kind == "text"
    assert growth <= 80


async def test_what_is_committed_is_soon_on_the_disk_without_the_log(
    store: Store, database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The database file alone represents the state after a loss of power: the log next to it may be lost."""
    monkeypatch.setattr(module, "DISK_SECONDS", 0)
    kept = asyncio.Event()
    checkpoint = Store._checkpoint  # pyright: ignore[reportPrivateUsage]

    async def checkpoint_and_tell(self: Store) -> None:
        await checkpoint(self)
        kept.set()

    monkeypatch.setattr(Store, "_checkpoint", checkpoint_and_tell)
    async with store.read() as session:  # a reader of an older moment does not block it
        await session.execute(text("SELECT * FROM alembic_version"))

    await save_conversation(store, a_conversation())

    assert count_alone(database, tmp_path / "before.db") == 0
    keeping = asyncio.create_task(store.keep_on_disk())
    await kept.wait()
    assert count_alone(database, tmp_path / "after.db") == 1
    keeping.cancel()


def count_alone(database: Path, copy: Path) -> int:
    copy.write_bytes(database.read_bytes())
    connection = sqlite3.connect(copy)
    (count,) = connection.execute("SELECT count(*) FROM conversation").fetchone()
    connection.close()
    return count


async def test_what_an_exception_leaves_is_not_written(store: Store) -> None:
    async def write_half() -> None:
        async with store.write() as session:
            await insert_conversation(session, a_conversation())
            raise RuntimeError("half way")

    with pytest.raises(RuntimeError, match="half way"):
        await write_half()

    async with store.read() as session:
        assert (await session.execute(text("SELECT count(*) FROM conversation"))).scalar_one() == 0


async def test_a_reader_sees_one_moment_while_others_write(store: Store) -> None:
    await save_conversation(store, a_conversation("c1"))

    async with store.read() as session:
        before = (await session.execute(text("SELECT count(*) FROM conversation"))).scalar_one()
        await save_conversation(store, a_conversation("c2"))
        after = (await session.execute(text("SELECT count(*) FROM conversation"))).scalar_one()

    assert (before, after) == (1, 1)


async def test_many_writers_at_once_all_get_their_turn(store: Store) -> None:
    await asyncio.gather(*(save_conversation(store, a_conversation(f"c{place}")) for place in range(40)))

    async with store.read() as session:
        assert (await session.execute(text("SELECT count(*) FROM conversation"))).scalar_one() == 40


async def test_writers_of_two_processes_wait_for_each_other(store: Store, database: Path) -> None:
    async with open_store(f"sqlite+aiosqlite:///{database}") as other:
        await asyncio.gather(
            *(
                save_conversation(one, a_conversation(f"{name}{place}"))
                for place in range(15)
                for name, one in (("a", store), ("b", other))
            )
        )

    async with store.read() as session:
        assert (await session.execute(text("SELECT count(*) FROM conversation"))).scalar_one() == 30


async def test_a_locked_database_is_named_with_the_next_step(
    store: Store, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "BUSY_SECONDS", 0.05)
    holder = sqlite3.connect(database, isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    try:
        async with open_store(f"sqlite+aiosqlite:///{database}") as impatient:
            with pytest.raises(
                StoreError, match=r"inview\.db could not be written: database is locked\. Another program"
            ):
                await save_conversation(impatient, a_conversation())
    finally:
        holder.close()


async def test_a_violated_constraint_is_distinguished_from_a_fault(store: Store) -> None:
    await save_conversation(store, a_conversation(), a_pair_of("c1", 1))

    with pytest.raises(IntegrityError):
        await save_conversation(store, a_conversation())


async def test_a_cancelled_read_leaves_the_store_usable(store: Store) -> None:
    await save_conversation(store, a_conversation())
    for _ in range(10):
        async with store.read() as session:
            reading = asyncio.create_task(load_conversation(session, OWNER, "c1"))
            await asyncio.sleep(0)
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)

    async with store.read() as session:
        assert (await load_conversation(session, OWNER, "c1")).id == "c1"


async def test_a_write_that_is_cancelled_in_the_middle_blocks_no_other(store: Store) -> None:
    """The cancelled statement continues in a thread, with its result not fetched: closing it would not end it."""

    loop, begun = asyncio.get_running_loop(), asyncio.Event()

    def tell() -> int:
        loop.call_soon_threadsafe(begun.set)
        return 1

    async def write() -> None:
        async with store.write() as session:
            pooled = await (await session.connection()).get_raw_connection()
            connection: Any = pooled.driver_connection
            await connection.create_function("tell", 0, tell)
            await session.execute(text("CREATE TABLE IF NOT EXISTS held (n)"))
            await session.execute(text(_SLOW))

    writing = asyncio.create_task(write())
    await begun.wait()
    writing.cancel()
    (cancelled,) = await asyncio.gather(writing, return_exceptions=True)

    assert isinstance(cancelled, asyncio.CancelledError)  # its traceback keeps references to its work
    async with store.write() as session:  # refused as busy if the other were still running
        await session.execute(text("CREATE TABLE held (n)"))


_SLOW = """
INSERT INTO held WITH RECURSIVE count(n) AS (SELECT tell() UNION ALL SELECT n + 1 FROM count WHERE n < 300000)
SELECT n FROM count RETURNING n
"""
