"""An installation that demands accounts."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path

import pytest

from app.runs.people import sessions
from app.runs.people.throttle import Throttle
from app.runs.wiring import open_workbench
from app.runs.workbench import Workbench
from tests.runs.steps import settings_of


@pytest.fixture(autouse=True)
def throttle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "_throttle", Throttle())


@pytest.fixture
async def wb(data: Path) -> AsyncGenerator[Workbench]:
    async with open_workbench(replace(settings_of(data), accounts=True)) as opened:
        yield opened
