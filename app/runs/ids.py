"""Ids and the clock: the two things a decision must be given, made here and nowhere else.

An id is 26 characters of Crockford's base32: 48 bits of milliseconds, then 80 random ones (the layout of a ULID). Ids
made later sort later, so new rows land together in every index. Nothing may read the time out of an id.

    >>> len(new_id())
    26
"""

from __future__ import annotations

import secrets
import time
from datetime import UTC, datetime

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"


def new_id() -> str:
    value = (time.time_ns() // 1_000_000) << 80 | secrets.randbits(80)
    return "".join(_ALPHABET[value >> shift & 31] for shift in range(125, -1, -5))


def now() -> datetime:
    return datetime.now(UTC)
