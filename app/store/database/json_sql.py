"""JSON columns in queries: invalid JSON reads as null, where the database would fail the query.

    func.substr(text_at(MESSAGE.c.parts, "$[0].text"), 1, 700)

Queries call SQLite's functions, which PostgreSQL has by the same names (`alembic/postgresql/functions.sql`). Those
here are written in another way for each engine.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Column, ColumnElement, Float, Integer, String, case, func, null, type_coerce
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import GenericFunction


def length_of(column: Column[Any]) -> ColumnElement[int]:
    """How many values an array has; 0 where the column holds no JSON."""
    return func.json_array_length(or_empty(column), type_=Integer())


def or_empty(column: Any, empty: str = "[]") -> ColumnElement[str]:
    """The JSON of a column, or of an element of an array, as text; `empty` where it holds none."""
    stored = type_coerce(column, String)
    return case((func.json_valid(stored) == 1, stored), else_=empty)


def text_at(column: Column[Any], path: str) -> ColumnElement[str | None]:
    """The text at this path of a JSON column; null: there is none, or the column holds no JSON."""
    stored = type_coerce(column, String)
    found = func.json_extract(stored, path, type_=String())
    return case((func.json_valid(stored) == 1, found), else_=null())


class number_at(GenericFunction[float]):  # noqa: N801 - used as a function
    """The number at this path of a JSON text."""

    type = Float()
    inherit_cache = True
    name = "json_number"


class object_of(GenericFunction[str]):  # noqa: N801 - see above
    """The rows of a query as one object: a name and the JSON text of a value each."""

    type = String()
    inherit_cache = True


class byte_length(GenericFunction[int]):  # noqa: N801 - see above
    """How many bytes a text has as UTF-8."""

    type = Integer()
    inherit_cache = True
    name = "octet_length"


@compiles(number_at, "sqlite")
def _(element: Any, compiler: Any, **options: Any) -> str:
    return f"json_extract({compiler.process(element.clauses, **options)})"


@compiles(byte_length, "sqlite")
def _(element: Any, compiler: Any, **options: Any) -> str:
    return f"length(CAST({compiler.process(element.clauses, **options)} AS BLOB))"


@compiles(object_of, "sqlite")
def _(element: Any, compiler: Any, **options: Any) -> str:
    name, value = (compiler.process(one, **options) for one in element.clauses)
    return f"json_group_object({name}, json({value}))"


@compiles(object_of, "postgresql")
def _(element: Any, compiler: Any, **options: Any) -> str:
    name, value = (compiler.process(one, **options) for one in element.clauses)
    return f"coalesce(CAST(json_object_agg({name}, CAST({value} AS json)) AS text), '{{}}')"
