"""Handles invalid token counts in the database: earlier versions stored any value that a provider reported.

SQLite accepts a fraction, a text or a huge number in a column of integers. The ledger's rows never change, so these
values stay. Every query of counters uses this module, which treats invalid values as not reported.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import ColumnElement, Table, and_, case, func, or_

from app.domain.usage import COUNTERS, MAX_TOKENS, read_count


def clean(column: ColumnElement[int]) -> ColumnElement[int]:
    """Return SQL for a counter: its value if that is a valid count (see `domain.usage.read_count`), else NULL."""
    return case((and_(func.typeof(column) == "integer", column.between(0, MAX_TOKENS)), column))


def is_wrong(table: Table) -> ColumnElement[bool]:
    """Return the SQL condition that selects the rows with an invalid counter."""
    return or_(*(and_(table.c[name].is_not(None), clean(table.c[name]).is_(None)) for name in COUNTERS))


def describe_wrong(stored: Mapping[str, object]) -> str | None:
    """Describe the invalid counters of a row. Return None if all are valid."""
    wrong = [name for name, value in stored.items() if value is not None and read_count(value) is None]
    return "; ".join(f"{name}: {str(stored[name])[:40]} in the ledger" for name in wrong) or None
