"""Ids and the clock: made here and nowhere else, because decisions take them as arguments.

An id is 26 characters of Crockford's base32: 48 bits of milliseconds, then 80 random ones (the layout of a ULID). Ids
made later sort later, also within a millisecond, so new rows land together in every index and rows of one moment keep
their order. Nothing may read the time out of an id.

    >>> len(new_id())
    26
"""

from __future__ import annotations

import secrets
import time
from datetime import UTC, datetime
from threading import Lock

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"


_taking = Lock()
_last = 0


def new_id() -> str:
    global _last  # noqa: PLW0603 - the one thing that ids have to know of each other
    with _taking:
        _last = value = max((time.time_ns() // 1_000_000) << 80 | secrets.randbits(80), _last + 1)
    return "".join(_ALPHABET[value >> shift & 31] for shift in range(125, -1, -5))


def now() -> datetime:
    return datetime.now(UTC)
