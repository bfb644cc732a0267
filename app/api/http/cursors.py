"""Cursors: the place where a page ended, as a text that clients return and need not understand.

A cursor names a key, not a count, so that pages neither repeat nor skip an entry if others are added meanwhile. Each
cursor has a pattern (`patterns.py`): OpenAPI documents it, and a route gets only texts that match it.

    >>> read_pair_cursor(write_pair_cursor("before", 12))
    PairCursor(side='before', position=12)
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final, Literal

from app.store.conversation.conversations import Cursor

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
    """Read a cursor of `write_pair_cursor`."""
    side, _, position = cursor.partition("-")
    return PairCursor("before" if side == "before" else "after", int(position))


def write_conversation_cursor(place: Cursor) -> str:
    """Write the cursor for the conversations after a place in the list."""
    return f"{(place.updated_at - _EPOCH) // _MICROSECOND}-{place.conversation_id}"


def read_conversation_cursor(cursor: str) -> Cursor:
    """Read a cursor of `write_conversation_cursor`."""
    microseconds, _, conversation_id = cursor.partition("-")
    return Cursor(_EPOCH + int(microseconds) * _MICROSECOND, conversation_id)
