"""All rows of a database as SQLite stores them, whichever engine has them: for digests, backups and moving.

    with open_rows("sqlite+aiosqlite:///data/inview.db") as rows:       # opening.py
        for row in rows.read("pair", rows.columns("pair")): ...

A time is a text, a truth is 0 or 1, a JSON text that is a number is that number. Rows come one by one, in the order of
their keys and as of one moment.

Not here: what is done with rows (`fingerprint.py`, `moving.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, Protocol

REVISION: Final = "alembic_version"
"""The table of the schema's revision. It is made with the schema, not copied."""


class Rows(Protocol):
    """The rows of one database, within one transaction."""

    def tables(self) -> list[str]:
        """Names of all tables, sorted, without what the engine makes for itself."""
        ...

    def columns(self, table: str) -> list[str]:
        """Names of a table's columns, sorted."""
        ...

    def count(self, table: str) -> int:
        """How many rows a table has."""
        ...

    def last_audit_number(self) -> int:
        """The highest number that an entry of the audit trail ever had."""
        ...

    def read(self, table: str, columns: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        """These columns of all rows, in the order of the table's key, as SQLite stores them."""
        ...

    def begin_writing(self) -> None:
        """Switch off what the database does by itself when a row comes."""
        ...

    def write(self, table: str, columns: Sequence[str], rows: Iterable[tuple[Any, ...]]) -> None:
        """Add rows as they were read.

        Raises:
            StoreError: one of them cannot be stored.
        """
        ...

    def end_writing(self, last_audit_number: int) -> None:
        """Switch it on again, bring indexes of words up to date, and commit."""
        ...


def quote(name: str) -> str:
    """A name as both engines take it."""
    return '"' + name.replace('"', '""') + '"'
