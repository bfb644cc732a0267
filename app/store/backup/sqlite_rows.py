"""The rows of a database of SQLite. See `rows.py`."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from app.domain.errors import StoreError
from app.store.backup.rows import quote
from app.store.index.rows_search import INDEX_NAME

_AUDIT_COUNT: Final = "UPDATE sqlite_sequence SET seq = ? WHERE name = 'audit'"


class SqliteRows:
    """The rows of SQLite's database, of any revision. See `Rows`."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        self._triggers: list[tuple[str, str]] = []

    def tables(self) -> list[str]:
        found = self._database.execute("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'")
        return sorted(name for (name,) in found if not name.startswith("sqlite_"))

    def columns(self, table: str) -> list[str]:
        return sorted(name for name, _ in self._describe(table))

    def count(self, table: str) -> int:
        return self._database.execute(f"SELECT count(*) FROM {quote(table)}").fetchone()[0]  # noqa: S608 - quoted

    def last_audit_number(self) -> int:
        found = self._database.execute("SELECT seq FROM sqlite_sequence WHERE name = 'audit'").fetchone()
        return found[0] if found else 0

    def read(self, table: str, columns: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        keys = [name for name, place in sorted(self._describe(table), key=lambda column: column[1]) if place]
        selected, order = (", ".join(map(quote, names)) for names in (columns, keys or columns))
        # The names come from the schema, quoted.
        yield from self._database.execute(f"SELECT {selected} FROM {quote(table)} ORDER BY {order}")  # noqa: S608

    def begin_writing(self) -> None:
        found = self._database.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
        self._triggers = found.fetchall()
        for name, _ in self._triggers:
            self._database.execute(f"DROP TRIGGER {quote(name)}")

    def write(self, table: str, columns: Sequence[str], rows: Iterable[tuple[Any, ...]]) -> None:
        names, places = ", ".join(map(quote, columns)), ", ".join("?" * len(columns))
        try:
            # The names come from the schema, quoted.
            self._database.executemany(f"INSERT INTO {quote(table)} ({names}) VALUES ({places})", rows)  # noqa: S608
        except sqlite3.Error as error:
            raise StoreError(f"The rows of {table} cannot be copied: {error}.", "Run `inview doctor`.") from error

    def end_writing(self, last_audit_number: int) -> None:
        for _, statement in self._triggers:
            self._database.execute(statement)
        self._database.execute(f"INSERT INTO {INDEX_NAME} ({INDEX_NAME}) VALUES ('rebuild')")  # noqa: S608 - ours
        if not self._database.execute(_AUDIT_COUNT, (last_audit_number,)).rowcount:
            self._database.execute("INSERT INTO sqlite_sequence (name, seq) VALUES ('audit', ?)", (last_audit_number,))
        if (broken := self._database.execute("PRAGMA foreign_key_check").fetchone()) is not None:
            what = f"A row of {broken[0]} names a row of {broken[2]} that is not there."
            raise StoreError(what, "Run `inview doctor`.")
        self._database.execute("COMMIT")

    def _describe(self, table: str) -> list[tuple[str, int]]:
        return self._database.execute("SELECT name, pk FROM pragma_table_info(?)", (table,)).fetchall()
