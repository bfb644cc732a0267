"""A real workbench for each test: SQLite in a temporary folder, the real engine, the built-in offline provider."""

from __future__ import annotations

import shutil
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from app.runs.wiring import open_workbench
from app.runs.workbench import Workbench
from app.store.migrations import upgrade
from tests.runs.steps import settings_of


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty database of the newest revision, to be copied."""
    path = tmp_path_factory.mktemp("migrated") / "inview.db"
    upgrade(f"sqlite+aiosqlite:///{path}")
    return path


@pytest.fixture
def data(migrated: Path, tmp_path: Path) -> Path:
    """A data folder with an empty database."""
    shutil.copy(migrated, tmp_path / "inview.db")
    return tmp_path


@pytest.fixture
async def wb(data: Path) -> AsyncGenerator[Workbench]:
    async with open_workbench(settings_of(data)) as opened:
        yield opened


@pytest.fixture
async def other(migrated: Path, tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Workbench]:
    """Another installation."""
    elsewhere = tmp_path_factory.mktemp("other")
    shutil.copy(migrated, elsewhere / "inview.db")
    async with open_workbench(settings_of(elsewhere)) as opened:
        yield opened
