"""A driver that runs SQLite in threads. Each statement needs one call in the thread of its connection, a visit.

    connections = Connections()
    create_async_engine("sqlite+aiosqlite:///…", connect_args={"async_creator_fn": connections.connect})

Without this module, aiosqlite makes four visits for each statement (make a cursor, execute, fetch, close), and
SQLAlchemy waits for each. The visits take most of the time of a small query. For the same reason, a transaction starts
in the same visit as its first statement, and no visit is made to end a transaction that did not start.

A stored text that is not UTF-8 becomes `Unreadable`; the driver alone would fail the whole query.

Engines, sessions and transactions are in `database.py`. All rows of a query are fetched at once, as SQLAlchemy does in
any case; there is no streaming.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import aiosqlite

from app.store.database.damage import read_text

Rows = list[tuple[Any, ...]]
NOT_DECODED = "Could not decode to UTF-8"
"""The beginning of the driver's error for a text that is not UTF-8."""


@dataclass(eq=False)
class Connections:
    """The connections of one SQLAlchemy engine. `close` ends their threads before the event loop ends.

    SQLAlchemy's pool alone would leave some threads running: the thread of a connection in use, and the thread of a
    connection whose task was cancelled while it connected. Such a thread would fail when it sends its result to the
    closed loop. A disposed pool would also make new connections for tasks that still run, and never close them.
    """

    _made: list[VisitedConnection] = field(default_factory=list["VisitedConnection"])
    _closed: bool = False

    def connect(self, database: str, **options: Any) -> VisitedConnection:
        """Make a connection, which the caller awaits. `options` are those of `sqlite3.connect`.

        Raises:
            sqlite3.ProgrammingError: `close` was called.
        """
        if self._closed:
            raise sqlite3.ProgrammingError("it was closed")
        self._made[:] = [one for one in self._made if one.is_running]
        connection = VisitedConnection(lambda: sqlite3.connect(database, **options), iter_chunk_size=64)
        self._made.append(connection)
        return connection

    async def close(self) -> None:
        """Close all connections, also those in use, and wait until their threads have ended."""
        self._closed = True
        running = [one for one in self._made if one.is_running]
        for one in running:
            one.stop()
        if running:
            await asyncio.to_thread(_join, running)


class VisitedConnection(aiosqlite.Connection):
    """A connection whose cursors make one visit to its thread for each statement.

    - `_begin`: the statement that starts a transaction before the next statement.
    - `_open`: True if a transaction may be open. After a cancelled or failed visit this is unknown.
    - `_stopped`: a future that is done when the thread has ended.
    """

    def __init__(self, connector: Any, iter_chunk_size: int) -> None:
        super().__init__(connector, iter_chunk_size)
        self._thread.daemon = True  # SQLAlchemy does the same for connections that it makes
        self._begin: str | None = None
        self._open = False
        self._stopped: asyncio.Future[Any] | None = None
        self._is_stopping = False

    @property
    def is_running(self) -> bool:
        """Return True while the thread of the connection runs."""
        return self._thread.is_alive()

    def join(self) -> None:
        """Wait until the connection's thread has ended.

        Do not call this in the thread of the event loop: the event loop must run to receive results.
        """
        self._thread.join()

    def begin_with(self, statement: str) -> None:
        """Set the statement that starts a transaction.

        It is executed in the visit of the next statement, before that statement.
        """
        self._begin = statement

    def cursor(self) -> VisitingCursor:  # pyright: ignore[reportIncompatibleMethodOverride] - none is made here
        """Return a cursor that exists in SQLite only while a statement is executed."""
        return VisitingCursor(self)

    async def visit(self, sql: str, act: Callable[[sqlite3.Cursor], object]) -> Done:
        """Execute the statement `sql` in one visit, and return all its rows. `act` executes it with a new cursor."""
        self._open = True
        visit = self._execute(_visit, self._conn, self._begin, sql, act)  # pyright: ignore[reportUnknownMemberType] - untyped
        done: Done = await visit
        self._begin, self._open = None, done.in_transaction
        return done

    async def commit(self) -> None:
        """Commit the transaction if one is open."""
        self._begin = None
        if self._open:
            await super().commit()
            self._open = False

    async def rollback(self) -> None:
        """Roll back the transaction if one is open."""
        self._begin = None
        if self._open:
            await super().rollback()
            self._open = False

    def stop(self) -> asyncio.Future[Any] | None:
        """End the thread. Return a future that is done when it has ended. Every call returns the same future.

        If a task is cancelled a second time, SQLAlchemy calls `stop` again while it is already closing the connection.
        Without this method, aiosqlite would then wait for a thread that no longer exists.
        """
        if not self._is_stopping:
            self._is_stopping = True
            self._stopped = super().stop()  # pyright: ignore[reportUnknownMemberType] - a future of anything
        return self._stopped


def _join(connections: Sequence[VisitedConnection]) -> None:
    for connection in connections:
        connection.join()


@dataclass(frozen=True, slots=True)
class Done:
    """The result of a statement: its rows, and the values that a cursor reports."""

    rows: Rows
    description: Any
    rowcount: int
    lastrowid: int | None
    in_transaction: bool = False


_NOTHING = Done([], None, -1, None)


def _visit(
    connection: sqlite3.Connection, begin: str | None, sql: str, act: Callable[[sqlite3.Cursor], object]
) -> Done:
    cursor = connection.cursor()
    try:
        # After a failed statement, the transaction may already be open.
        if begin is not None and not connection.in_transaction:
            cursor.execute(begin)
        rows = _read_rows(connection, cursor, sql, act)
        return Done(rows, cursor.description, cursor.rowcount, cursor.lastrowid, connection.in_transaction)
    finally:
        cursor.close()


def _read_rows(
    connection: sqlite3.Connection, cursor: sqlite3.Cursor, sql: str, act: Callable[[sqlite3.Cursor], object]
) -> Rows:
    """Execute a statement and return its rows.

    If a text is not UTF-8, a query is executed again with `read_text`, which takes twice as long. A statement that
    changes rows and returns them must not be executed twice, so it uses `read_text` from the start.
    """
    is_query = "RETURNING" not in sql
    connection.text_factory = str if is_query else read_text
    try:
        return _fetch(cursor, act)
    except sqlite3.OperationalError as error:
        if not is_query or NOT_DECODED not in str(error):
            raise
        connection.text_factory = read_text
        return _fetch(cursor, act)


def _fetch(cursor: sqlite3.Cursor, act: Callable[[sqlite3.Cursor], object]) -> Rows:
    act(cursor)
    return cursor.fetchall() if cursor.description else []


class VisitingCursor:
    """The cursor that SQLAlchemy gets instead of aiosqlite's. It has the result of its last statement."""

    arraysize = 1

    def __init__(self, connection: VisitedConnection) -> None:
        self._connection = connection
        self._done = _NOTHING

    @property
    def description(self) -> Any:
        return self._done.description

    @property
    def rowcount(self) -> int:
        return self._done.rowcount

    @property
    def lastrowid(self) -> int | None:
        return self._done.lastrowid

    async def __aenter__(self) -> Self:
        return self

    async def execute(self, sql: str, parameters: Any = ()) -> Self:
        self._done = await self._connection.visit(sql, lambda cursor: cursor.execute(sql, parameters))
        return self

    async def executemany(self, sql: str, parameters: Sequence[Any]) -> Self:
        self._done = await self._connection.visit(sql, lambda cursor: cursor.executemany(sql, parameters))
        return self

    async def fetchall(self) -> Rows:
        return self._done.rows

    async def close(self) -> None:
        """Do nothing: the cursor in SQLite is already closed."""
