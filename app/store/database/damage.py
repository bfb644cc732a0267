"""Separates unreadable rows from readable ones and logs each once, so that a list never fails.

    rules = decode_each("permission_rule", rows, _decode_rule)       # without those that cannot be read

A value that is no JSON is a `BadJson` where JSON was expected: whoever decodes it fails on that value alone, not on all
rows of the query.

Not here: what a damaged pair or conversation is shown as (`mapping.py`) and the search for all
damage (`store/checkup.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from contextvars import ContextVar
from decimal import Decimal, InvalidOperation
from typing import Any, Final, TypeVar

import orjson
import structlog

from app.domain.conversation.damage import Damage
from app.domain.errors import ConflictError, InviewError

log = structlog.get_logger(__name__)

UNREADABLE: Final = (InviewError, KeyError, TypeError, ValueError, AttributeError, IndexError)
"""What a decoder raises where a row is not what it was written as."""
MAX_NOTED: Final = 10_000
_MAX_REASON: Final = 200

Decoded = TypeVar("Decoded")
_noted: set[tuple[str, str, str]] = set()
_collected: ContextVar[list[Damage] | None] = ContextVar("collected damage", default=None)


class BadJson:
    """A stored text that is no JSON. It is no mapping and no sequence, so that no decoder takes it for a value."""

    __slots__ = ("raw",)

    def __init__(self, raw: str) -> None:
        self.raw = raw


def load_json(text: Any) -> Any:
    """The value that a JSON column holds, or a `BadJson`. SQLite hands out a text that is a number as a number."""
    if isinstance(text, int | float):
        return text
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return BadJson(text if isinstance(text, str) else bytes(text).decode(errors="replace"))


def describe_fault(fault: Exception, value: object = None) -> str:
    """Why a value cannot be read, in a few words."""
    if isinstance(value, BadJson):
        return "it is no JSON"
    if isinstance(fault, InviewError):
        return str(fault)[:_MAX_REASON]
    if isinstance(fault, KeyError):
        return f"it has no {fault}"[:_MAX_REASON]
    return f"it has another form than expected ({fault})"[:_MAX_REASON]


def note_damage(table: str, row_id: str, column: str, reason: str) -> None:
    """Log that this cannot be read, the first time in this process; or collect it, where that is asked for."""
    if (collected := _collected.get()) is not None:
        collected.append(Damage(table, row_id, column, reason))
        return
    place = (table, row_id, column)
    if place in _noted:
        return
    if len(_noted) >= MAX_NOTED:
        _noted.clear()
    _noted.add(place)
    log.warning("a stored row cannot be read; run `inview doctor`", table=table, row=row_id, column=column, why=reason)


def read_decimal(text: str) -> Decimal:
    """The number that a text says.

    Raises:
        ValueError: it says none.
    """
    try:
        found = Decimal(text)
    except InvalidOperation:
        raise ValueError(f"{text!r} is no number") from None
    if not found.is_finite():
        raise ValueError(f"{text!r} is no number")
    return found


@contextmanager
def collect_damage() -> Generator[list[Damage]]:
    """All that is noted within the context, as often as it is, instead of a log of it."""
    found: list[Damage] = []
    token = _collected.set(found)
    try:
        yield found
    finally:
        _collected.reset(token)


def decode_each(table: str, rows: Iterable[Any], decode: Callable[[Any], Decoded]) -> list[Decoded]:
    """The rows that can be read, decoded; the others are noted."""
    found: list[Decoded] = []
    for row in rows:
        try:
            found.append(decode(row))
        except UNREADABLE as fault:
            note_damage(table, name_row(row), "", describe_fault(fault))
    return found


def decode_one(table: str, row: Any, decode: Callable[[Any], Decoded]) -> Decoded:
    """The one row that was asked for.

    Raises:
        ConflictError: it cannot be read.
    """
    try:
        return decode(row)
    except UNREADABLE as fault:
        reason = describe_fault(fault)
        note_damage(table, name_row(row), "", reason)
        raise ConflictError(f"Row {name_row(row)} of {table} cannot be read: {reason}. Run `inview doctor`.") from fault


def name_row(row: Any) -> str:
    """What a row is called in a log: its id, or what stands for one."""
    for name in ("id", "name", "run_id", "pair_id", "conversation_id", "model", "scope"):
        if name in row:
            return str(row[name])
    return "?"
