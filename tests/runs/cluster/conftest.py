"""Two processes of an installation: two workbenches on one database, which reach each other through a real Redis."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Generator
from pathlib import Path

import pytest

from app.runs.wiring import open_workbench
from app.runs.workbench import Workbench
from tests.redis_server import PROGRAM, RedisServer, redis_serving
from tests.runs.steps import settings_of


@pytest.fixture
def redis() -> Generator[RedisServer]:
    if PROGRAM is None:
        pytest.skip("No server of Redis is installed. On Debian: apt-get install redis-server")
    with redis_serving() as server:
        yield server


@pytest.fixture
async def wb(data: Path, redis: RedisServer) -> AsyncGenerator[Workbench]:
    """The process that people send through."""
    async with open_workbench(settings_of(data, INVIEW_REDIS_URL=redis.url)) as opened:
        yield opened


@pytest.fixture
async def far(data: Path, wb: Workbench, redis: RedisServer) -> AsyncGenerator[Workbench]:
    """Another process on the same database."""
    async with open_workbench(settings_of(data, INVIEW_REDIS_URL=redis.url)) as opened:
        yield opened
