"""Names of rows for the log and for `inview doctor`.

The name is the id of the row or, if its primary key contains a user's text, its SQLite row number.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from sqlalchemy import Table

NAMES: Final = MappingProxyType(
    {
        "version": ("pair_id", "number"),
        "tool_call": ("run_id", "number"),
        "sent_call": ("run_id", "attempt"),
        "sent_text": ("run_id", "attempt", "number"),
    }
)
"""The columns that name a row, for tables without an id. Other modules pass the same names to `Reading`."""
OUR_IDS: Final = frozenset({"id", "docid", "pair_id", "run_id", "round", "conversation_id", "vocabulary"})
"""Columns of primary keys that never contain a user's text, so that the log and `inview doctor` may show their values.

A row whose key has another column is shown by its SQLite row number.
"""
MAX_ID: Final = 80


def name_row(table: Table, row: Mapping[Any, Any]) -> str:
    """Return a name for a row: its id or, if its primary key contains a user's text, its SQLite row number."""
    key = NAMES.get(table.name) or tuple(column.name for column in table.primary_key if column.name != "owner")
    if table.name not in NAMES and not OUR_IDS.issuperset(key):
        return f"number {row['rowid']}" if "rowid" in row else "(without an id)"
    return " ".join(show_id(row[name]) for name in key)


def show_id(stored: Any) -> str:
    """Return an id for display. A placeholder replaces a value that cannot be an id, because it may be any text."""
    shown = str(stored)
    can_be_shown = isinstance(stored, str | int) and len(shown) <= MAX_ID and shown.isprintable()
    return shown if can_be_shown else "(its id cannot be read)"
