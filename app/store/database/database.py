"""Access to the database: one SQLAlchemy engine per process, sessions to read and write, errors as `StoreError`.

    async with open_store(url) as store:
        async with store.read() as session: ...
        async with store.write() as session: ...      # committed at the end, rolled back on an exception

Queries use SQLAlchemy's Core, not its ORM: the values are immutable, so an identity map would be useless.

SQLite runs in WAL mode with `synchronous=NORMAL`: committed data survives if this process dies at any moment, and a
commit does not wait for the disk. `keep_on_disk` writes commits to the disk every few seconds, so that a power failure
loses at most these seconds (docs/decisions/0010-commits-do-not-wait-for-the-disk.md).
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, Final
from urllib.parse import quote

import orjson
import structlog
from sqlalchemy import (
    JSON,
    URL,
    BindParameter,
    ColumnElement,
    Connection,
    Engine,
    Text,
    cast,
    create_engine,
    event,
    make_url,
)
from sqlalchemy.dialects import sqlite
from sqlalchemy.exc import DBAPIError, IntegrityError
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession, create_async_engine
from sqlalchemy.pool import QueuePool
from sqlalchemy.util import greenlet_spawn

from app.domain.errors import StoreError
from app.domain.text.pattern import occur_in_order
from app.store.database import driver
from app.store.database.damage import READABLE, read_json, read_text

log = structlog.get_logger()

BUSY_SECONDS = 5
"""Seconds that SQLite waits for another process to finish writing."""
POOL_SIZE = 5
"""Number of pooled connections. With SQLite, each connection has a thread."""
DISK_SECONDS = 2.0
"""Seconds from a commit until it is written to the disk."""


@dataclass(frozen=True)
class Store:
    """An open database. Use it in one event loop only."""

    engine: AsyncEngine
    _writing: asyncio.Lock = field(default_factory=asyncio.Lock)
    _written: asyncio.Event = field(default_factory=asyncio.Event)

    @asynccontextmanager
    async def read(self) -> AsyncGenerator[AsyncSession, None]:
        """Open a session for reading. All its queries see the same state of the database.

        Raises:
            StoreError: the database cannot be read.
        """
        async with _describe_faults(self.engine, "read"), _open_session(self.engine) as session:
            yield session

    @asynccontextmanager
    async def write(self) -> AsyncGenerator[AsyncSession, None]:
        """Open a session whose changes are committed together.

        SQLite allows one writer at a time. Tasks of this process wait for a lock here, because SQLite itself waits by
        sleeping longer and longer.

        Raises:
            StoreError: the database cannot be written.
            IntegrityError: a change violates a constraint of the database.
        """
        # IMMEDIATE waits until this session may write. A transaction that started with a read would fail instead.
        engine = self.engine.execution_options(begin="BEGIN IMMEDIATE")
        async with (
            _describe_faults(self.engine, "written"),
            self._writing,
            _open_session(engine) as session,
            session.begin(),
        ):
            yield session
        self._written.set()

    def beside(self, engine: AsyncEngine) -> Store:
        """Return a second store with this engine. At any time, only one session of the two stores writes.

        After each commit, the second store also wakes `keep_on_disk` of this store.
        """
        return Store(engine, self._writing, self._written)

    async def close_idle(self) -> None:
        """Close all connections if none is in use. The next session opens a new one.

        Each connection keeps pages of the database, and the values of the last execution of each statement.
        """
        engine = self.engine.sync_engine
        pool = engine.pool
        if isinstance(pool, QueuePool) and not pool.checkedout():
            engine.pool = pool.recreate()  # first: no session may take a connection from a pool that is being closed
            await greenlet_spawn(pool.dispose)

    async def keep_on_disk(self) -> None:
        """Write committed data to the disk a few seconds after each commit, until the task is cancelled.

        No session waits for this. Databases other than SQLite write to the disk themselves.
        """
        while self.engine.dialect.name == "sqlite":
            await self._written.wait()
            await asyncio.sleep(DISK_SECONDS)
            self._written.clear()
            try:
                await self._checkpoint()
            except StoreError as error:
                log.warning("data could not be written to the disk; Inview tries again", fault=str(error))
                self._written.set()

    async def _checkpoint(self) -> None:
        engine = self.engine.execution_options(begin="")
        async with _describe_faults(self.engine, "written to the disk"), engine.connect() as connection:
            await connection.exec_driver_sql("PRAGMA wal_checkpoint(PASSIVE)")


def began_at(session: AsyncSession) -> float:
    """Return the time of `time.monotonic` when this session was opened. The session sees all earlier commits."""
    return session.info[_BEGAN]


_BEGAN: Final = "began"


def _open_session(engine: AsyncEngine) -> AsyncSession:
    return AsyncSession(engine, autoflush=False, info={_BEGAN: monotonic()})


@asynccontextmanager
async def open_store(url: str) -> AsyncGenerator[Store, None]:
    """Open the migrated database at this URL (see `migrations.py`), and close it when the context ends."""
    engine = make_engine(url)
    try:
        yield Store(engine)
    finally:
        await engine.dispose()


def make_engine(url: str) -> AsyncEngine:
    """Make an asynchronous engine for the database at this URL."""
    options = _options(url)
    connections = driver.Connections()
    if _is_sqlite(url):
        options["connect_args"] |= {"async_creator_fn": connections.connect}
    engine = create_async_engine(url, pool_size=POOL_SIZE, **options).sync_engine
    _listen(engine)
    return _Engine(engine, connections)


class _Engine(AsyncEngine):
    """A SQLAlchemy engine whose `dispose` ends the threads of its connections and prevents new connections."""

    def __init__(self, engine: Engine, connections: driver.Connections) -> None:
        super().__init__(engine)
        self._connections = connections

    async def dispose(self, close: bool = True) -> None:  # noqa: FBT001, FBT002 - as in SQLAlchemy
        try:
            await super().dispose(close)
        finally:
            if close:
                await self._connections.close()


def make_blocking_engine(url: str) -> Engine:
    """Make an engine for the database at this URL that needs no event loop. Migrations use it."""
    parsed = make_url(url)
    # aiosqlite wraps Python's own driver in a thread. Other drivers have one name for blocking and async use.
    engine = create_engine(parsed.set(drivername="sqlite") if _is_sqlite(url) else parsed, **_options(url))
    _listen(engine)
    return engine


def make_reading_engine(url: str) -> Engine:
    """Make an engine that only reads this SQLite database. A text that is not UTF-8 becomes `Unreadable`."""
    return _make_tolerant_engine(url, "ro")


def make_mending_engine(url: str) -> Engine:
    """Make an engine that reads like that of `make_reading_engine`, and writes after waiting for other writers."""
    return _make_tolerant_engine(url, "rw").execution_options(begin="BEGIN IMMEDIATE")


def _make_tolerant_engine(url: str, mode: str) -> Engine:
    parsed = make_url(url)
    place = f"file:{quote(parsed.database or '')}"
    engine = create_engine(URL.create("sqlite", database=place, query={"mode": mode, "uri": "true"}), **_options(url))
    engine.dialect.colspecs = {**engine.dialect.colspecs, **READABLE}
    event.listen(engine, "connect", _read_any_text)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _read_any_text(connection: Any, _record: object) -> None:
    connection.text_factory = read_text


def _options(url: str) -> dict[str, Any]:
    # The driver must not start transactions: it would start them late, and never with IMMEDIATE.
    connect_args = {"isolation_level": None, "timeout": BUSY_SECONDS} if _is_sqlite(url) else {}
    return {"json_serializer": _dump_json, "json_deserializer": read_json, "connect_args": connect_args}


def _is_sqlite(url: str) -> bool:
    return make_url(url).get_backend_name() == "sqlite"


def _listen(engine: Engine) -> None:
    if engine.dialect.name == "sqlite":
        engine.dialect.colspecs = {**engine.dialect.colspecs, **READABLE, JSON: _Json}
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
        event.listen(engine, "invalidate", _let_go)


def _dump_json(value: object) -> bytes:
    """Encode a value as JSON. Bytes are JSON already."""
    return value if isinstance(value, bytes) else orjson.dumps(value)


class _Json(sqlite.JSON[Any]):
    """JSON that is handed to SQLite in UTF-8: as a `str`, a text with one emoji takes five times as much memory."""

    cache_ok = True

    def bind_expression(self, bindvalue: BindParameter[Any]) -> ColumnElement[Any]:
        return cast(bindvalue, Text)  # without the cast, SQLite would store the value as bytes


def _prepare_sqlite(connection: Any, _record: object) -> None:
    cursor = connection.cursor()
    try:
        for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON"):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()
        # SQLite's own LIKE can take unbounded time for several wildcards. This function reads the text once.
        connection.create_function("in_order", 2, _in_order, deterministic=True)
    except Exception:
        connection.close()  # the pool does not know the connection yet, so its thread would outlive the event loop
        raise


def _let_go(connection: Any, _record: object, _fault: object) -> None:
    """Roll back the transaction of a discarded connection, for example after its task was cancelled in a statement.

    Closing the connection does not end the transaction while an object still refers to the statement, for example the
    traceback of the cancellation.
    """
    try:
        connection.rollback()
    except sqlite3.Error as error:  # the connection is closed next, even after an error
        log.warning("the transaction of an abandoned connection could not be ended", fault=str(error))


def _in_order(text: str, pieces: str) -> bool:
    return occur_in_order(orjson.loads(pieces), text)


def _begin_sqlite(connection: Connection) -> None:
    if not (begin := connection.get_execution_options().get("begin", "BEGIN")):
        return
    visited = connection.connection.driver_connection
    if isinstance(visited, driver.VisitedConnection):
        visited.begin_with(begin)
    else:
        connection.exec_driver_sql(begin)


_ADVICE = (
    (
        "locked",
        "Another program has locked the database. Nothing was changed. Close it or wait for it, then try again.",
    ),
    ("full", "The disk is full. Nothing was changed; running replies continue in memory. Make room, then try again."),
    (
        "readonly",
        (
            "Inview has no permission to write to the database. Nothing was changed. Allow Inview to write to its "
            "folder, then try again."
        ),
    ),
    ("disk I/O", "The disk failed. Nothing was changed. Check that the disk is connected and works, then try again."),
    ("malformed JSON", "Stored data is garbled. Run `inview doctor`: it lists the data that cannot be read."),
    ("malformed", "The database is damaged. Restore a backup."),
    ("closed", "Inview is ending. Start it again, then try again."),
)
"""Advice for an error of the driver, by a word in its message."""
_OTHERWISE = "Check that the disk has room, that the file is writable and that no other program uses it."


@asynccontextmanager
async def _describe_faults(engine: AsyncEngine, what: str) -> AsyncGenerator[None, None]:
    try:
        yield
    except IntegrityError:
        raise  # the caller knows which constraint was violated, and what to do
    except DBAPIError as error:
        raise explain_fault(engine, what, error) from error


def explain_fault(engine: Engine | AsyncEngine, what: str, error: DBAPIError) -> StoreError:
    """Turn an error of the driver into an error with advice. `what` says what could not be done, such as "read"."""
    place = engine.url.database or engine.url.render_as_string(hide_password=True)
    message = str(error.orig)
    advice = next((advice for word, advice in _ADVICE if word in message), _OTHERWISE)
    return StoreError(f"The database {place} could not be {what}: {message}.", advice)
