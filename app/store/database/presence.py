"""Locks that show which processes use a database. Each process locks a file next to the database while it runs.

with claim(url) as alone: ...        # a server; `alone`: no other process uses the database
with claim_alone(url): ...           # `inview doctor --mend`; other processes wait until it ends
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Generator
from contextlib import contextmanager

from sqlalchemy import make_url

from app.domain.errors import StoreError


@contextmanager
def claim(url: str) -> Generator[bool]:
    """Hold a shared lock while the context is open, which shows other processes that this process uses the database.

    Yield True if no other process used the database at the start. Always yield False if the database is not in a file.
    """
    if (path := _path_of(url)) is None:
        yield False
        return
    with _open_lock(f"{path}-owner") as present:
        with _open_lock(f"{path}-opening") as opening:
            # if several processes start at the same time, they check one after the other
            fcntl.flock(opening, fcntl.LOCK_EX)
            alone = _take(present)
            fcntl.flock(present, fcntl.LOCK_SH)
        yield alone


@contextmanager
def claim_alone(url: str) -> Generator[None]:
    """Hold the exclusive lock of the database while the context is open. A server that starts meanwhile waits.

    Raises:
        StoreError: another process uses the database.
    """
    if (path := _path_of(url)) is None:
        yield
        return
    with _open_lock(f"{path}-owner") as present:
        if not _take(present):
            raise StoreError(
                f"Inview is running on the database {path}. Nothing was changed.", "Stop it, then run this again."
            )
        yield


def _take(present: int) -> bool:
    try:
        fcntl.flock(present, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _path_of(url: str) -> str | None:
    """Return the file of the database, or None if the database is not in a file."""
    parsed = make_url(url)
    is_file = parsed.get_backend_name() == "sqlite" and parsed.database not in {None, "", ":memory:"}
    return parsed.database if is_file else None


@contextmanager
def _open_lock(path: str) -> Generator[int]:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        yield descriptor
    finally:
        os.close(descriptor)
