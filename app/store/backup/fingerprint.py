"""The digest of a database's content: equal digests mean equal content, whichever engine each is on.

    >>> with open_rows("sqlite+aiosqlite:///data/inview.db") as rows:
    ...     take_fingerprint(rows)
    'sha256:5f0c…'

It covers every row of every table but those of `LEFT_OUT` and the indexes of words, which are made of the others.
Encrypted secrets are not in it: a backup without a passphrase has none, and is else the same.
"""

from __future__ import annotations

import hashlib
from typing import Final

from app.store.backup.rows import Rows

LEFT_OUT: Final = frozenset({"session", "invitation", "sign_in_step"})
"""Tables of what signs somebody in: they are in no backup."""
SEALED: Final = "sealed_"
"""What the names of columns with encrypted secrets begin with."""
_NUL: Final = "\0"
_LARGE: Final = 1_000
"""Bytes of a value from which on its hash stands for it."""


def take_fingerprint(rows: Rows, mark: str = _NUL) -> str:
    """Return the digest of all tables. `mark`: what stands for a NUL character in a text."""
    whole = hashlib.sha256()
    for table in rows.tables():
        if table in LEFT_OUT:
            continue
        digest = hashlib.sha256()
        for row in rows.read(table, [name for name in rows.columns(table) if not name.startswith(SEALED)]):
            line = ascii(tuple(map(_shorten, row)))
            if mark != _NUL:
                line = line.replace(ascii(_NUL)[1:-1], ascii(mark)[1:-1])
            digest.update(line.encode() + b"\n")
        whole.update(f"{table} {digest.hexdigest()}\n".encode())
    return f"sha256:{whole.hexdigest()}"


def _shorten(value: object) -> object:
    match value:
        case bytes() if len(value) > _LARGE:
            return hashlib.sha256(value).digest()
        case _:
            return value
