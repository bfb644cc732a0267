"""Each column of each table is damaged in turn: whatever is asked for is answered, and the rest is all there."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any, Final

import pytest
from sqlalchemy import JSON, Boolean, DateTime, Float, Integer, LargeBinary, Table

from app.runs.send.commands import LOCAL_OWNER
from app.runs.watch.watcher import Watcher
from app.store.tables import Row
from tests.api.served import Api, serve_api
from tests.runs.damage.whole import Whole, make_whole

BAD_JSON: Final = ('{"broken', '["garbage"]')
_NO_TEXT: Final = (Integer, Float, Boolean, LargeBinary, DateTime)
LEFT_OUT: Final = frozenset({"owner", "conversation_id", "pair_id"})
"""What says whose a row is: a row of another is not damaged."""


def drop_triggers(database: Path) -> None:
    """They refuse some of the damage, and would spread other."""
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        connection.commit()


def list_damage(table: Table) -> Iterator[tuple[str, str]]:
    """Each column with what is put into it."""
    for column in table.c:
        if column.primary_key or column.name in LEFT_OUT:
            continue
        if isinstance(column.type, JSON):
            yield from ((column.name, bad) for bad in BAD_JSON)
        elif not isinstance(getattr(column.type, "impl", column.type), _NO_TEXT):
            yield column.name, "garbage"


@asynccontextmanager
async def damaged(database: Path, table: Table, column: str, value: str) -> AsyncGenerator[None]:
    """All rows of a table with this in that column. Written in a thread: the server may be writing meanwhile."""
    keys = ", ".join(key.name for key in table.primary_key)
    same = " AND ".join(f"{key.name} IS ?" for key in table.primary_key)

    def damage() -> list[Any]:
        with closing(sqlite3.connect(database, timeout=10)) as connection, connection:
            before = connection.execute(f"SELECT {column}, {keys} FROM {table.name}").fetchall()
            connection.execute(f"UPDATE OR IGNORE {table.name} SET {column} = ?", (value,))
            return before

    def mend(before: list[Any]) -> None:
        with closing(sqlite3.connect(database, timeout=10)) as connection, connection:
            connection.executemany(f"UPDATE {table.name} SET {column} = ? WHERE {same}", before)

    before = await asyncio.to_thread(damage)
    try:
        yield
    finally:
        await asyncio.to_thread(mend, before)


def list_addresses(whole: Whole) -> list[str]:
    """What the page and programs ask: lists, the conversation with everything, exports, usage, the trash."""
    place, pair = f"/conversations/{whole.conversation_id}", f"/pairs/{whole.first_pair}"
    return [
        *("/conversations", "/conversations?text=echo", "/trash", "/usage", "/budgets", "/preferences", "/agents"),
        *(f"{place}/{what}" for what in ("pairs", "history", "nodes", "queue", "lineage", "calls", "tools")),
        *(f"{place}/export?format={form}" for form in ("json", "html")),
        *(f"{pair}/{what}" for what in ("versions", "raw")),
    ]


async def ask_everything(api: Api, whole: Whole, addresses: Sequence[str]) -> list[str]:
    """The addresses that a fault of the server answers, each with what it says."""
    faults: list[str] = []
    for address in addresses:
        answer = await api.http.get(address)
        if answer.status_code >= 500:
            faults.append(f"{address}: {answer.status_code} {answer.text[:200]}")
    async with Watcher(api.wb, LOCAL_OWNER, whole.conversation_id) as watcher, asyncio.timeout(10):
        screen = await watcher.next_screen()
        while screen is not None and screen.context is None and screen.refusal is None:
            screen = await watcher.next_screen()
    if screen is None or not screen.pairs:
        faults.append("the page shows no pairs")
    return faults


def _forget(api: Api) -> None:
    """Keep nothing in memory, as after a restart."""
    api.wb.expire(0)
    api.wb.indexer._up_to.clear()  # pyright: ignore[reportPrivateUsage]


@pytest.mark.slow
@pytest.mark.sqlite(reason="it damages each column of SQLite's file")
@pytest.mark.timeout(900)
async def test_no_damage_is_a_fault_of_the_server(tmp_path: Path) -> None:
    made = await make_whole(tmp_path)
    drop_triggers(tmp_path / "inview.db")
    addresses = list_addresses(made)
    faults: list[str] = []
    async with serve_api(tmp_path) as api:
        assert await ask_everything(api, made, addresses) == []
        for table in Row.metadata.sorted_tables:
            for column, value in list_damage(table):
                _forget(api)
                async with damaged(tmp_path / "inview.db", table, column, value):
                    found = await ask_everything(api, made, addresses)
                faults += [f"{table.name}.{column} = {value!r}: {fault}" for fault in found]

    assert faults == [], "\n".join(faults)
