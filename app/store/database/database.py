"""The way to the database: one engine per process, reading and writing sessions, faults as `StoreError`.

    async with open_store(url) as store:
        async with store.read() as session: ...
        async with store.write() as session: ...      # committed at the end, rolled back when an exception leaves

Queries are Core statements on plain columns: the values are immutable, so an identity map would have nothing to do.

SQLite runs in WAL mode with `synchronous=NORMAL`: what is committed outlives the death of this process at any moment,
and nobody waits for the disk. `keep_on_disk` brings it there every few seconds, so that a loss of power costs no more
than these (docs/decisions/0010-commits-do-not-wait-for-the-disk.md).
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

import orjson
import structlog
from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import DBAPIError, IntegrityError
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession, create_async_engine

from app.domain.errors import StoreError
from app.domain.pattern import occur_in_order
from app.store.database import driver
from app.store.database.damage import READABLE, read_json, read_text

log = structlog.get_logger()

BUSY_SECONDS = 5
"""How long SQLite waits for another process that is writing."""
POOL_SIZE = 5
"""Connections kept; in SQLite's case each is a thread."""
DISK_SECONDS = 2.0
"""From a commit until it is brought to the disk."""


@dataclass(frozen=True)
class Store:
    """A database in use. Not for several event loops."""

    engine: AsyncEngine
    _writing: asyncio.Lock = field(default_factory=asyncio.Lock)
    _written: asyncio.Event = field(default_factory=asyncio.Event)

    @asynccontextmanager
    async def read(self) -> AsyncGenerator[AsyncSession, None]:
        """A session that sees the database as of one moment.

        Raises:
            StoreError: the database cannot be read.
        """
        async with _describe_faults(self.engine, "read"), AsyncSession(self.engine, autoflush=False) as session:
            yield session

    @asynccontextmanager
    async def write(self) -> AsyncGenerator[AsyncSession, None]:
        """A session whose changes are committed together.

        SQLite has one writer at a time: within this process they queue here, as its own waiting is a growing sleep.

        Raises:
            StoreError: the database cannot be written.
            IntegrityError: a row contradicts another.
        """
        # IMMEDIATE waits for its turn to write; a transaction that began by reading would be refused instead.
        engine = self.engine.execution_options(begin="BEGIN IMMEDIATE")
        async with (
            _describe_faults(self.engine, "written"),
            self._writing,
            AsyncSession(engine, autoflush=False) as session,
            session.begin(),
        ):
            yield session
        self._written.set()

    def beside(self, engine: AsyncEngine) -> Store:
        """Another way to this database: who writes through either waits for both, and what it wrote is kept on disk."""
        return Store(engine, self._writing, self._written)

    async def keep_on_disk(self) -> None:
        """Bring what is committed to the disk every few seconds, as long as the process lives and something is.

        Neither readers nor writers wait for it. Other databases than SQLite see to that themselves.
        """
        while self.engine.dialect.name == "sqlite":
            await self._written.wait()
            await asyncio.sleep(DISK_SECONDS)
            self._written.clear()
            try:
                await self._checkpoint()
            except StoreError as error:
                log.warning("what is stored could not be brought to the disk; it is tried again", fault=str(error))
                self._written.set()

    async def _checkpoint(self) -> None:
        engine = self.engine.execution_options(begin="")
        async with _describe_faults(self.engine, "written to the disk"), engine.connect() as connection:
            await connection.exec_driver_sql("PRAGMA wal_checkpoint(PASSIVE)")


@asynccontextmanager
async def open_store(url: str) -> AsyncGenerator[Store, None]:
    """The database at this URL, closed at the end. It must have been migrated (see `migrations.py`)."""
    engine = make_engine(url)
    try:
        yield Store(engine)
    finally:
        await engine.dispose()


def make_engine(url: str) -> AsyncEngine:
    """An engine for this database."""
    options = _options(url)
    connections = driver.Connections()
    if _is_sqlite(url):
        options["connect_args"] |= {"async_creator_fn": connections.connect}
    engine = create_async_engine(url, pool_size=POOL_SIZE, **options).sync_engine
    _listen(engine)
    return _Engine(engine, connections)


class _Engine(AsyncEngine):
    """An engine whose disposal ends the threads of its connections."""

    def __init__(self, engine: Engine, connections: driver.Connections) -> None:
        super().__init__(engine)
        self._connections = connections

    async def dispose(self, close: bool = True) -> None:  # noqa: FBT001, FBT002 - as in SQLAlchemy
        await super().dispose(close)
        if close:
            await self._connections.close()


def make_blocking_engine(url: str) -> Engine:
    """An engine for this database that needs no event loop, for migrations."""
    parsed = make_url(url)
    # aiosqlite is a thread around the driver that Python has; other drivers speak both ways by one name.
    engine = create_engine(parsed.set(drivername="sqlite") if _is_sqlite(url) else parsed, **_options(url))
    _listen(engine)
    return engine


def make_reading_engine(url: str) -> Engine:
    """An engine that only reads this SQLite database. A text in it that is not UTF-8 is `Unreadable`."""
    return _make_tolerant_engine(url, "ro")


def make_mending_engine(url: str) -> Engine:
    """An engine that reads as `make_reading_engine` does, and writes. Its transactions wait for other writers."""
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
    # The driver must not begin transactions by itself: it would begin them late, and never IMMEDIATE.
    asked = {"isolation_level": None, "timeout": BUSY_SECONDS} if _is_sqlite(url) else {}
    return {"json_serializer": _dump_json, "json_deserializer": read_json, "connect_args": asked}


def _is_sqlite(url: str) -> bool:
    return make_url(url).get_backend_name() == "sqlite"


def _listen(engine: Engine) -> None:
    if engine.dialect.name == "sqlite":
        engine.dialect.colspecs = {**engine.dialect.colspecs, **READABLE}
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
        event.listen(engine, "invalidate", _let_go)


def _dump_json(value: object) -> str:
    return orjson.dumps(value).decode()


def _prepare_sqlite(connection: Any, _record: object) -> None:
    cursor = connection.cursor()
    try:
        for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON"):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()
        # LIKE with several stars takes a time that no length of the text bounds; this one reads it once.
        connection.create_function("in_order", 2, _in_order, deterministic=True)
    except Exception:
        connection.close()  # the pool does not know it yet, and its thread would outlive the event loop
        raise


def _let_go(connection: Any, _record: object, _fault: object) -> None:
    """End the transaction of a connection that is given up, as that of a task cancelled in the middle of a statement.

    Closing does not end it as long as anything still holds the statement, the traceback of the cancellation for one.
    """
    try:
        connection.rollback()
    except sqlite3.Error as error:  # it is closed next, whatever ails it
        log.warning("the transaction of a connection that is given up could not be ended", fault=str(error))


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
    ("locked", "Another program holds the database. Nothing was changed. Close it or wait for it, then try again."),
    ("full", "The disk is full. Nothing was changed; replies that run go on in memory. Make room, then try again."),
    ("readonly", "The database may not be written. Nothing was changed. Let Inview write its folder, then try again."),
    ("disk I/O", "The disk fails. Nothing was changed. Check the disk, and that it is still there, then try again."),
    ("malformed JSON", "Something stored is garbled. Run `inview doctor`: it lists what cannot be read."),
    ("malformed", "The database is damaged. Put a copy of it back that is whole."),
)
"""What a fault means, by a word of the driver's own message."""
_OTHERWISE = "Check that the disk has room, that the file is writable and that nothing else holds it."


@asynccontextmanager
async def _describe_faults(engine: AsyncEngine, what: str) -> AsyncGenerator[None, None]:
    try:
        yield
    except IntegrityError:
        raise  # the caller knows which rule was broken and what that means
    except DBAPIError as error:
        raise explain_fault(engine, what, error) from error


def explain_fault(engine: Engine | AsyncEngine, what: str, error: DBAPIError) -> StoreError:
    """The error for a fault of the driver, with what to do next. `what` is the participle, such as "read"."""
    place = engine.url.database or engine.url.render_as_string(hide_password=True)
    said = str(error.orig)
    advice = next((advice for word, advice in _ADVICE if word in said), _OTHERWISE)
    return StoreError(f"The database {place} could not be {what}: {said}.", advice)
