"""A real workbench for each test: SQLite in a temporary folder, the real engine, the built-in offline provider."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from app.runs.wiring import open_workbench
from app.runs.workbench import Workbench
from tests.databases import lay_url
from tests.runs.steps import settings_of


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data folder with an empty database."""
    lay_url(tmp_path)
    return tmp_path


@pytest.fixture
async def wb(data: Path) -> AsyncGenerator[Workbench]:
    async with open_workbench(settings_of(data)) as opened:
        yield opened


@pytest.fixture
async def other(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Workbench]:
    """Another installation."""
    async with open_workbench(settings_of(tmp_path_factory.mktemp("other"))) as opened:
        yield opened
