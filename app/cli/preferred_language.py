"""The preferred language, read before the rest of Inview is imported: the page comes first (decision 0044)."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from typing import Final

from app.settings import SQLITE

_LANGUAGE: Final = "SELECT value FROM preference WHERE name = 'language'"


def read_language(database_url: str) -> str:
    """Return the stored preference, "" if there is none. The database is there and up to date."""
    if database_url.startswith(SQLITE):
        path = database_url.removeprefix(SQLITE).partition("?")[0]
        with closing(sqlite3.connect(path)) as connection:
            row = connection.execute(_LANGUAGE).fetchone()
    else:
        import psycopg  # noqa: PLC0415 - an extra

        # libpq's own name of the scheme. The rest of the address is the same.
        with psycopg.connect(database_url.replace("postgresql+psycopg:", "postgresql:", 1)) as server:
            row = server.execute(_LANGUAGE).fetchone()
    return json.loads(row[0]) if row else ""
