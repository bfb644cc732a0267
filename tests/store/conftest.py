"""A real database for each test: migrated, SQLite in a temporary folder or a database on a server (`databases.py`)."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Generator
from pathlib import Path

import pytest

from app.store.database.database import Store, open_store
from tests.databases import drop, lay_database, lay_url


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """The file of SQLite. A test that looks into it is marked so: `pytest.mark.sqlite`."""
    return lay_database(tmp_path)


@pytest.fixture
def url(tmp_path: Path) -> Generator[str]:
    yield lay_url(tmp_path)
    drop(tmp_path)


@pytest.fixture
async def store(url: str) -> AsyncGenerator[Store]:
    async with open_store(url) as opened:
        yield opened
