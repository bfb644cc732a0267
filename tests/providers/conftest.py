from __future__ import annotations

import pytest


@pytest.fixture(scope="module", autouse=True)
def replies_are_brief() -> None:
    """Here they are the point."""
