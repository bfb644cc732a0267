"""Cursors: texts that say where a page of a list ended. A client sends a cursor back without reading it.

A cursor has the key of an entry, not a number of entries, so that pages neither repeat nor skip an entry if others are
added meanwhile. Each kind of cursor has a pattern (`patterns.py`): OpenAPI documents the pattern, and a route gets only
texts that match it.

    >>> read_pair_cursor(write_pair_cursor("before", 12))
    PairCursor(side='before', position=12)
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final, Literal

from app.store.conversation.lists import Cursor

Side = Literal["before", "after"]
MAX_LIMIT: Final = 500

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class PairCursor:
    """A cursor for the pairs on one side of a position."""

    side: Side
    position: int


def write_pair_cursor(side: Side, position: int) -> str:
    """Write the cursor for the pairs before (older) or after (newer) a position."""
    return f"{side}-{position}"


def read_pair_cursor(cursor: str) -> PairCursor:
    """Read a cursor that `write_pair_cursor` wrote."""
    side, _, position = cursor.partition("-")
    return PairCursor("before" if side == "before" else "after", int(position))


def write_conversation_cursor(place: Cursor) -> str:
    """Write the cursor for the conversations that follow the entry `place` in the list."""
    return f"{(place.updated_at - _EPOCH) // _MICROSECOND}-{place.conversation_id}"


def read_conversation_cursor(cursor: str) -> Cursor:
    """Read a cursor that `write_conversation_cursor` wrote."""
    microseconds, _, conversation_id = cursor.partition("-")
    return Cursor(_EPOCH + int(microseconds) * _MICROSECOND, conversation_id)
