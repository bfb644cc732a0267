"""Finds all damage of a database: stored values that cannot be read, and rows that are missing.

    for finding in find_damage("sqlite+aiosqlite:///data/inview.db"):
        print(finding.damage, finding.place.title)

The database is opened read-only and read in one transaction, one row in memory at a time. The reported reasons never
quote stored text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from sqlalchemy import ColumnElement, Connection, Integer, Table, literal_column, select
from sqlalchemy.exc import DBAPIError

from app.domain.conversation.damage import Damage
from app.store.database.database import explain_fault, make_reading_engine
from app.store.database.migrations import HEAD, read_revision
from app.store.diagnosis.places import NOWHERE, DamagePlace, find_place
from app.store.diagnosis.references import Found, find_missing_attachments, find_missing_rows
from app.store.diagnosis.rows import examine
from app.store.tables import Row

MALFORMED: Final = "SQLite cannot read the rest of this table"
UNKNOWN_FORM: Final = "this version does not know its format or a value in it"
_WITHOUT_QUOTES: Final = re.compile(
    r"it is not (a time|bytes|a flag|a filter|UTF-8)"
    r"|it is not valid JSON \(.*\)"  # the parser names a position, never a text
    r"|it is \w+, not \w+"
    r"|its (pair|message|draft) refers to it, but it is missing"
    r"|it refers to a \w+ that does not exist"
    r"|it has [\d,]+ of [\d,]+ bytes"
    r"|its bytes are not those that were stored"
    rf"|{MALFORMED}"
)
"""The reasons that quote no stored text."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A damaged value, with its pair and conversation if they are known."""

    damage: Damage
    place: DamagePlace


def find_damage(url: str) -> Iterator[Finding]:
    """Yield all damage of the database, table by table. The database must have the newest revision of the schema.

    Raises:
        StoreError: the database cannot be opened.
    """
    engine = make_reading_engine(url)
    try:
        with engine.connect() as connection:
            for name, found in _search(connection):
                for damage, place in _continue(name, found):
                    yield Finding(_without_quotes(damage), place)
    except DBAPIError as error:
        raise explain_fault(engine, "read", error) from error
    finally:
        engine.dispose()


def is_readable(url: str) -> bool:
    """Return True if the schema of the database has the revision that this code can read.

    Raises:
        StoreError: the database cannot be opened, or is newer than this code.
    """
    engine = make_reading_engine(url)
    try:
        with engine.connect() as connection:
            return read_revision(connection) == HEAD
    except DBAPIError as error:
        raise explain_fault(engine, "read", error) from error
    finally:
        engine.dispose()


def _search(connection: Connection) -> Iterator[tuple[str, Found]]:
    for table in Row.metadata.sorted_tables:
        yield table.name, _examine_table(connection, table)
    yield "database", find_missing_rows(connection)


def _examine_table(connection: Connection, table: Table) -> Found:
    with_rowid = table.dialect_options["sqlite"]["with_rowid"]
    number: ColumnElement[int] = literal_column(f"{table.name}.rowid", Integer)
    rowid = [number.label("rowid")] if with_rowid else []
    for row in connection.execute(select(table, *rowid)).mappings():
        for damage in examine(table, row):
            yield damage, find_place(connection, table, row)
        if table.name == "message":
            yield from find_missing_attachments(connection, row)


def _continue(table: str, found: Found) -> Found:
    """Yield the damage of a table. If SQLite meets a damaged page, yield it and stop, so that other tables are read."""
    try:
        yield from found
    except DBAPIError as error:
        if "malformed" not in str(error.orig):
            raise
        yield Damage(table, "*", "*", MALFORMED, None), NOWHERE


def _without_quotes(damage: Damage) -> Damage:
    return damage if _WITHOUT_QUOTES.fullmatch(damage.reason) else replace(damage, reason=UNKNOWN_FORM)
