"""Fixtures for tests of the cache keep-alive."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from tests.billing.anthropic import AnthropicCache
from tests.billing.peer import BillingPeer, play_anthropic
from tests.billing.talking import Talk, talking


@pytest.fixture
async def talk(tmp_path: Path) -> AsyncGenerator[Talk]:
    async with talking(tmp_path, BillingPeer("anthropic", AnthropicCache().bill, play_anthropic)) as begun:
        yield begun
