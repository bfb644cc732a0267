"""The differences between database engines, behind one type. One module per engine implements it.

    kind = SQLITE                                     # app/store/database/sqlite.py
    engine.execution_options(**kind.to_write)         # a transaction that writes, from its first statement on

Not here: which engine stands behind a URL (`database.py`), and what statements say, which is with their noun.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from sqlalchemy import URL, Engine

BUSY_SECONDS = 5.0
"""How long who wants to write waits for another process that is writing, or holds what is to be written."""


class Kind(Protocol):
    """One database engine."""

    @property
    def is_file(self) -> bool:
        """Whether a database is a file on this machine, and not on a server."""
        ...

    @property
    def to_write(self) -> Mapping[str, Any]:
        """The execution options of a transaction that writes: who else wants to write waits for it."""
        ...

    @property
    def trigger_names(self) -> str:
        """The query of the names of all triggers."""
        ...

    @property
    def last_audit_number(self) -> str:
        """The query of the highest number that an entry of the audit trail ever had."""
        ...

    @property
    def begins_after(self) -> str | None:
        """The revision that an empty database counts as having; None: it goes through all of them."""
        ...

    @property
    def to_disk(self) -> str | None:
        """The statement that brings to the disk what is committed; None: the engine sees to that itself."""
        ...

    def connect_args(self) -> dict[str, Any]:
        """What its driver is told for each connection."""
        ...

    def connect_args_of_loop(self) -> dict[str, Any]:
        """What its driver is told beyond that for connections of an event loop."""
        ...

    def blocking_url(self, url: URL) -> URL:
        """The same database by a driver that needs no event loop."""
        ...

    def exists(self, url: URL) -> bool:
        """Whether there is a database, as far as that is known without opening it."""
        ...

    def engine_options(self) -> dict[str, Any]:
        """What SQLAlchemy's engine is told beyond that."""
        ...

    def prepare(self, engine: Engine) -> None:
        """Have connections of this engine set up, transactions begun and cancelled ones ended as it needs."""
        ...

    def advise(self, said: str) -> str:
        """What to do about a fault, by the driver's own message."""
        ...
