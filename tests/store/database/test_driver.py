"""A statement is one visit to the connection's thread, with the same result as several visits."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from pathlib import Path
from typing import Any

import aiosqlite
import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError

from app.domain.errors import StoreError
from app.store.database.damage import NO_UTF8, Unreadable
from app.store.database.database import Store, make_engine, open_store
from app.store.database.driver import Connections
from tests.runs.clock import take_turns


@pytest.fixture
def visits(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Record the functions that run in the connections' threads."""
    seen: list[str] = []
    execute: Any = vars(aiosqlite.Connection)["_execute"]

    async def count(self: aiosqlite.Connection, function: Any, *args: Any, **kwargs: Any) -> Any:
        seen.append(function.__name__)
        return await execute(self, function, *args, **kwargs)

    monkeypatch.setattr(aiosqlite.Connection, "_execute", count)
    return seen


async def test_each_statement_is_one_visit_to_the_thread(tmp_path: Path, visits: list[str]):
    engine = make_engine(f"sqlite+aiosqlite:///{tmp_path / 'a.db'}")
    async with engine.connect() as connection:
        await connection.execute(text("CREATE TABLE word (id INTEGER PRIMARY KEY, text TEXT)"))
        visits.clear()
        added = await connection.execute(text("INSERT INTO word (text) VALUES (:text)"), [{"text": "a"}, {"text": "b"}])
        assert (len(visits), added.rowcount) == (1, 2)
        found = await connection.execute(text("SELECT id, text FROM word ORDER BY id"))
        assert (len(visits), found.all()) == (2, [(1, "a"), (2, "b")])
    await engine.dispose()


async def test_a_transaction_begins_with_its_first_statement_and_ends_in_one_more_visit(
    tmp_path: Path, visits: list[str]
):
    store = Store(make_engine(f"sqlite+aiosqlite:///{tmp_path / 'a.db'}"))
    async with store.write() as session:
        await session.execute(text("CREATE TABLE word (text TEXT)"))
    visits.clear()
    async with store.write() as session:
        await session.execute(text("INSERT INTO word VALUES ('a')"))
        await session.execute(text("INSERT INTO word VALUES ('b')"))
    assert visits == ["_visit", "_visit", "commit"]
    visits.clear()
    async with store.read() as session:
        found = await session.execute(text("SELECT text FROM word ORDER BY text"))
    assert (visits, found.scalars().all()) == (["_visit", "rollback"], ["a", "b"])
    await store.engine.dispose()


async def test_a_transaction_whose_first_statement_fails_continues_as_a_transaction(tmp_path: Path):
    store = Store(make_engine(f"sqlite+aiosqlite:///{tmp_path / 'a.db'}"))
    async with store.write() as session:
        await session.execute(text("CREATE TABLE word (text TEXT UNIQUE)"))
        await session.execute(text("INSERT INTO word VALUES ('a')"))

    async def change_and_leave() -> None:
        async with store.write() as session:
            with pytest.raises(IntegrityError):
                await session.execute(text("INSERT INTO word VALUES ('a')"))
            await session.execute(text("INSERT INTO word VALUES ('b')"))
            raise LookupError

    with pytest.raises(LookupError):
        await change_and_leave()
    async with store.read() as session:
        assert (await session.execute(text("SELECT text FROM word"))).scalars().all() == ["a"]
    await store.engine.dispose()


async def test_a_connection_that_is_stopped_while_it_is_closed_is_closed():
    connection = await Connections().connect(":memory:")
    closing = asyncio.create_task(connection.close())
    await asyncio.sleep(0)  # it waits for its thread

    connection.stop()  # pyright: ignore[reportUnknownMemberType] - a future of anything

    await closing


async def test_an_engine_waits_for_the_thread_of_a_task_that_was_cancelled_while_it_connected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    loop, connects, goes_on, real = asyncio.get_running_loop(), asyncio.Event(), threading.Event(), sqlite3.connect

    def connect_later(*arguments: Any, **options: Any) -> sqlite3.Connection:
        loop.call_soon_threadsafe(connects.set)
        goes_on.wait()
        return real(*arguments, **options)

    monkeypatch.setattr(sqlite3, "connect", connect_later)
    engine = make_engine(f"sqlite+aiosqlite:///{tmp_path / 'a.db'}")
    connecting = asyncio.ensure_future(engine.connect())
    await connects.wait()
    connecting.cancel()
    await asyncio.gather(connecting, return_exceptions=True)

    disposing = asyncio.create_task(engine.dispose())
    await take_turns()
    is_over = disposing.done()
    goes_on.set()
    await disposing

    assert not is_over


async def test_an_engine_ends_the_thread_of_a_connection_in_use(tmp_path: Path):
    engine = make_engine(f"sqlite+aiosqlite:///{tmp_path / 'a.db'}")
    others = set(threading.enumerate())
    async with engine.connect() as connection:
        await connection.execute(text("SELECT 1"))
        (thread,) = set(threading.enumerate()) - others

        await engine.dispose()

        assert not thread.is_alive()


async def test_engine_that_was_disposed_of_makes_no_connection_for_a_task_that_still_runs(tmp_path: Path):
    async with open_store(f"sqlite+aiosqlite:///{tmp_path / 'a.db'}") as store:
        others = set(threading.enumerate())

    with pytest.raises(StoreError, match=r"it was closed\. Inview is ending"):
        async with store.read() as session:
            await session.execute(text("SELECT 1"))

    assert set(threading.enumerate()) <= others


async def test_disposal_that_is_cancelled_ends_the_threads_of_all_connections(tmp_path: Path):
    engine = make_engine(f"sqlite+aiosqlite:///{tmp_path / 'a.db'}")
    others = set(threading.enumerate())
    async with engine.connect() as one, engine.connect() as two:
        for connection in (one, two):
            await connection.execute(text("SELECT 1"))
    threads = set(threading.enumerate()) - others

    disposing = asyncio.create_task(engine.dispose())
    await asyncio.sleep(0)  # it waits for the first of them to close
    disposing.cancel()
    await asyncio.gather(disposing, return_exceptions=True)

    assert [thread.is_alive() for thread in threads] == [False, False]


async def test_text_that_is_not_utf8_takes_no_other_value_along_and_nothing_is_done_twice(tmp_path: Path):
    engine = make_engine(f"sqlite+aiosqlite:///{tmp_path / 'a.db'}")
    async with engine.begin() as connection:
        await connection.execute(text("CREATE TABLE word (id INTEGER PRIMARY KEY, text TEXT, told INTEGER)"))
        await connection.execute(text("INSERT INTO word VALUES (1, 'a', 0), (2, CAST(x'5bff' AS TEXT), 0)"))

        read = (await connection.execute(text("SELECT text FROM word ORDER BY id"))).scalars().all()
        told = text("UPDATE word SET told = told + 1 RETURNING text, told")
        changed = (await connection.execute(told)).all()
        again = (await connection.execute(text("SELECT text FROM word WHERE id = 1"))).scalar_one()
    await engine.dispose()

    assert read == ["a", Unreadable(b"[\xff", NO_UTF8)]
    assert changed == [("a", 1), (Unreadable(b"[\xff", NO_UTF8), 1)]
    assert again == "a"


def connection_threads() -> set[threading.Thread]:
    return {thread for thread in threading.enumerate() if "_connection_worker_thread" in thread.name}


async def test_idle_connections_are_closed_together_and_opened_again(tmp_path: Path):
    others = connection_threads()
    async with open_store(f"sqlite+aiosqlite:///{tmp_path / 'a.db'}") as store:
        async with store.write() as session:
            await session.execute(text("CREATE TABLE word (text TEXT)"))
            await session.execute(text("INSERT INTO word VALUES ('a')"))
        async with store.read() as session:
            await session.execute(text("SELECT 1"))
            await store.close_idle()
            (in_use,) = connection_threads() - others
            assert (await session.execute(text("SELECT text FROM word"))).scalars().all() == ["a"]

        await store.close_idle()

        await asyncio.to_thread(in_use.join)
        assert connection_threads() == others
        async with store.write() as session:
            await session.execute(text("INSERT INTO word VALUES ('b')"))
        async with store.read() as session:
            assert (await session.execute(text("SELECT text FROM word"))).scalars().all() == ["a", "b"]
            # the new connection is prepared like the first one
            assert (await session.execute(text("PRAGMA foreign_keys"))).scalar_one() == 1


async def test_a_session_that_starts_while_idle_connections_close_gets_a_new_one(tmp_path: Path):
    others = connection_threads()
    async with open_store(f"sqlite+aiosqlite:///{tmp_path / 'a.db'}") as store:
        async with store.write() as session:
            await session.execute(text("CREATE TABLE word (text TEXT)"))
        closing = asyncio.create_task(store.close_idle())

        async def read() -> int:
            await asyncio.sleep(0)
            async with store.read() as session:
                return (await session.execute(text("SELECT count(*) FROM word"))).scalar_one()

        assert await asyncio.gather(*(read() for _ in range(10))) == [0] * 10
        await closing
    assert connection_threads() == others
