"""Bring a database to the shape this code knows, or say why not. The steps themselves are in `alembic/versions`.

    upgrade("sqlite+aiosqlite:///data/inview.db")     # creates, migrates, or finds nothing to do (without Alembic)
    check("sqlite+aiosqlite:///data/inview.db")       # raises StoreError unless it fits

Both start an event loop of their own: call them outside of one, or in a thread.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Final

from sqlalchemy import Connection, inspect, make_url, text
from sqlalchemy.exc import DBAPIError

from app.domain.errors import StoreError
from app.store.database import make_engine

REVISIONS: Final = ("0001",)
"""Every revision, oldest first. Kept here so that a start with nothing to do need not import Alembic."""

HEAD: Final = REVISIONS[-1]
ROOT: Final = Path(__file__).parents[2]


def upgrade(url: str) -> None:
    """Bring the database to the newest revision, in one transaction; a missing SQLite file is created.

    Raises:
        StoreError: it cannot be opened, or it is newer than this code.
    """
    asyncio.run(_upgrade(url))


def check(url: str) -> None:
    """Make sure that the database has exactly the newest revision.

    Raises:
        StoreError: it is newer or older than this code, or cannot be opened.
    """
    if (revision := asyncio.run(_read(url))) != HEAD:
        raise StoreError(f"The database {_name(url)} is at revision {revision}, not {HEAD}. Run `inview migrate`.")


async def _read(url: str) -> str | None:
    engine = make_engine(url)
    try:
        async with engine.connect() as connection:
            return await connection.run_sync(_revision, url)
    except DBAPIError as error:
        raise _cannot_open(url, error) from error
    finally:
        await engine.dispose()


async def _upgrade(url: str) -> None:
    if await _read(url) == HEAD:
        return
    engine = make_engine(url)
    try:
        # Others that start now wait here, and find nothing left to do.
        async with engine.execution_options(begin="IMMEDIATE").begin() as connection:
            await connection.run_sync(_run_alembic, url)
    except DBAPIError as error:
        raise _cannot_open(url, error) from error
    finally:
        await engine.dispose()


def _run_alembic(connection: Connection, url: str) -> None:
    from alembic.config import Config  # noqa: PLC0415 - see above

    from alembic import command  # noqa: PLC0415 - memory and time that only a start after an update needs

    if _revision(connection, url) == HEAD:
        return
    config = Config(str(ROOT / "alembic.ini"))
    config.set_main_option("script_location", str(ROOT / "alembic").replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, HEAD)


def _revision(connection: Connection, url: str) -> str | None:
    """The database's revision, None if it has none yet."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    revision: str | None = connection.execute(text("SELECT version_num FROM alembic_version")).scalar_one_or_none()
    if revision is not None and revision not in REVISIONS:
        raise StoreError(
            f"The database {_name(url)} was made by a newer Inview (revision {revision}; this one knows {HEAD}). "
            "Start that version, or restore a backup made before the update."
        )
    return revision


def _cannot_open(url: str, error: DBAPIError) -> StoreError:
    return StoreError(
        f"The database {_name(url)} cannot be opened: {error.orig}. "
        "Check that its folder exists and is writable, and that the file is an Inview database."
    )


def _name(url: str) -> str:
    parsed = make_url(url)
    return parsed.database or parsed.render_as_string(hide_password=True)
