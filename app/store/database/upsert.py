"""Inserts rows that may exist: replaces them or leaves them. Both engines write it alike.

await session.execute(insert_or_replace(PAIR_TEXT), rows)
"""

from __future__ import annotations

from sqlalchemy import Table
from sqlalchemy.dialects.sqlite import Insert, insert


def insert_or_replace(table: Table) -> Insert:
    """Rows into a table, in the place of those that have the same primary key."""
    statement = insert(table)
    new = {column.name: statement.excluded[column.name] for column in table.c if not column.primary_key}
    return _of_both(statement.on_conflict_do_update(index_elements=table.primary_key, set_=new))


def insert_if_new(table: Table) -> Insert:
    """Rows into a table, but for those that contradict one that is there."""
    return _of_both(insert(table).on_conflict_do_nothing())


def _of_both(statement: Insert) -> Insert:
    """Let PostgreSQL's compiler take the clause of SQLite's: it asks for a name of a constraint, which that has not."""
    clause = statement._post_values_clause  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] - nothing public has it
    clause.constraint_target = None  # pyright: ignore[reportAttributeAccessIssue, reportOptionalMemberAccess]
    return statement
