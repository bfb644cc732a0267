"""A statement is one visit to the connection's thread, and gives what it would without that."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import aiosqlite
import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError

from app.store.database.database import Store, make_engine
from app.store.database.driver import connect

pytestmark = pytest.mark.sqlite


@pytest.fixture
def visits(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What went to the connections' threads."""
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


async def test_a_transaction_whose_first_statement_fails_goes_on_as_the_transaction_it_is(tmp_path: Path):
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
    connection = await connect(":memory:")
    closing = asyncio.create_task(connection.close())
    await asyncio.sleep(0)  # it waits for its thread

    connection.stop()  # pyright: ignore[reportUnknownMemberType] - a future of anything

    await asyncio.wait_for(closing, 5)
