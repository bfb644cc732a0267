"""A real app context for each test: SQLite in a temporary folder, the real engine, the built-in offline provider."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from app.runs.app_context import AppContext
from app.runs.wiring import open_app_context
from tests.databases import lay_database
from tests.runs.by_hand import ByHand
from tests.runs.clock import MovedClock
from tests.runs.steps import settings_of


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Create a data folder with an empty database."""
    lay_database(tmp_path)
    return tmp_path


@pytest.fixture
async def ctx(data: Path) -> AsyncGenerator[AppContext]:
    async with open_app_context(settings_of(data)) as opened:
        yield opened


@pytest.fixture
def clock() -> MovedClock:
    return MovedClock()


@pytest.fixture
async def moved(data: Path, clock: MovedClock) -> AsyncGenerator[AppContext]:
    """Open an app context that saves and retries by the moved clock."""
    async with open_app_context(settings_of(data), clock) as opened:
        yield opened


@pytest.fixture
def hand(monkeypatch: pytest.MonkeyPatch) -> ByHand:
    """Offline models that answer with the texts of the test."""
    return ByHand.at_work(monkeypatch)


@pytest.fixture
async def other(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[AppContext]:
    """Open a second installation."""
    async with open_app_context(settings_of(tmp_path_factory.mktemp("other"))) as opened:
        yield opened
