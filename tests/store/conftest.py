"""A real database for each test: migrated SQLite in a temporary folder."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from app.store.database.database import Store, open_store
from tests.databases import lay_database


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return lay_database(tmp_path)


@pytest.fixture
async def store(database: Path) -> AsyncGenerator[Store]:
    async with open_store(f"sqlite+aiosqlite:///{database}") as opened:
        yield opened
