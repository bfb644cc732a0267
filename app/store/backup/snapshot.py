"""Copies the database at one moment, while others write, without the data that must not leave.

    described = take_snapshot(settings.database_url, folder / "inview.db", keep_secrets=False, moved=print)

The copy is a file of SQLite, whichever engine the original is on. Of PostgreSQL all rows are copied (`moving.py`).
SQLite's online backup copies page by page. A read transaction is held around it: the copy is of the moment at which it
began, writers go on, and it need not begin again whenever one of them has written. `VACUUM INTO` would be as
consistent, but numbers rows anew, and the ledger is ordered by these numbers.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import quote

from sqlalchemy import make_url

from app.store.backup.fingerprint import LEFT_OUT, SEALED, take_fingerprint
from app.store.backup.manifest import BackupError, Counts
from app.store.backup.moving import copy_database
from app.store.backup.sqlite_rows import SqliteRows
from app.store.database.database import kind_of
from app.store.database.file_check import find_file_faults
from app.store.database.migrations import upgrade

STEP: Final = 2_000
"""Pages between two reports of progress: 8 MB."""

Moved = Callable[[int, int], None]
"""Told how much of how much is done."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What was copied. `secret_count`: how many encrypted secrets the original has."""

    revision: str
    digest: str
    secret_count: int
    counts: Counts


def take_snapshot(url: str, target: Path, *, keep_secrets: bool, moved: Moved) -> Snapshot:
    """Copy a database, describe the copy, and remove from it what signs people in and, unless they are kept, secrets.

    Raises:
        BackupError: the copy is not whole, or the original cannot be read.
        StoreError: the server of the original cannot be reached, or the copy is not the same.
    """
    source = make_url(url).database or ""
    is_file = kind_of(url).is_file
    if not is_file:
        upgrade(f"sqlite+aiosqlite:///{target}")
        copy_database(url, f"sqlite+aiosqlite:///{target}", moved)
    try:
        with closing(sqlite3.connect(target, isolation_level=None)) as copy:
            copy.execute("PRAGMA synchronous=OFF")  # who publishes the archive brings that to the disk
            if is_file:
                _copy(Path(source).absolute(), copy, moved)
            copy.execute("PRAGMA journal_mode=DELETE")
            copy.execute("PRAGMA secure_delete=ON")
            secret_count = _remove_unwanted(copy, keep_secrets=keep_secrets)
            if faults := find_file_faults(lambda query: copy.execute(query).fetchall()):
                raise BackupError(
                    f"The database {source} is damaged: {faults[0]}. No backup was made. Run `inview doctor`."
                )
            return Snapshot(read_revision(copy), take_fingerprint(SqliteRows(copy)), secret_count, _count(copy))
    except sqlite3.Error as error:
        raise BackupError(
            f"The database {source} could not be copied to {target.parent}: {error}. No backup was made. "
            "Check that the disk has room and that the database can be read, then try again."
        ) from error


def _copy(source: Path, copy: sqlite3.Connection, moved: Moved) -> None:
    page = 0

    def report(_status: int, remaining: int, total: int) -> None:
        moved((total - remaining) * page, total * page)

    with closing(sqlite3.connect(f"file:{quote(str(source))}?mode=rw", uri=True, isolation_level=None)) as original:
        page = original.execute("PRAGMA page_size").fetchone()[0]
        original.execute("BEGIN")
        original.execute("SELECT count(*) FROM sqlite_master").fetchone()  # the moment of the copy
        original.backup(copy, pages=STEP, progress=report)
        original.execute("ROLLBACK")


def _remove_unwanted(copy: sqlite3.Connection, *, keep_secrets: bool) -> int:
    tables = [name for (name,) in copy.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    secret_count = 0
    copy.execute("BEGIN")
    # Names of tables and columns come from the schema.
    for table in tables:
        if table in LEFT_OUT:
            copy.execute(f'DELETE FROM "{table}"')  # noqa: S608
        for name, *_ in copy.execute("SELECT name FROM pragma_table_info(?)", (table,)).fetchall():
            if not name.startswith(SEALED):
                continue
            stored = f'FROM "{table}" WHERE "{name}" IS NOT NULL'
            secret_count += copy.execute(f"SELECT count(*) {stored}").fetchone()[0]
            if not keep_secrets:
                copy.execute(f'UPDATE "{table}" SET "{name}" = NULL')  # noqa: S608
    copy.execute("COMMIT")
    return secret_count


def read_revision(database: sqlite3.Connection) -> str:
    """Return the revision of a database's schema.

    Raises:
        BackupError: it is no database of Inview.
    """
    try:
        row = database.execute("SELECT version_num FROM alembic_version").fetchone()
    except sqlite3.Error as error:
        raise BackupError(f"This is no database of Inview: {error}.") from error
    if row is None:
        raise BackupError("This is no database of Inview: it has no revision.")
    return row[0]


def _count(copy: sqlite3.Connection) -> Counts:
    return Counts(
        conversations=_ask(copy, "conversation", "count(*)"),
        pairs=_ask(copy, "pair", "count(*)"),
        attachments=_ask(copy, "attachment", "count(*)"),
        attachment_bytes=_ask(copy, "attachment", "coalesce(sum(size), 0)"),
        calls=_ask(copy, "ledger", "count(*)"),
    )


def _ask(copy: sqlite3.Connection, table: str, what: str) -> int:
    there = copy.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", (table,)).fetchone()
    # Both are names of this module. An old revision lacks some tables.
    return copy.execute(f"SELECT {what} FROM {table}").fetchone()[0] if there else 0  # noqa: S608
