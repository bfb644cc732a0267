"""An empty database of the newest revision: migrated once per process, then copied.

    lay_database(tmp_path)      # tmp_path/inview.db

All migrations take most of a second. Tests of other subjects need not wait for them
(`store/database/test_migrations.py` tests them).
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from app.store.database.migrations import upgrade


def lay_database(folder: Path) -> Path:
    """Put an empty database into a folder, unless it has one. Return the database's path."""
    folder.mkdir(parents=True, exist_ok=True)
    if not (database := folder / "inview.db").exists():
        database.write_bytes(_migrated())
    return database


@cache
def _migrated() -> bytes:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "inview.db"
        upgrade(f"sqlite+aiosqlite:///{path}")
        return path.read_bytes()
