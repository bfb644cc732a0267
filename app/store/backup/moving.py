"""All of a database into an empty one, of either engine: every row, the numbers of entries, the indexes of words.

    copied = copy_database(source_url, target_url, moved)       # verified: both have the same digest then

Rows travel one by one, so that memory does not grow with the database. The database's own triggers rest meanwhile: what
they would make is copied too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from app.domain.errors import StoreError
from app.store.backup.fingerprint import take_fingerprint
from app.store.backup.opening import open_rows
from app.store.backup.rows import REVISION, Rows
from app.store.tables import Row

STEP: Final = 1_000
"""Rows between two reports of progress."""
_NUL: Final = "\0"
_MARK: Final = "�"

Moved = Callable[[int, int], None]
"""Told how many of how many rows are done."""


@dataclass(frozen=True, slots=True)
class Copied:
    """What was copied. `changed`: rows with a NUL character, for which PostgreSQL has a mark. `digest`: of the copy."""

    rows: int
    changed: int
    digest: str


def copy_database(source_url: str, target_url: str, moved: Moved) -> Copied:
    """Copy all rows. Both databases have the newest revision; the target is not changed unless all could be copied.

    Raises:
        StoreError: the target has rows, a row cannot be stored there, or the copy is not the same as the original.
    """
    with open_rows(source_url) as source, open_rows(target_url) as target:
        require_no_rows(target)
        total = sum(source.count(table.name) for table in Row.metadata.sorted_tables)
        counted = _Counted(total, moved)
        target.begin_writing()
        for table in Row.metadata.sorted_tables:
            # Entries of the ledger keep their order.
            columns = [*source.columns(table.name), *(["rowid"] if table.name == "ledger" else [])]
            target.write(table.name, columns, counted.pass_on(source.read(table.name, columns)))
        target.end_writing(source.last_audit_number())
        expected = take_fingerprint(source, mark=_MARK if counted.changed else _NUL)
    with open_rows(target_url) as target:
        digest = take_fingerprint(target, mark=_MARK if counted.changed else _NUL)
    if digest != expected:
        raise StoreError(
            f"The copy has the digest {digest}, the original {expected}: they are not the same.",
            "Do not use the copy. Run `inview doctor` on the original.",
        )
    return Copied(counted.done, counted.changed, digest)


def require_no_rows(rows: Rows) -> None:
    """See that nothing would be added to.

    Raises:
        StoreError: a table has a row.
    """
    for table in rows.tables():
        if table != REVISION and rows.count(table):
            raise StoreError(
                f"The target is not empty: its table {table} has rows. Nothing was copied.",
                "Name a database that is new.",
            )


class _Counted:
    """Rows on their way: how many, and how many of them have a NUL character."""

    def __init__(self, total: int, moved: Moved) -> None:
        self.total, self.done, self.changed = total, 0, 0
        self._moved = moved

    def pass_on(self, rows: Iterator[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
        for row in rows:
            self.done += 1
            self.changed += any(isinstance(cell, str) and _NUL in cell for cell in row)
            if not self.done % STEP:
                self._moved(self.done, self.total)
            yield row
