from __future__ import annotations

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from anthropic import AsyncAnthropic
from openai import AsyncOpenAI

from tests.api.gateway.vendor import Vendor, serve_vendor
from tests.api.served import Api, serve_api


@pytest.fixture
async def vendor() -> AsyncGenerator[Vendor]:
    async with serve_vendor() as served:
        yield served


@pytest.fixture
async def api(tmp_path: Path, vendor: Vendor) -> AsyncGenerator[Api]:
    async with serve_api(tmp_path, **vendor.environment) as served:
        yield served


@pytest.fixture
async def chat(api: Api) -> AsyncGenerator[AsyncOpenAI]:
    """OpenAI's own client, as a program would set it up."""
    async with AsyncOpenAI(base_url=f"http://{api.host}/v1", api_key="unused", max_retries=0, timeout=20) as client:
        yield client


@pytest.fixture
async def claude(api: Api) -> AsyncGenerator[AsyncAnthropic]:
    """Anthropic's own client, as a program would set it up."""
    async with AsyncAnthropic(base_url=f"http://{api.host}", api_key="unused", max_retries=0, timeout=20) as client:
        yield client
