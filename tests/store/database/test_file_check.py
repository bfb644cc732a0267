"""The check of the database's file: nothing that only seems wrong, and everything that is."""

from __future__ import annotations

import sqlite3
from collections.abc import Generator
from contextlib import closing

import pytest

from app.store.database.file_check import LIMIT, find_file_faults

pytestmark = pytest.mark.sqlite


@pytest.fixture
def database() -> Generator[sqlite3.Connection]:
    """A table as those of the sums, with more rows than SQLite reports at once, and another one."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.execute("CREATE TABLE sums (calls INTEGER NOT NULL, day TEXT NOT NULL PRIMARY KEY) WITHOUT ROWID")
        connection.executemany("INSERT INTO sums VALUES (1, ?)", [(f"day {number}",) for number in range(2 * LIMIT)])
        connection.execute("CREATE TABLE words (word TEXT)")
        connection.executemany("INSERT INTO words VALUES (?)", [("one",), (None,)])
        yield connection


def faults_of(database: sqlite3.Connection, *, thorough: bool = False) -> tuple[str, ...]:
    return find_file_faults(lambda query: database.execute(query).fetchall(), thorough=thorough)


@pytest.mark.parametrize("thorough", [False, True])
def test_a_null_that_is_not_there_is_no_fault(database: sqlite3.Connection, *, thorough: bool) -> None:
    assert faults_of(database, thorough=thorough) == ()


def test_a_null_that_is_there_is_found_behind_those_that_are_not(database: sqlite3.Connection) -> None:
    database.execute("PRAGMA writable_schema = ON")
    database.execute("UPDATE sqlite_master SET sql = 'CREATE TABLE words (word TEXT NOT NULL)' WHERE name = 'words'")
    database.execute("PRAGMA writable_schema = RESET")

    assert faults_of(database) == ("NULL value in words.word",)
