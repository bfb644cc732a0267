"""Migration of a database to the schema of this code. The steps are in `alembic/versions`.

    upgrade("sqlite+aiosqlite:///data/inview.db")     # creates, migrates, or finds nothing to do (without Alembic)
    check("sqlite+aiosqlite:///data/inview.db")       # raises StoreError unless the schema is the newest one

Both block: call them before the event loop starts, or in a thread.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from sqlalchemy import Connection, Engine, inspect, make_url, text
from sqlalchemy.exc import DBAPIError

from app.domain.errors import StoreError
from app.store.database.database import make_blocking_engine

REVISIONS: Final = (
    "0001",
    "0002",
    "0003",
    "0004",
    "0005",
    "0006",
    "0007",
    "0008",
    "0009",
    "0010",
    "0011",
    "0012",
    "0013",
    "0014",
    "0015",
    "0016",
    "0017",
    "0018",
    "0019",
    "0020",
    "0021",
    "0022",
    "0023",
    "0024",
    "0025",
    "0026",
    "0028",
    "0029",
    "0030",
    "0031",
    "0032",
    "0033",
    "0034",
    "0035",
    "0036",
    "0037",
    "0038",
    "0039",
    "0040",
    "0041",
)
"""The revision of the schema after each migration, oldest first.

With this list, a start without a migration need not import Alembic.
"""

HEAD: Final = REVISIONS[-1]
ROOT: Final = Path(__file__).parents[3]


def upgrade(url: str) -> None:
    """Migrate the database to the newest revision of the schema, in one transaction. A missing SQLite file is created.

    Raises:
        StoreError: the database cannot be opened, or it is newer than this code.
    """
    with _connected(url) as engine:
        if _read(engine) == HEAD:
            return
        # Other processes that start now wait here. Then they find nothing to migrate.
        with engine.execution_options(begin="BEGIN IMMEDIATE").begin() as connection:
            _run_alembic(connection)


def is_current(url: str) -> bool:
    """Return True if the database has the newest revision of the schema. A missing SQLite file is created.

    Raises:
        StoreError: the database cannot be opened, or it is newer than this code.
    """
    with _connected(url) as engine:
        return _read(engine) == HEAD


def check(url: str) -> None:
    """Check that the database has exactly the newest revision of the schema.

    Raises:
        StoreError: the database is newer or older than this code, or cannot be opened.
    """
    with _connected(url) as engine:
        revision = _read(engine)
    if revision != HEAD:
        raise StoreError(f"The database {_name(url)} is at revision {revision}, not {HEAD}. Run `inview migrate`.")


@contextmanager
def _connected(url: str) -> Generator[Engine]:
    engine = make_blocking_engine(url)
    try:
        with _alone(url):
            engine.connect().close()
        yield engine
    except DBAPIError as error:
        raise StoreError(
            f"The database {_name(url)} cannot be opened: {error.orig}. "
            "Check that its folder exists and is writable, and that the file is an Inview database."
        ) from error
    finally:
        engine.dispose()


@contextmanager
def _alone(url: str) -> Generator[None]:
    """Wait until no other process opens an SQLite file of the same folder.

    The first connection to a new file turns on its write-ahead log. SQLite does not wait if two connections do this at
    the same time: one of them gets "database is locked".
    """
    folder = Path(make_url(url).database or "").parent
    if not folder.is_dir():  # the connection reports the missing folder
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _read(engine: Engine) -> str | None:
    with engine.connect() as connection:
        return read_revision(connection)


def _run_alembic(connection: Connection) -> None:
    from alembic.config import Config  # noqa: PLC0415 - see above

    from alembic import command  # noqa: PLC0415 - loaded only if a migration is due

    if read_revision(connection) == HEAD:
        return
    config = Config(str(ROOT / "alembic.ini"))
    config.set_main_option("script_location", str(ROOT / "alembic").replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, HEAD)


def read_revision(connection: Connection) -> str | None:
    """Return the revision of the database's schema, or None if it has no tables yet.

    Raises:
        StoreError: the database is newer than this code.
    """
    if not inspect(connection).has_table("alembic_version"):
        return None
    revision: str | None = connection.execute(text("SELECT version_num FROM alembic_version")).scalar_one_or_none()
    if revision is not None and revision not in REVISIONS:
        name = connection.engine.url.database
        raise StoreError(
            f"The database {name} was made by a newer Inview (revision {revision}; this one knows {HEAD}). "
            "Start that version, or restore a backup made before the update."
        )
    return revision


def _name(url: str) -> str:
    parsed = make_url(url)
    return parsed.database or parsed.render_as_string(hide_password=True)
