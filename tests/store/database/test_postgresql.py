"""What PostgreSQL has of its own: its schema against the tables that the code names, and its rules."""

from __future__ import annotations

import asyncio

import pytest
from sqlalchemy import inspect, select, text
from sqlalchemy.exc import IntegrityError

from app.domain.conversation.lifecycle import Lifecycle
from app.domain.errors import StoreError
from app.domain.usage import Usage
from app.store.conversation.rows import CONVERSATION
from app.store.database.database import Store, kind_of, make_blocking_engine
from app.store.database.migrations import HEAD, REVISIONS, is_current, upgrade
from app.store.ledger.integrity import check_ledger
from app.store.ledger.ledger import Call, insert_calls
from app.store.memory import open_memory
from app.store.tables import Row
from tests.databases import SERVER, lay_unmigrated
from tests.store.values import OWNER, START, a_conversation, save_conversation

on_server = pytest.mark.skipif(SERVER is None, reason="INVIEW_TEST_DATABASE_URL names no server of PostgreSQL")


def test_an_engine_that_nobody_made_is_named() -> None:
    with pytest.raises(StoreError, match="Inview knows no database engine 'mysql'"):
        kind_of("mysql+pymysql://localhost/inview")


@on_server
def test_an_empty_database_comes_to_the_newest_revision_at_once() -> None:
    url = lay_unmigrated()

    assert not is_current(url)
    upgrade(url)
    assert is_current(url)
    assert kind_of(url).begins_after in REVISIONS


@on_server
def test_every_table_column_index_and_key_is_there(url: str) -> None:
    engine = make_blocking_engine(url)
    found = inspect(engine)
    for table in Row.metadata.sorted_tables:
        columns = {column["name"]: column["nullable"] for column in found.get_columns(table.name)}
        assert columns | {column.name: column.nullable for column in table.c} == columns
        indexes = {index["name"] for index in found.get_indexes(table.name)}
        assert {str(index.name) for index in table.indexes} <= indexes, table.name
        keys = {(*key["constrained_columns"], key["referred_table"]) for key in found.get_foreign_keys(table.name)}
        assert keys == {(key.parent.name, key.column.table.name) for key in table.foreign_keys}
    with engine.connect() as connection:
        assert connection.execute(text("SELECT version_num FROM alembic_version")).scalar_one() == HEAD
    engine.dispose()


@on_server
async def test_a_nul_in_a_text_becomes_a_mark_and_fails_no_query(store: Store) -> None:
    await save_conversation(store, a_conversation(title="a\0b"))

    async with store.read() as session:
        assert (await session.execute(CONVERSATION.select())).mappings().one()["title"] == "a�b"
        found = await session.execute(text(r"""SELECT json_extract('[{"text": "x\u0000 \\u0000"}]', '$[0].text')"""))
        assert found.scalar_one() == r"x� \u0000"


@on_server
@pytest.mark.parametrize("table", ["ledger", "audit", "sent_call"])
async def test_tables_that_only_grow_cannot_be_emptied(store: Store, table: str) -> None:
    with pytest.raises(IntegrityError, match="never deleted"):
        async with store.write() as session:
            await session.execute(text(f"TRUNCATE {table}"))


@on_server
async def test_entries_of_the_ledger_have_no_gap_after_one_that_was_taken_back(store: Store) -> None:
    async def enter(attempt: int, *, fails: bool = False) -> None:
        async with store.write() as session:
            await insert_calls(session, [a_call(attempt)])
            if fails:
                raise RuntimeError("taken back")

    await enter(1)
    with pytest.raises(RuntimeError, match="taken back"):
        await enter(2, fails=True)
    await enter(3)

    async with store.read() as session:
        report = await check_ledger(session)
        numbers = (await session.execute(text("SELECT rowid FROM ledger ORDER BY attempt"))).scalars().all()
    assert (list(numbers), report.faults) == ([1, 2], ())


@on_server
async def test_tables_in_memory_are_empty_out_of_sight_of_others_and_gone_at_the_end(store: Store) -> None:
    await save_conversation(store, a_conversation("kept"))

    async with open_memory(store, "beside") as memory:
        await save_conversation(memory, a_conversation("c1", title="A title"))
        assert (await ids_of(memory), await ids_of(store)) == (["c1"], ["kept"])
        async with memory.read() as session:
            found = "SELECT count(*) FROM pg_temp.search_text"
            assert (await session.execute(text(found))).scalar_one() == 1, "titles are searched there too"

    async with open_memory(store, "beside") as memory:
        assert await ids_of(memory) == []


@on_server
async def test_a_statement_that_is_cancelled_leaves_the_tables_in_memory(store: Store) -> None:
    async def wait(memory: Store) -> None:
        async with memory.read() as session:
            await session.execute(text("SELECT pg_sleep(30)"))

    async with open_memory(store, "beside") as memory:
        await save_conversation(memory, a_conversation("c1"))
        for _ in range(5):
            waiting = asyncio.create_task(wait(memory))
            await asyncio.sleep(0.05)
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)
        assert await ids_of(memory) == ["c1"]


@on_server
async def test_after_the_connection_was_lost_nothing_meant_for_memory_reaches_the_disk(store: Store) -> None:
    async with open_memory(store, "beside") as memory:
        await save_conversation(memory, a_conversation("c1"))
        with pytest.raises(StoreError):
            async with memory.write() as session:
                await session.execute(text("SELECT pg_terminate_backend(pg_backend_pid())"))
        await save_conversation(memory, a_conversation("c2"))
        assert (await ids_of(memory), await ids_of(store)) == (["c2"], [])


async def ids_of(store: Store) -> list[str]:
    async with store.read() as session:
        return list((await session.execute(select(CONVERSATION.c.id))).scalars())


def a_call(attempt: int) -> Call:
    return Call(
        id=f"l{attempt}",
        owner=OWNER,
        conversation_id="c1",
        pair_id="p1",
        run_id="r1",
        attempt=attempt,
        model="offline:echo",
        outcome=Lifecycle.SUCCEEDED,
        started_at=START,
        ended_at=START,
        usage=Usage(input_tokens=1, output_tokens=2),
    )
