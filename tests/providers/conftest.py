from __future__ import annotations

import pytest


@pytest.fixture(scope="module", autouse=True)
def replies_take_no_time() -> None:
    """Disable the fixture of this name: these tests are about the offline replies."""
