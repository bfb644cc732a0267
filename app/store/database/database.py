"""Access to the database: one engine per process, sessions that read or write, faults as `StoreError`.

    async with open_store(url) as store:
        async with store.read() as session: ...
        async with store.write() as session: ...      # committed at the end, rolled back when an exception leaves

Queries are Core statements on plain columns: the values are immutable, so an identity map would have nothing to do.

Not here: what differs from one engine to another (`kind.py`, `sqlite.py`, `postgresql.py`).
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, Protocol

import orjson
import structlog
from sqlalchemy import Engine, create_engine, make_url
from sqlalchemy.exc import DBAPIError, IntegrityError
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession, create_async_engine

from app.domain.errors import StoreError
from app.store.database.damage import load_json
from app.store.database.kind import Kind
from app.store.database.slow_statements import log_slow
from app.store.database.sqlite import SQLITE

log = structlog.get_logger()

POOL_SIZE = 5
"""Connections kept; in SQLite's case each is a thread."""
DISK_SECONDS = 2.0
"""From a commit until it is brought to the disk."""


@dataclass(slots=True)
class Waits:
    """How often somebody waited for the turn to write, and for how long in all, in seconds."""

    count: int = 0
    seconds: float = 0.0


class Companion(Protocol):
    """What goes with each transaction, such as the audit trail."""

    def beside(self) -> Companion:
        """What goes with transactions on a database in memory beside this one."""
        ...

    async def write(self, session: AsyncSession) -> Callable[[], None] | None:
        """Write what waits, as the last thing of a transaction; return what takes that back if it is not committed."""
        ...


@dataclass(frozen=True)
class Store:
    """A database in use. Not for several event loops."""

    engine: AsyncEngine
    companions: list[Companion] = field(default_factory=list[Companion])
    _writing: asyncio.Lock = field(default_factory=asyncio.Lock)
    _written: asyncio.Event = field(default_factory=asyncio.Event)
    waits: Waits = field(default_factory=Waits)
    slow_seconds: float | None = None

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
        engine = self.engine.execution_options(**_kind(self.engine).to_write)
        written: list[Callable[[], None]] = []
        try:
            async with (
                _describe_faults(self.engine, "written"),
                self._turn(),
                AsyncSession(engine, autoflush=False) as session,
                session.begin(),
            ):
                yield session
                for companion in self.companions:
                    written += filter(None, [await companion.write(session)])
        except BaseException:
            for take_back in written:
                take_back()
            raise
        self._written.set()

    def beside(self, engine: AsyncEngine) -> Store:
        """Another way to this database: who writes through either waits for both, and what it wrote is kept on disk."""
        if self.slow_seconds is not None:
            log_slow(engine.sync_engine, self.slow_seconds)
        return Store(
            engine,
            companions=[one.beside() for one in self.companions],
            waits=self.waits,
            _writing=self._writing,
            _written=self._written,
            slow_seconds=self.slow_seconds,
        )

    @asynccontextmanager
    async def _turn(self) -> AsyncGenerator[None, None]:
        """The turn to write, in this process."""
        began = monotonic()
        async with self._writing:
            self.waits.count += 1
            self.waits.seconds += monotonic() - began
            yield

    @property
    def is_file(self) -> bool:
        """Whether the database is a file on this machine, and not on a server."""
        return _kind(self.engine).is_file

    async def keep_on_disk(self) -> None:
        """Bring what is committed to the disk every few seconds, as long as the process lives and something is.

        Neither readers nor writers wait for it. Other databases than SQLite see to that themselves.
        """
        while (statement := _kind(self.engine).to_disk) is not None:
            await self._written.wait()
            await asyncio.sleep(DISK_SECONDS)
            self._written.clear()
            try:
                await self._checkpoint(statement)
            except StoreError as error:
                log.warning("what is stored could not be brought to the disk; it is tried again", fault=str(error))
                self._written.set()

    async def _checkpoint(self, statement: str) -> None:
        engine = self.engine.execution_options(begin="")
        async with _describe_faults(self.engine, "written to the disk"), engine.connect() as connection:
            await connection.exec_driver_sql(statement)


@asynccontextmanager
async def open_store(url: str, *, slow_seconds: float | None = None) -> AsyncGenerator[Store, None]:
    """The database at this URL, closed at the end. It must have been migrated (see `migrations.py`).

    Statements that take longer than `slow_seconds` are logged; None: none is.
    """
    engine = make_engine(url)
    if slow_seconds is not None:
        log_slow(engine.sync_engine, slow_seconds)
    try:
        yield Store(engine, slow_seconds=slow_seconds)
    finally:
        await engine.dispose()


def make_engine(url: str, *, pool_size: int = POOL_SIZE, **pool: Any) -> AsyncEngine:
    """An engine for this database. `pool`: what else SQLAlchemy's pool is told."""
    kind = kind_of(url)
    asked = kind.connect_args() | kind.connect_args_of_loop()
    options = kind.engine_options() | _json_options() | pool
    engine = create_async_engine(url, pool_size=pool_size, connect_args=asked, **options)
    kind.prepare(engine.sync_engine)
    return engine


def make_blocking_engine(url: str) -> Engine:
    """An engine for this database that needs no event loop, for migrations."""
    kind = kind_of(url)
    options = kind.engine_options() | _json_options()
    engine = create_engine(kind.blocking_url(make_url(url)), connect_args=kind.connect_args(), **options)
    kind.prepare(engine)
    return engine


def kind_of(url: str) -> Kind:
    """The kind of database that this URL names.

    Raises:
        StoreError: it names none that Inview knows.
    """
    return kind_named(make_url(url).get_backend_name())


def kind_named(name: str) -> Kind:
    """The kind of database that SQLAlchemy calls so.

    Raises:
        StoreError: Inview knows none of this name.
    """
    match name:
        case "sqlite":
            return SQLITE
        case "postgresql":
            from app.store.database.postgresql import POSTGRESQL  # noqa: PLC0415 - its driver is an extra

            return POSTGRESQL
        case _:
            raise StoreError(f"Inview knows no database engine {name!r}. Use SQLite or PostgreSQL.")


def kind_of_session(session: AsyncSession) -> Kind:
    """The kind of database that a session is on."""
    return kind_named(session.get_bind().dialect.name)


def _kind(engine: AsyncEngine) -> Kind:
    return kind_named(engine.dialect.name)


def _json_options() -> dict[str, Any]:
    return {"json_serializer": _dump_json, "json_deserializer": load_json}


def _dump_json(value: object) -> str:
    return orjson.dumps(value).decode()


@asynccontextmanager
async def _describe_faults(engine: AsyncEngine, what: str) -> AsyncGenerator[None, None]:
    try:
        yield
    except IntegrityError:
        raise  # the caller knows which rule was broken and what that means
    except DBAPIError as error:
        place = engine.url.database or engine.url.render_as_string(hide_password=True)
        said = str(error.orig)
        raise StoreError(f"The database {place} could not be {what}: {said}.", _kind(engine).advise(said)) from error
