"""Ids and the current time. Commands make them here and pass them to decisions as data.

An id is 26 characters of Crockford's base32: 48 bits of milliseconds, then 80 random bits (the layout of a ULID). A
later id sorts later, also within the same millisecond. So new rows are adjacent in every index, and rows that were
created together keep their order. No code may read the time from an id.

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
    global _last  # noqa: PLW0603 - each id must be greater than the last one
    with _taking:
        _last = value = max((time.time_ns() // 1_000_000) << 80 | secrets.randbits(80), _last + 1)
    return "".join(_ALPHABET[value >> shift & 31] for shift in range(125, -1, -5))


def now() -> datetime:
    return datetime.now(UTC)
