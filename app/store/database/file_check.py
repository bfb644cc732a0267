"""Faults that SQLite finds in its own file, without false alarms.

    find_file_faults(lambda query: connection.execute(query).fetchall())
    ()

SQLite 3.40 reports "NULL value in …" for columns of tables without rowid whose primary key does not come first, such as
`usage_day`, though there is no NULL. Such a report counts only if a query finds the NULL too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, Final

Ask = Callable[[str], Sequence[Sequence[Any]]]
"""Executes a statement and returns its rows."""

LIMIT: Final = 100
"""Reports at once."""
_NULL: Final = re.compile(r"NULL value in (?P<table>[^.]+)\.(?P<column>.+)")


def find_file_faults(ask: Ask, *, thorough: bool = False) -> tuple[str, ...]:
    """Return what is wrong, at most `LIMIT` sentences of SQLite. `thorough`: indexes are compared with their tables."""
    pragma = "integrity_check" if thorough else "quick_check"
    doubted: dict[tuple[str, str], bool] = {}

    def run(argument: str) -> tuple[list[str], int]:
        found = [str(row[0]) for row in ask(f"PRAGMA {pragma}({argument})") if row[0] != "ok"]
        return [fault for fault in found if not _only_seems(fault, ask, doubted)], len(found)

    faults, count = run(str(LIMIT))
    if not faults and count == LIMIT:  # what seems wrong filled the list: the tables without such reports, one by one
        seeming = {table for table, _ in doubted}
        tables = [str(row[0]) for row in ask("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for table in tables:
            if table not in seeming:
                faults += run(_quote(table))[0]
    return tuple(dict.fromkeys(faults[:LIMIT]))


def _only_seems(fault: str, ask: Ask, doubted: dict[tuple[str, str], bool]) -> bool:
    """Whether a report is of a NULL that is not there. Each column is asked about once."""
    if (reported := _NULL.fullmatch(fault)) is None:
        return False
    place = reported["table"], reported["column"]
    if place not in doubted:
        table, column = map(_quote, place)
        # Both names come from the database, quoted. SQLite believes NOT NULL and would answer IS NULL without a look.
        doubted[place] = not ask(f"SELECT 1 FROM {table} WHERE typeof({column}) = 'null' LIMIT 1")  # noqa: S608
    return doubted[place]


def _quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
