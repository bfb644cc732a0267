"""SQLite: how its connections are set up, its transactions begun, and what its faults mean.

SQLite runs in WAL mode with `synchronous=NORMAL`: what is committed outlives the death of this process at any moment,
and nobody waits for the disk. `keep_on_disk` brings it there every few seconds, so that a loss of power costs no more
than these (docs/decisions/0010-commit-without-waiting-for-the-disk.md).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import orjson
import structlog
from sqlalchemy import URL, Connection, Engine, event

from app.domain.pattern import occur_in_order
from app.store.database import driver, kind
from app.store.database.kind import Kind

log = structlog.get_logger()

_ADVICE = (
    ("locked", "Another program holds the database. Nothing was changed. Close it or wait for it, then try again."),
    ("full", "The disk is full. Nothing was changed; replies that run go on in memory. Make room, then try again."),
    ("readonly", "The database may not be written. Nothing was changed. Let Inview write its folder, then try again."),
    ("disk I/O", "The disk fails. Nothing was changed. Check the disk, and that it is still there, then try again."),
    ("malformed", "The database is damaged. Put a copy of it back that is whole."),
)
"""What a fault means, by a word of the driver's own message."""
_OTHERWISE = "Check that the disk has room, that the file is writable and that nothing else holds it."


class _Sqlite:
    """The kind of databases that are a file. See `Kind`."""

    # IMMEDIATE waits for its turn to write; a transaction that began by reading would be refused instead.
    to_write: Mapping[str, Any] = MappingProxyType({"begin": "BEGIN IMMEDIATE"})
    is_file = True
    to_disk: str | None = "PRAGMA wal_checkpoint(PASSIVE)"
    trigger_names = "SELECT name FROM sqlite_master WHERE type = 'trigger'"
    last_audit_number = "SELECT seq FROM sqlite_sequence WHERE name = 'audit'"
    begins_after: str | None = None

    def connect_args(self) -> dict[str, Any]:
        # The driver must not begin transactions by itself: it would begin them late, and never IMMEDIATE.
        return {"isolation_level": None, "timeout": kind.BUSY_SECONDS}

    def connect_args_of_loop(self) -> dict[str, Any]:
        return {"async_creator_fn": driver.connect}

    def blocking_url(self, url: URL) -> URL:
        # aiosqlite is a thread around the driver that Python has.
        return url.set(drivername="sqlite")

    def exists(self, url: URL) -> bool:
        return url.database is not None and Path(url.database).exists()

    def engine_options(self) -> dict[str, Any]:
        return {}

    def prepare(self, engine: Engine) -> None:
        event.listen(engine, "connect", _set_up)
        event.listen(engine, "begin", _begin)
        event.listen(engine, "invalidate", _let_go)

    def advise(self, said: str) -> str:
        return next((advice for word, advice in _ADVICE if word in said), _OTHERWISE)


SQLITE: Final[Kind] = _Sqlite()


def _set_up(connection: Any, _record: object) -> None:
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


def _begin(connection: Connection) -> None:
    if not (begin := connection.get_execution_options().get("begin", "BEGIN")):
        return
    visited = connection.connection.driver_connection
    if isinstance(visited, driver.VisitedConnection):
        visited.begin_with(begin)
    else:
        connection.exec_driver_sql(begin)
