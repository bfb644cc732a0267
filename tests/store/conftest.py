"""A real database for each test: migrated SQLite in a temporary folder."""

from __future__ import annotations

import shutil
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from app.store.database import Store, open_store
from app.store.migrations import upgrade


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty database of the newest revision, to be copied."""
    path = tmp_path_factory.mktemp("migrated") / "inview.db"
    upgrade(f"sqlite+aiosqlite:///{path}")
    return path


@pytest.fixture
def database(migrated: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(migrated, tmp_path / "inview.db"))


@pytest.fixture
async def store(database: Path) -> AsyncGenerator[Store]:
    async with open_store(f"sqlite+aiosqlite:///{database}") as opened:
        yield opened
