"""PostgreSQL by psycopg: how its connections are set up, its transactions begun, and what its faults mean.

JSON is stored as text, as SQLite has it: `json` would refuse what is damaged, and `jsonb` an escaped NUL. Functions
that queries call by SQLite's names are in `alembic/postgresql/functions.sql`.

A transaction that writes waits for its turn behind one advisory lock of the database, as SQLite's does, so that what
is decided within it stays true to its end (docs/decisions/0131-postgresql-as-the-second-engine.md).

Not here: SQLite (`sqlite.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from psycopg.adapt import Buffer, Loader
from psycopg.types.string import StrDumper, StrDumperUnknown
from sqlalchemy import JSON, URL, Connection, Dialect, Engine, Integer, event

from app.store.database import kind
from app.store.database.damage import load_json
from app.store.database.kind import Kind

TURN: Final = 7304513
"""The number of the lock of who writes, Inview's own within its database."""
_WAIT: Final = f"SELECT set_config('lock_timeout', '{{}}ms', true), pg_advisory_xact_lock({TURN})"
"""Wait for the turn to write. How long holds for whatever else of the transaction waits for a lock."""
_NUL: Final = "�"
"""Stands for a NUL character, which PostgreSQL's texts cannot hold."""
_ADVICE = (
    (
        "lock timeout",
        "Another program holds the database. Nothing was changed. Wait for it, then try again.",
    ),
    ("Connection refused", "Start PostgreSQL, or correct INVIEW_DATABASE_URL, then try again."),
    ("password", "Correct the name or the password in INVIEW_DATABASE_URL."),
    ("does not exist", "Create the database, or correct INVIEW_DATABASE_URL. Then run `inview migrate`."),
    ("No space left", "The disk is full. Nothing was changed; replies that run go on in memory. Make room."),
    ("permission denied", "Let the person in INVIEW_DATABASE_URL own the database."),
    ("read-only", "The database may not be written. Nothing was changed. Connect to the server that can be written."),
)
"""What a fault means, by words of the driver's own message."""
_OTHERWISE = "Check that PostgreSQL runs and can be reached, then try again."


class _Postgresql:
    """The kind of databases that a server keeps. See `Kind`."""

    # Who else wants to write waits; what this one reads from then on is what is committed.
    to_write: Mapping[str, Any] = MappingProxyType({"isolation_level": "READ COMMITTED", "waits_for_turn": True})
    is_file = False
    to_disk: str | None = None
    trigger_names = "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal AND tgenabled <> 'D'"
    last_audit_number = "SELECT number FROM given_number WHERE name = 'audit'"
    begins_after: str | None = "0069"

    def connect_args(self) -> dict[str, Any]:
        return {"options": "-c timezone=UTC", "connect_timeout": 10, "application_name": "inview"}

    def connect_args_of_loop(self) -> dict[str, Any]:
        return {}

    def blocking_url(self, url: URL) -> URL:
        return url

    def exists(self, url: URL) -> bool:  # noqa: ARG002 - a server tells only when it is asked
        return True

    def engine_options(self) -> dict[str, Any]:
        # All that a session reads is as of one moment.
        return {"isolation_level": "REPEATABLE READ", "pool_pre_ping": True}

    def prepare(self, engine: Engine) -> None:
        engine.dialect.colspecs = {**engine.dialect.colspecs, Integer: _Whole, JSON: _StoredJson}
        event.listen(engine, "connect", _set_up)
        event.listen(engine, "begin", _begin)

    def advise(self, said: str) -> str:
        return next((advice for word, advice in _ADVICE if word in said), _OTHERWISE)


POSTGRESQL: Final[Kind] = _Postgresql()


class _Whole(Integer):
    """A whole number of up to 64 bits, as every one is in SQLite: the driver says how many each one has."""

    __visit_name__ = "big_integer"


class _StoredJson(JSON):
    """A value as JSON text. Columns of PostgreSQL's own tables that have its type come as values."""

    def result_processor(self, dialect: Dialect, coltype: object) -> Any:  # noqa: ARG002 - of SQLAlchemy
        return _load_json


def _load_json(value: Any) -> Any:
    return load_json(value) if isinstance(value, str) else value


class _WholeLoader(Loader):
    """Sums of whole numbers, which PostgreSQL gives as decimals: no column holds any."""

    def load(self, data: Buffer) -> int | float:
        said = bytes(data)
        return float(said) if b"." in said else int(said)


class _Dumper(StrDumper):
    def dump(self, obj: str) -> Buffer | None:
        return super().dump(obj.replace("\0", _NUL) if "\0" in obj else obj)


class _DumperUnknown(StrDumperUnknown):
    def dump(self, obj: str) -> Buffer | None:
        return super().dump(obj.replace("\0", _NUL) if "\0" in obj else obj)


def _set_up(connection: Any, _record: object) -> None:
    adapters = getattr(connection, "driver_connection", connection).adapters
    adapters.register_loader("numeric", _WholeLoader)
    adapters.register_dumper(str, _Dumper)
    adapters.register_dumper(str, _DumperUnknown)


def _begin(connection: Connection) -> None:
    if connection.get_execution_options().get("waits_for_turn"):
        connection.exec_driver_sql(_WAIT.format(round(kind.BUSY_SECONDS * 1000)))
