"""Cursors: the place where a page ended, as a text that clients hand back and do not look into.

A cursor names a key, not a count, so that pages neither repeat nor skip when something is added meanwhile.

    >>> read_pair_cursor(write_pair_cursor("before", 12))
    PairCursor(side='before', position=12)
"""

from __future__ import annotations

import binascii
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass
from typing import Literal

from app.api.problems import refuse_field

Side = Literal["before", "after"]
MAX_LIMIT = 500
CURSOR_LENGTH = 200
"""Characters of a cursor at most."""

_PAIR = re.compile(r"(before|after) (\d{1,15})", re.ASCII)


@dataclass(frozen=True, slots=True)
class PairCursor:
    """The pairs on one side of a position."""

    side: Side
    position: int


def write_pair_cursor(side: Side, position: int) -> str:
    """The pairs before (older) or after (newer) a position."""
    return write_cursor(f"{side} {position}")


def read_pair_cursor(cursor: str) -> PairCursor:
    """What `write_pair_cursor` wrote.

    Raises:
        ApiProblemError: it wrote no such thing.
    """
    found = _PAIR.fullmatch(read_cursor(cursor))
    if found is None:
        refuse_field("cursor", "this is not a cursor of this list. Take it from `next_cursor`.")
    return PairCursor("before" if found[1] == "before" else "after", int(found[2]))


def write_cursor(place: str) -> str:
    """A place as an opaque text."""
    return urlsafe_b64encode(place.encode()).decode().rstrip("=")


def read_cursor(cursor: str) -> str:
    """The place that was written.

    Raises:
        ApiProblemError: this is no such text.
    """
    try:
        return urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode()
    except (binascii.Error, ValueError):
        refuse_field("cursor", "this is not a cursor. Take it from `next_cursor`.")
