"""An empty database of the newest revision, to begin with: migrated once in a process, then copied.

    lay_database(tmp_path)      # tmp_path/inview.db, of SQLite
    lay_url(tmp_path)           # the URL of that, or of a database on the server that INVIEW_TEST_DATABASE_URL names
    drop(tmp_path)              # it is gone; on the server it is emptied, and lent again, which takes less time
    ask(tmp_path, "SELECT id FROM pair")        # what any other program finds there now

All migrations take most of a second, which a test that is about something else need not wait for.
(`store/test_migrations.py` is about them.) `INVIEW_TEST_DATABASE_URL` names a database of PostgreSQL and a superuser,
such as `postgresql+psycopg://inview@127.0.0.1:5432/postgres`: databases for tests are made beside it.

Engines of a process share what SQLAlchemy compiled (`make_engine_that_shares`): each test opens its own engine, and a
seventh of its processor time went into compiling the same statements again.
"""

from __future__ import annotations

import asyncio
import atexit
import os
import sqlite3
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import AsyncExitStack, asynccontextmanager, closing, contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final
from uuid import uuid4

from sqlalchemy import Connection, Engine, NullPool, create_engine, make_url, text
from sqlalchemy import Row as Found
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from app.store.backup.moving import copy_database
from app.store.database.database import POOL_SIZE, kind_of, make_blocking_engine
from app.store.database.migrations import upgrade
from app.store.database.postgresql import TURN
from app.store.tables import Row

SERVER: Final = os.environ.get("INVIEW_TEST_DATABASE_URL")
_laid: dict[Path, str] = {}
"""The databases on the server, by the folders that they are for."""
_PARTS: Final = (
    "SELECT (SELECT count(*) FROM pg_class WHERE relpersistence = 'p'), (SELECT count(*) FROM pg_trigger), "
    "(SELECT count(*) FROM pg_proc)"
)
"""How many tables with their indexes, triggers and functions a database has."""
_empty: list[str] = []
"""Those on the server that are for none now."""


def lay_database(folder: Path) -> Path:
    """Put an empty database of SQLite into a folder, unless it has one. Returns the database's path."""
    folder.mkdir(parents=True, exist_ok=True)
    if not (database := folder / "inview.db").exists():
        database.write_bytes(_migrated())
    return database


def lay_url(folder: Path) -> str:
    """The URL of the database of a folder, which is made, empty, unless it has one."""
    if SERVER is None:
        return f"sqlite+aiosqlite:///{lay_database(folder)}"
    if folder not in _laid:
        _laid[folder] = _empty.pop() if _empty else _create(f"TEMPLATE {_template()}")
    return _url_of(_laid[folder])


def installation(folder: Path) -> dict[str, str]:
    """The settings of an installation in this folder, whose database is empty unless it has one."""
    url = lay_url(folder)
    return {"INVIEW_DATA_DIR": str(folder)} | ({} if SERVER is None else {"INVIEW_DATABASE_URL": url})


def drop(folder: Path) -> None:
    """Take away the database of a folder, if it has one."""
    if SERVER is None:
        (folder / "inview.db").unlink(missing_ok=True)
    elif folder in _laid:
        name = _laid.pop(folder)
        if _clear(name):
            _empty.append(name)
        else:
            _drop(name)


@contextmanager
def lending() -> Generator[None]:
    """Take back at the end what was laid on the server in the meantime."""
    before = set(_laid)
    yield
    for folder in _laid.keys() - before:
        drop(folder)


def lay_unmigrated() -> str:
    """The URL of a new database on the server without anything in it. It is dropped when the process ends."""
    return _url_of(_create("TEMPLATE template0"))


def tables_with(url: str, words: str) -> list[str]:
    """The tables on the server that have a row with these words."""
    engine = make_blocking_engine(url)
    with engine.connect() as connection:
        found = [
            name
            for name in Row.metadata.tables
            if connection.execute(
                text(f'SELECT 1 FROM public."{name}" AS one WHERE strpos(one::text, :words) > 0'), {"words": words}
            ).first()
        ]
    engine.dispose()
    return found


def ask(folder: Path, query: str, **values: object) -> list[tuple[Any, ...]]:
    """The rows that another program finds in the database of a folder now."""
    with _connected(folder) as connection:
        return [tuple(row) for row in connection.execute(text(query), values)]


def change(folder: Path, *statements: str, **values: object) -> None:
    """Change the database of a folder as another program would, at once and under its rules."""
    with _writing(folder) as connection:
        for statement in statements:
            connection.execute(text(statement), values)


def change_past_rules(folder: Path, statement: str, **values: object) -> None:
    """Change the database of a folder past triggers and foreign keys, which are there again afterwards."""
    with past_rules(folder) as connection:
        connection.execute(text(statement), values)


@contextmanager
def past_rules(folder: Path) -> Generator[Connection]:
    """Changes to the database of a folder, past triggers and foreign keys, which are there again afterwards."""
    if SERVER is not None:
        with _writing(folder) as connection:
            connection.exec_driver_sql("SET LOCAL session_replication_role = replica")
            yield connection
        return
    with _bare(folder) as connection:
        connection.exec_driver_sql("BEGIN IMMEDIATE")  # waits its turn; a lock that is taken while reading is refused
        triggers = connection.exec_driver_sql("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").all()
        for name, _ in triggers:
            connection.exec_driver_sql(f"DROP TRIGGER {name}")
        yield connection
        for _, made in triggers:
            connection.exec_driver_sql(made)
        connection.exec_driver_sql("COMMIT")


def tidy_up(folder: Path) -> None:
    """Have the planner of a server know the rows of the database of a folder as they are."""
    with _bare(folder) as connection:
        connection.exec_driver_sql("VACUUM ANALYZE")


def drop_trigger(table: str, name: str) -> str:
    """The statement that takes a rule of a table away."""
    return f"DROP TRIGGER {name}" + ("" if SERVER is None else f" ON {table}")


def dump(folder: Path) -> str:
    """All rows of the database of a folder as text."""
    with _connected(folder) as connection:
        if SERVER is None:
            file = connection.connection.driver_connection
            assert isinstance(file, sqlite3.Connection)
            return "\n".join(file.iterdump())
        rows = [
            connection.execute(text(f'SELECT one::text FROM public."{name}" AS one')).scalars()
            for name in Row.metadata.tables
        ]
        return "\n".join(row for table in rows for row in table)


def copy_as_it_is(data: Path, to: Path) -> Path:
    """A data folder with the database that a process which dies now would leave."""
    to.mkdir()
    if SERVER is not None:
        copy_database(lay_url(data), lay_url(to), lambda _done, _total: None)
        return to
    with closing(sqlite3.connect(data / "inview.db")) as source, closing(sqlite3.connect(to / "inview.db")) as target:
        source.backup(target)
    return to


@contextmanager
def seeing_writes(folder: Path) -> Generator[Callable[[], bool]]:
    """Whether anything was written to the database of a folder since it was asked last."""
    newest = (
        f'(SELECT count(*) || coalesce(max(xmin::text::bigint), 0)::text FROM "{name}")' for name in Row.metadata.tables
    )
    query = "PRAGMA data_version" if SERVER is None else f"SELECT concat_ws(' ', {', '.join(newest)})"
    with _bare(folder) as connection:
        seen = [connection.exec_driver_sql(query).scalar_one()]

        def was_written() -> bool:
            seen.append(connection.exec_driver_sql(query).scalar_one())
            return seen[-1] != seen[-2]

        yield was_written


@asynccontextmanager
async def held(folder: Path) -> AsyncGenerator[None]:
    """Another program is in the middle of writing to the database of a folder, so that nobody else can."""
    held = "BEGIN IMMEDIATE" if SERVER is None else f"SELECT pg_advisory_lock({TURN})"
    with _bare(folder) as connection:
        await asyncio.to_thread(connection.exec_driver_sql, held)  # who is writing needs the loop to end
        yield


@asynccontextmanager
async def without_room(folder: Path, engine: AsyncEngine) -> AsyncGenerator[None]:
    """The disk of the database of a folder, which this engine is on, is full.

    SQLite's own limit of pages stands for that, and a trigger that says what a server says then.
    """
    if SERVER is None:
        await _limit_pages(engine, 1)  # SQLite takes the present size if that is more
        yield
        await _limit_pages(engine, 1_000_000)
        return
    says = "RAISE EXCEPTION USING MESSAGE = 'could not extend file: No space left on device', ERRCODE = 'disk_full'"
    made = f"CREATE FUNCTION disk_is_full() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {says}; END $$"
    watching = (
        f"CREATE TRIGGER disk_is_full BEFORE INSERT OR UPDATE ON {table} EXECUTE FUNCTION disk_is_full()"
        for table in ("pair", "message", "reply_journal")
    )
    await asyncio.to_thread(change, folder, made, *watching)
    yield
    await asyncio.to_thread(change, folder, "DROP FUNCTION disk_is_full CASCADE")


async def _limit_pages(engine: AsyncEngine, limit: int) -> None:
    async with AsyncExitStack() as stack:  # each connection has a limit of its own: all of the pool get it
        for _ in range(POOL_SIZE):
            connection = await stack.enter_async_context(engine.connect())
            await connection.execute(text(f"PRAGMA max_page_count = {limit}"))


@contextmanager
def _bare(folder: Path) -> Generator[Connection]:
    """A connection as the driver makes it, in no transaction."""
    url = lay_url(folder)
    bare = create_engine(kind_of(url).blocking_url(make_url(url)), poolclass=NullPool, isolation_level="AUTOCOMMIT")
    with bare.connect() as connection:
        yield connection


@contextmanager
def _connected(folder: Path) -> Generator[Connection]:
    engine = make_blocking_engine(lay_url(folder))
    try:
        with engine.connect() as connection:
            yield connection
    finally:
        engine.dispose()


@contextmanager
def _writing(folder: Path) -> Generator[Connection]:
    url = lay_url(folder)
    engine = make_blocking_engine(url)
    try:
        with engine.execution_options(**kind_of(url).to_write).begin() as connection:
            yield connection
    finally:
        engine.dispose()


def write_past_rules(url: str, *statements: str) -> None:
    """Write into a database past the triggers that forbid it, which are gone then."""
    engine = make_blocking_engine(url)
    with engine.begin() as connection:
        if SERVER is None:
            for name in connection.exec_driver_sql(kind_of(url).trigger_names).scalars().all():
                connection.exec_driver_sql(f"DROP TRIGGER {name}")
        else:
            for table in Row.metadata.tables:
                connection.exec_driver_sql(f'ALTER TABLE "{table}" DISABLE TRIGGER USER')
        for statement in statements:
            connection.exec_driver_sql(statement)
    engine.dispose()


@cache
def _migrated() -> bytes:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "inview.db"
        upgrade(f"sqlite+aiosqlite:///{path}")
        return path.read_bytes()


_first: dict[str, AsyncEngine] = {}
"""By driver, the engine whose dialect and compiled statements those after it use."""


def make_engine_that_shares(url: str, **options: Any) -> AsyncEngine:
    """Make an engine as SQLAlchemy does, which uses the compiled statements of those before it."""
    made = create_async_engine(url, **options)
    engine, first = made.sync_engine, _first.setdefault(made.driver, made).sync_engine
    engine.dialect = first.dialect  # a statement is compiled for one dialect, and found by it
    engine._compiled_cache = first._compiled_cache  # pyright: ignore[reportPrivateUsage] - of each engine, alone
    return made


@cache
def _template() -> str:
    name = _create("TEMPLATE template0")
    upgrade(_url_of(name))
    return name


@cache
def _server() -> Engine:
    assert SERVER is not None
    return create_engine(SERVER, isolation_level="AUTOCOMMIT")


def _create(how: str) -> str:
    name = f"inview_test_{uuid4().hex}"
    with _server().connect() as connection:
        connection.exec_driver_sql(f"CREATE DATABASE {name} {how}")
    atexit.register(_drop, name)
    return name


def _clear(name: str) -> bool:
    """Delete all rows, past the rules that forbid it: only a superuser of the server may. False: a test took something
    of the database itself away.
    """
    with _server().connect() as connection:
        connection.exec_driver_sql(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'")
    engine = create_engine(_url_of(name), poolclass=NullPool)
    with engine.begin() as connection:
        if connection.exec_driver_sql(_PARTS).one() != _parts_of_template():
            return False
        connection.exec_driver_sql("SET session_replication_role = replica")
        for table in Row.metadata.tables:
            connection.exec_driver_sql(f'DELETE FROM "{table}"')
        connection.exec_driver_sql("UPDATE given_number SET number = 0")
        without = "SELECT DISTINCT tgrelid::regclass FROM pg_trigger WHERE tgenabled = 'D'"
        for table in connection.exec_driver_sql(without).scalars().all():
            connection.exec_driver_sql(f"ALTER TABLE {table} ENABLE TRIGGER USER")
    return True


@cache
def _parts_of_template() -> Found[Any]:
    engine = create_engine(_url_of(_template()), poolclass=NullPool)
    with engine.connect() as connection:
        return connection.exec_driver_sql(_PARTS).one()


def _drop(name: str) -> None:
    with _server().connect() as connection:
        connection.exec_driver_sql(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


def _url_of(name: str) -> str:
    assert SERVER is not None
    return make_url(SERVER).set(database=name).render_as_string(hide_password=False)
