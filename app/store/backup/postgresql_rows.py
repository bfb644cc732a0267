"""The rows of a database of PostgreSQL as SQLite stores them. See `rows.py`.

They travel by COPY, which hands out and takes one row after the other, however many there are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any, Final, cast

import psycopg
from sqlalchemy import JSON, Boolean, Column, DateTime, Float, Integer, LargeBinary, Table
from sqlalchemy.exc import DBAPIError

from app.domain.errors import StoreError
from app.store.backup.rows import REVISION, quote
from app.store.database.database import kind_of, make_blocking_engine
from app.store.tables import Row

NUL: Final = "�"
"""Stands for a NUL character, which PostgreSQL's texts cannot hold (`store/database/postgresql.py`)."""
_WHOLE: Final = re.compile(r"-?[0-9]{1,19}")
_NUMBER: Final = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_EXACT: Final = 2**53
_NUMBER_OF_ENTRY: Final = "rowid"
"""The column that numbers the ledger, which no table of the code has."""
_IDENTITIES: Final = (
    "SELECT table_name, column_name FROM information_schema.columns "
    "WHERE table_schema = 'public' AND is_identity = 'YES'"
)

Cell = Callable[[Any], Any]


@contextmanager
def open_server_rows(url: str) -> Generator[PostgresqlRows]:
    """The rows of the database at this URL, as of now.

    Raises:
        StoreError: it cannot be reached, or a statement failed.
    """
    engine = make_blocking_engine(url)
    try:
        with engine.connect() as connection:
            driver = connection.connection.driver_connection
            yield PostgresqlRows(cast("psycopg.Connection[Any]", driver))
    except (DBAPIError, psycopg.Error) as error:
        said = str(error.orig if isinstance(error, DBAPIError) else error).strip()
        raise StoreError(f"The database {engine.url.database} failed: {said}.", kind_of(url).advise(said)) from error
    finally:
        engine.dispose()


class PostgresqlRows:
    """The rows of a database of the newest revision. See `Rows`."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self._connection = connection

    def tables(self) -> list[str]:
        return sorted((*Row.metadata.tables, REVISION))

    def columns(self, table: str) -> list[str]:
        return ["version_num"] if table == REVISION else sorted(_table(table).c.keys())

    def count(self, table: str) -> int:
        return self._ask(f"SELECT count(*) FROM {quote(table)}")  # noqa: S608 - quoted

    def last_audit_number(self) -> int:
        return self._ask("SELECT number FROM given_number WHERE name = 'audit'")

    def read(self, table: str, columns: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        if table == REVISION:
            yield (self._ask(f"SELECT version_num FROM {REVISION}"),)  # noqa: S608 - of this module
            return
        shapes = [_shape(table, name) for name in columns]
        selected = ", ".join(shape.select.format(quote(name)) for shape, name in zip(shapes, columns, strict=True))
        keys = [column.name for column in _table(table).primary_key] or columns
        order = ", ".join(f"{quote(name)} NULLS FIRST" for name in keys)
        with self._connection.cursor() as cursor:
            # The names are those of the tables of the code, quoted.
            asked = f"COPY (SELECT {selected} FROM {quote(table)} ORDER BY {order}) TO STDOUT"  # noqa: S608
            with cursor.copy(asked.encode()) as copy:
                copy.set_types([shape.type for shape in shapes])
                changed = [(place, shape.read) for place, shape in enumerate(shapes) if shape.read is not None]
                for row in copy.rows():
                    yield _change(row, changed) if changed else row

    def begin_writing(self) -> None:
        for table in Row.metadata.tables:
            self._do(f"ALTER TABLE {quote(table)} DISABLE TRIGGER USER")

    def write(self, table: str, columns: Sequence[str], rows: Iterable[tuple[Any, ...]]) -> None:
        shapes = [_shape(table, name) for name in columns]
        changed = [(place, shape.write) for place, shape in enumerate(shapes) if shape.write is not None]
        names = ", ".join(map(quote, columns))
        try:
            statement = f"COPY {quote(table)} ({names}) FROM STDIN"
            with self._connection.cursor() as cursor, cursor.copy(statement.encode()) as copy:
                for row in rows:
                    copy.write_row(_change(row, changed))
        except psycopg.Error as error:
            said = str(error).strip().partition("\n")[0]
            raise StoreError(f"The rows of {table} cannot be copied: {said}.", "Run `inview doctor`.") from error

    def end_writing(self, last_audit_number: int) -> None:
        for table in Row.metadata.tables:
            self._do(f"ALTER TABLE {quote(table)} ENABLE TRIGGER USER")
        self._do(f"UPDATE given_number SET number = {last_audit_number} WHERE name = 'audit'")  # noqa: S608 - a number
        for table, column in self._connection.execute(_IDENTITIES).fetchall():
            highest = f"max({quote(column)})"
            self._do(
                f"SELECT setval(pg_get_serial_sequence('{quote(table)}', '{column}'), "  # noqa: S608 - of the schema
                f"coalesce({highest}, 1), {highest} IS NOT NULL) FROM {quote(table)}"
            )
        self._connection.commit()
        self._do("ANALYZE")
        self._connection.commit()

    def _do(self, statement: str) -> None:
        self._connection.execute(statement.encode())

    def _ask(self, query: str) -> Any:
        found = self._connection.execute(query.encode()).fetchone()
        return None if found is None else found[0]


class _Shape:
    """How a column is selected, what type comes, and how its values are changed to SQLite's and back."""

    def __init__(self, type_: str, select: str = "{}", read: Cell | None = None, write: Cell | None = None) -> None:
        self.type, self.select, self.read, self.write = type_, select, read, write


def _write_text(value: Any) -> Any:
    return value.replace("\0", NUL) if isinstance(value, str) and "\0" in value else value


def _write_json(value: Any) -> Any:
    return _write_text(value if isinstance(value, str) or value is None else repr(value))


def read_json(text: str | None) -> str | int | float | None:
    """A JSON text as a column of SQLite has it: its type turns what looks like a number into one."""
    if text is None or not text or (text[0] != "-" and not text[0].isdigit()):
        return text
    if _WHOLE.fullmatch(text) and -(2**63) <= int(text) < 2**63:
        return int(text)
    if _NUMBER.fullmatch(text):
        number = float(text)
        return int(number) if number.is_integer() and abs(number) < _EXACT else number
    return text


_TEXT: Final = _Shape("text", write=_write_text)
_SHAPES: Final = MappingProxyType(
    {
        JSON: _Shape("text", read=read_json, write=_write_json),
        Boolean: _Shape("int8", "{}::int::int8"),
        DateTime: _Shape("text", "to_char({} AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US')"),
        Float: _Shape("float8"),
        Integer: _Shape("int8"),
        LargeBinary: _Shape("bytea"),
    }
)


def _shape(table: str, name: str) -> _Shape:
    if name == _NUMBER_OF_ENTRY:
        return _SHAPES[Integer]
    column: Column[Any] = _table(table).c[name]
    return next((shape for kind, shape in _SHAPES.items() if isinstance(column.type, kind)), _TEXT)


def _table(name: str) -> Table:
    return Row.metadata.tables[name]


def _change(row: Sequence[Any], changed: list[tuple[int, Cell]]) -> tuple[Any, ...]:
    cells = list(row)
    for place, change in changed:
        cells[place] = change(cells[place])
    return tuple(cells)
