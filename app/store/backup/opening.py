"""The rows of the database at a URL, of either engine."""

from __future__ import annotations

import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager

from sqlalchemy import make_url

from app.store.backup.rows import Rows
from app.store.backup.sqlite_rows import SqliteRows
from app.store.database.database import kind_of


@contextmanager
def open_rows(url: str) -> Generator[Rows]:
    """The rows of the database at this URL, as of now. It must have been migrated."""
    if kind_of(url).is_file:
        path = make_url(url).database or ""
        with closing(sqlite3.connect(path, isolation_level=None)) as database:
            database.execute("PRAGMA foreign_keys=OFF")
            database.execute("BEGIN")
            yield SqliteRows(database)
        return
    from app.store.backup.postgresql_rows import open_server_rows  # noqa: PLC0415 - its driver is an extra

    with open_server_rows(url) as rows:
        yield rows
