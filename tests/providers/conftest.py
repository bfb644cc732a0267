from __future__ import annotations

import pytest


@pytest.fixture(scope="module", autouse=True)
def replies_take_no_time() -> None:
    """Here they are the point."""
