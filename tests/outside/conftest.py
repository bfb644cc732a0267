"""Fixtures for all attacks: no reply is made, the limit per minute of a stream is small, memory is measured fast."""

from __future__ import annotations

import gc
from collections.abc import Generator

import pytest

from app.runs.memory.collector import return_large_blocks
from app.tools.network import bounds
from tests.outside.tool_readers import SHORT_FLOW


@pytest.fixture(scope="module", autouse=True)
def replies_take_no_time() -> None:
    """Disable the fixture of this name: no reply is made here."""


@pytest.fixture(autouse=True)
def a_minute_has_few_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "FLOW_BYTES", SHORT_FLOW)


@pytest.fixture(scope="module", autouse=True)
def large_blocks_are_returned() -> None:
    """Return large blocks to the system, as in a server."""
    return_large_blocks()


@pytest.fixture(scope="module", autouse=True)
def collections_are_quick() -> Generator[None]:
    """Exclude all modules from the collections before each measurement: these take a tenth of a second each."""
    had_frozen = gc.get_freeze_count() > 0  # by an earlier test that opened an app context
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()
    if had_frozen:
        gc.freeze()
