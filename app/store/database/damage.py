"""Turns a stored value that cannot be read into `Damage`. No other module does this.

    reading = Reading("pair", row["id"])
    stars = reading.take("stars", row["stars"], a_number, 0)
    reading.damage                       # what could not be read

A stored value is read in two steps. First the `READABLE` types and `read_json` convert the driver's JSON, times and
bytes to Python values. A value that they cannot read becomes `Unreadable`, because an exception would lose all rows of
the query. Then a function that makes a domain value of a row takes each column through a `Reading`.

The conversion to domain values is in `mapping.py` and `parts_json.py`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, tzinfo
from types import MappingProxyType
from typing import Any, Final, TypeVar, cast

import orjson
import structlog
from sqlalchemy import JSON, Boolean, Column, DateTime, LargeBinary, Table, TypeDecorator
from sqlalchemy.dialects.sqlite import DATETIME

from app.domain.conversation.damage import Damage, DamagedRowError
from app.domain.errors import InputError, InviewError, StoreError, words_of
from app.domain.models.model_profile import split_model_name
from app.store.database.row_names import name_row

log = structlog.get_logger()

T = TypeVar("T")
UNREADABLE: Final = (
    *(StoreError, InputError, TypeError, ValueError, KeyError, IndexError, AttributeError, ArithmeticError),
)
"""Exceptions that are raised for a value of the wrong form."""
UNKNOWN_TIME: Final = datetime(1970, 1, 1, tzinfo=UTC)
"""The time that replaces a stored time that cannot be read."""
UNKNOWN_MODEL: Final = "unknown:unknown"
"""The model name of a pair whose stored model name cannot be read."""
NO_UTF8: Final = "it is not UTF-8"
"""The reason of the damage if a stored text is not UTF-8."""
MAX_LOGGED: Final = 10_000
MAX_REASON: Final = 200


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A stored value that does not have the type of its column: its stored bytes, and the reason."""

    raw: bytes
    reason: str


class _UnreadableTime(Unreadable):
    """An unreadable time with the two methods that SQLModel's `UTCDateTime` calls, so that it passes unchanged."""

    def utcoffset(self) -> timedelta:
        return timedelta(0)

    def astimezone(self, _zone: tzinfo) -> Unreadable:
        return self


def _bind(value: Unreadable) -> bytes:
    """Return the stored bytes of an unreadable value as its SQL parameter.

    A query by this value finds nothing, because bytes equal no text.
    """
    return value.raw


for _kind in (Unreadable, _UnreadableTime):
    sqlite3.register_adapter(_kind, _bind)


def read_json(stored: Any) -> Any:
    """Return the value of a JSON column, or `Unreadable`."""
    if isinstance(stored, Unreadable):
        return stored
    try:
        return orjson.loads(stored)
    except orjson.JSONDecodeError as error:
        return Unreadable(raw_bytes(stored), f"it is not valid JSON ({error})")


def read_text(stored: bytes) -> str | Unreadable:
    """Return the text that SQLite stored, or `Unreadable`."""
    try:
        return stored.decode()
    except UnicodeDecodeError:
        return Unreadable(stored, NO_UTF8)


class _Time(DATETIME):
    cache_ok = True

    def result_processor(self, dialect: Any, coltype: Any) -> Any:
        return _guard(super().result_processor(dialect, coltype), "it is not a time", _UnreadableTime)


class _Bytes(LargeBinary):
    cache_ok = True

    def result_processor(self, dialect: Any, coltype: Any) -> Any:
        read = cast("Any", super().result_processor(dialect, coltype))
        return _guard(read, "it is not bytes")


class _Flag(Boolean):
    cache_ok = True

    def result_processor(self, dialect: Any, coltype: Any) -> Any:  # noqa: ARG002 - as SQLAlchemy calls it
        return _read_flag


def _read_flag(stored: Any) -> Any:
    if stored is None or stored in {0, 1}:
        return None if stored is None else bool(stored)
    return stored if isinstance(stored, Unreadable) else Unreadable(raw_bytes(stored), "it is not a flag")


READABLE: Final[Mapping[type[Any], type[Any]]] = MappingProxyType(
    {DateTime: _Time, LargeBinary: _Bytes, Boolean: _Flag}
)
"""Replacements for column types of SQLite's dialect.

SQLAlchemy's own types raise an error for a damaged value, or accept any number as a boolean. The replacements return
`Unreadable` instead.
"""


def _guard(
    read: Callable[[Any], Any] | None, reason: str, unreadable: type[Unreadable] = Unreadable
) -> Callable[[Any], Any]:
    def guarded(stored: Any) -> Any:
        try:
            return stored if read is None else read(stored)
        except (TypeError, ValueError):
            return unreadable(raw_bytes(stored), stored.reason if isinstance(stored, Unreadable) else reason)

    return guarded


def raw_bytes(stored: Any) -> bytes:
    """Return the bytes of a stored value: the original ones if it is unreadable or a text, else an encoding of it."""
    match stored:
        case Unreadable():
            return stored.raw
        case bytes():
            return stored
        case str():
            return stored.encode(errors="surrogateescape")
        case None:
            return b""
        case _:
            return orjson.dumps(stored, default=str)


@dataclass(slots=True)
class Reading:
    """Reads the columns of one row, `row_id` of `table`, and collects in `damage` the values that cannot be read."""

    table: str
    row_id: str
    damage: list[Damage] = field(default_factory=list[Damage])

    def take(self, column: str, stored: Any, read: Callable[[Any], T], otherwise: T) -> T:
        """Return `read(stored)`. If this fails, record damage of `column` and return `otherwise`."""
        try:
            if isinstance(stored, Unreadable):
                raise StoreError(stored.reason)
            return read(stored)
        except UNREADABLE as error:
            unexpected = f"it does not have the expected format ({words_of(error, 'no details')})"
            reason = str(error) if isinstance(error, InviewError) else unexpected
            self.note(column, reason, 0 if column == "*" else len(raw_bytes(stored)))
            return otherwise

    def take_row(self, table: Table, row: Any, read: Callable[[Any], T], otherwise: T) -> T:
        """Return `read(row)`. If a column has a wrong type or `read` fails, record damage and return `otherwise`."""
        damaged = len(self.damage)
        self.check_types(table, row)
        return self.take("*", row, read, otherwise) if len(self.damage) == damaged else otherwise

    def check_types(self, table: Table, row: Any) -> None:
        """Record damage for each column whose value in this row has another type than the table declares."""
        for column in table.c:
            self.take(column.name, row[column.name], lambda stored, column=column: _require_type(column, stored), None)

    def note(self, column: str, reason: str, size: int | None) -> None:
        """Record and log damage of a column. `size` is the size of the stored value in bytes."""
        found = Damage(self.table, self.row_id, column, reason[:MAX_REASON], size)
        self.damage.append(found)
        log_damage(found)


def read_row(table: Table, row: Any, read: Callable[[Any], T], otherwise: T) -> T:
    """Return `read(row)`. If a column has a wrong type or `read` fails, log that and return `otherwise`."""
    return Reading(table.name, name_row(table, row)).take_row(table, row, read, otherwise)


def read_rows(table: Table, rows: Iterable[Any], read: Callable[[Any], T]) -> tuple[T, ...]:
    """Return `read(row)` for each of these rows. A row that cannot be read is left out and logged."""
    return tuple(one for row in rows for one in read_row(table, row, lambda row: (read(row),), ()))


def require_row(table: Table, row: Any, read: Callable[[Any], T]) -> T:
    """Return `read(row)`, for a row that protects privacy or money.

    Raises:
        DamagedRowError: the row cannot be read. No default value replaces it.
    """
    reading = Reading(table.name, name_row(table, row))
    for found in reading.take_row(table, row, lambda row: (read(row),), ()):
        return found
    raise DamagedRowError(reading.damage[0])


_logged: set[tuple[str, str, str]] = set()


def log_damage(found: Damage) -> None:
    """Log an unreadable value, once per process."""
    key = (found.table, found.row_id, found.column)
    if key in _logged or len(_logged) >= MAX_LOGGED:
        return
    _logged.add(key)
    log.error(
        "a stored piece cannot be read; the rest is shown",
        table=found.table,
        row_id=found.row_id,
        column=found.column,
        reason=found.reason,
        size=found.size,
    )


# --- plain columns ---


def _require_type(column: Column[Any], stored: Any) -> None:
    if isinstance(column.type, JSON) or (stored is None and column.nullable):
        return
    plain = column.type.impl_instance if isinstance(column.type, TypeDecorator) else column.type
    expected = plain.python_type
    if not isinstance(stored, (int, float) if expected is float else expected):
        raise StoreError(f"it is {'missing' if stored is None else type(stored).__name__}, not {expected.__name__}")


def a_model(stored: Any) -> str:
    """Return a model's name of the form "provider:model"."""
    split_model_name(a_text(stored))
    return stored


def a_model_or_none(stored: Any) -> str | None:
    return None if stored is None else a_model(stored)


def a_text(stored: Any) -> str:
    return _require(str, stored)


def a_text_or_none(stored: Any) -> str | None:
    return None if stored is None else _require(str, stored)


def a_number(stored: Any) -> int:
    return _require(int, stored)


def a_flag(stored: Any) -> bool:
    return _require(bool, stored)


def a_time(stored: Any) -> datetime:
    return _require(datetime, stored)


def a_blob(stored: Any) -> bytes:
    return _require(bytes, stored)


def a_blob_or_none(stored: Any) -> bytes | None:
    return None if stored is None else a_blob(stored)


def a_list(stored: Any) -> list[Any]:
    return cast("list[Any]", _require(list, stored))


def a_text_list(stored: Any) -> tuple[str, ...]:
    return tuple(map(a_text, a_list(stored)))


def _require(expected: type[T], stored: Any) -> T:
    if not isinstance(stored, expected):
        raise StoreError(f"it is {'missing' if stored is None else type(stored).__name__}, not {expected.__name__}")
    return stored
