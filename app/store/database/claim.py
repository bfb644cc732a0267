"""The claim of a process on its database, known to whoever comes later, however the process ends.

    async with claim(url) as alone: ...
    async with claim(url, shared=True): ...         # with others that say so too

SQLite: whether this process is the only one is told by locks of two files beside the database. PostgreSQL: an advisory
lock of one connection, and a second process is refused unless both are `shared`.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import signal
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Final

import structlog
from sqlalchemy import URL, make_url, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from app.domain.errors import StoreError
from app.store.database.database import kind_of, make_engine

log = structlog.get_logger(__name__)

LOCK: Final = 7304514
"""The number of the lock within a database, Inview's own."""
ALONE: Final = "pg_try_advisory_lock"
SHARED: Final = "pg_try_advisory_lock_shared"
PATIENCE_SECONDS: Final = 5.0
"""How long a start waits for the process before it: a server notices only in a moment that one was killed."""
RETRY_SECONDS: Final = 0.2
KEEP_SECONDS: Final = 5.0
"""From one look whether the claim still holds to the next."""


@asynccontextmanager
async def claim(url: str, *, shared: bool = False) -> AsyncGenerator[bool]:
    """Whether this process is the only one on the database, until the context is left. `shared`: others may come.

    Raises:
        StoreError: another process is on it, and the engine is not SQLite; or it cannot be reached.
    """
    parsed = make_url(url)
    if not kind_of(url).is_file:
        async with _claim_server(url, SHARED if shared else ALONE):
            yield not shared
    elif not parsed.database or parsed.database == ":memory:":
        yield False
    else:
        with _claim_file(parsed.database) as alone:
            yield alone


@contextmanager
def _claim_file(path: str) -> Generator[bool]:
    with _open_lock(f"{path}-owner") as present:
        with _open_lock(f"{path}-opening") as opening:
            fcntl.flock(opening, fcntl.LOCK_EX)  # two that open at once look one after the other, for a moment each
            try:
                fcntl.flock(present, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                alone = False
            else:
                alone = True
            fcntl.flock(present, fcntl.LOCK_SH)
        yield alone


@contextmanager
def _open_lock(path: str) -> Generator[int]:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@asynccontextmanager
async def _claim_server(url: str, lock: str) -> AsyncGenerator[None]:
    engine = make_engine(url, pool_size=1, max_overflow=0)
    try:
        try:
            taken = await _take(engine, lock, PATIENCE_SECONDS)
        except DBAPIError as error:
            said = str(error.orig)
            raise StoreError(
                f"The database {_name(url)} cannot be opened: {said}.", kind_of(url).advise(said)
            ) from error
        if taken is None:
            raise StoreError(
                f"Another Inview runs on the database {_name(url)}, and not both of them have INVIEW_REDIS_URL.",
                "Stop that process, or set INVIEW_REDIS_URL for both, or INVIEW_DATABASE_URL to another database. "
                "Then start again.",
            )
        held = _Held(taken)
        keeping = asyncio.create_task(_keep(engine, held, lock), name="keep the claim")
        try:
            yield
        finally:
            keeping.cancel()
            await asyncio.gather(keeping, return_exceptions=True)
            await held.connection.close()
    finally:
        await engine.dispose()  # the lock ends with its connection


async def _take(engine: AsyncEngine, lock: str, patience: float) -> AsyncConnection | None:
    """A connection that has the lock; None if another one had it all the time, in seconds."""
    connection = await engine.connect()
    try:
        await connection.execution_options(isolation_level="AUTOCOMMIT")
        while not (await connection.execute(text(f"SELECT {lock}({LOCK})"))).scalar_one():
            if patience <= 0:
                await connection.close()
                return None
            patience -= RETRY_SECONDS
            await asyncio.sleep(RETRY_SECONDS)
    except BaseException:
        await connection.invalidate()
        await connection.close()
        raise
    return connection


@dataclass
class _Held:
    """The connection that has the lock."""

    connection: AsyncConnection


async def _keep(engine: AsyncEngine, held: _Held, lock: str) -> None:
    """See every few seconds that the lock is held; take it again after the connection was lost. Who cannot ends."""
    while True:
        await asyncio.sleep(KEEP_SECONDS)
        try:
            await held.connection.execute(text("SELECT 1"))
            continue
        except DBAPIError as error:
            log.warning("the claim on the database was lost with its connection; it is taken again", why=str(error))
        await held.connection.invalidate()
        await held.connection.close()
        held.connection = await _take_again(engine, lock)


async def _take_again(engine: AsyncEngine, lock: str) -> AsyncConnection:
    while True:
        try:
            if (taken := await _take(engine, lock, PATIENCE_SECONDS)) is not None:
                return taken
        except DBAPIError:
            await asyncio.sleep(KEEP_SECONDS)  # the server is away; it was logged
            continue
        log.error("another process took the database while this one had no connection to it; this one ends")
        signal.raise_signal(signal.SIGTERM)
        await asyncio.sleep(KEEP_SECONDS)


def _name(url: str) -> str:
    parsed: URL = make_url(url)
    return parsed.database or parsed.render_as_string(hide_password=True)
