"""Impossible counters in the database, written by versions that stored whatever a provider reported.

SQLite keeps a fraction, a text or a huge number in a column of integers. The ledger's rows never change, so these
stay; every query that reads counters reads them through here, as not told.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import ColumnElement, Table, and_, case, func, or_

from app.domain.usage import COUNTERS, MAX_TOKENS, read_count


def clean(column: ColumnElement[int]) -> ColumnElement[int]:
    """The counter if it is a count, else NULL: as `domain.usage.read_count`."""
    return case((and_(func.typeof(column) == "integer", column.between(0, MAX_TOKENS)), column))


def is_wrong(table: Table) -> ColumnElement[bool]:
    """Whether a row has a counter that is no count."""
    return or_(*(and_(table.c[name].is_not(None), clean(table.c[name]).is_(None)) for name in COUNTERS))


def describe_wrong(stored: Mapping[str, object]) -> str | None:
    """Which counters of a row are no counts; None: all that it has are."""
    wrong = [name for name, value in stored.items() if value is not None and read_count(value) is None]
    return "; ".join(f"{name}: {str(stored[name])[:40]} in the ledger" for name in wrong) or None
