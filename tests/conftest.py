"""What every test has: properties that take their time, and golden files, for texts whose shape is the point.

    def test_doctor_shows_every_setting(golden: Golden) -> None:
        golden.check("doctor.txt", output)

`make golden` rewrites the files in `tests/golden`; the diff is then read like any other.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

FOLDER = Path(__file__).parent / "golden"

# A property is right or wrong; how fast a busy machine finds out is measured by `make bench`.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")


@dataclass(frozen=True)
class Golden:
    """Compares a text with the file of that name, or writes the file when asked to."""

    rewrite: bool

    def check(self, name: str, text: str) -> None:
        path = FOLDER / name
        if self.rewrite:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        assert path.is_file(), (
            f"tests/golden/{name} does not exist. `make golden` writes it; read it before committing."
        )
        assert text == path.read_text(), f"tests/golden/{name} differs. If that is meant, `make golden` rewrites it."


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    return Golden(rewrite=bool(request.config.getoption("--golden-rewrite")))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--golden-rewrite", action="store_true", help="rewrite the golden files, and run nothing else")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--golden-rewrite"):
        items[:] = [item for item in items if "golden" in getattr(item, "fixturenames", ())]
