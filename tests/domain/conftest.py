from __future__ import annotations

import pytest


@pytest.fixture(scope="module", autouse=True)
def replies_take_no_time() -> None:
    """Here it is worked out how long they take."""
