"""What every test has: properties that take their time, replies that take none, and golden files, for texts whose shape
is the point.

    def test_doctor_shows_every_setting(golden: Golden) -> None:
        golden.check("doctor.txt", output)

`make golden` rewrites the files in `tests/golden`; the diff is then read like any other.
"""

from __future__ import annotations

import gc
from collections.abc import Generator, MutableMapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import structlog
from hypothesis import HealthCheck, settings

from app.domain.conversation import retry_policy
from app.providers.offline_replies import script as offline_script
from app.runs.people import passwords
from app.store.database import database
from tests.databases import SERVER, lending, make_engine_that_shares
from tests.seeds import EXPLORES

FOLDER = Path(__file__).parent / "golden"

# A property is right or wrong; how fast a busy machine finds out is measured by `make bench`.
settings.register_profile(
    "patient", deadline=None, derandomize=not EXPLORES, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("patient")


def drop_debug(_logger: object, method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Leave out the lines for developers: each send logs one for each of its messages."""
    if method == "debug":
        raise structlog.DropEvent
    return event


# A fault that is logged shows its lines alone: its values, which structlog would draw as well, take seconds to draw.
structlog.configure(
    processors=[
        drop_debug,
        *structlog.get_config()["processors"][:-1],
        structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback),
    ]
)


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


@pytest.fixture(autouse=True, scope="module")
def leaks() -> Generator[None]:
    """Blame what a file leaves open on that file, and not on whatever test runs when Python looks for garbage."""
    yield
    gc.collect()


@pytest.fixture(scope="module", autouse=True)
def replies_take_no_time() -> Generator[None]:
    """What the built-in model says when no command says what, how fast, and how long a failed call rests: few tests are
    about these.

    One that needs a reply or a rest to last says so: `/rate 25`, `/fail rate retry-after 30`.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(offline_script, "INTRODUCTION", "{quoted}I got {messages}, the last of {words}.")
        patch.setattr(offline_script, "DEFAULT_RATE", 20_000.0)
        patch.setattr(retry_policy, "MAX_BACKOFF", 0.02)
        yield


@pytest.fixture(scope="session", autouse=True)
def hashes_of_passwords_are_cheap() -> Generator[None]:
    """A hash takes 0.2 s of a processor on purpose, and each test with accounts makes and checks some."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passwords, "ITERATIONS", 1)
        patch.setattr(passwords, "MEMORY_KB", 64)
        yield


@pytest.fixture(scope="session", autouse=True)
def statements_are_compiled_once() -> Generator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(database, "create_async_engine", make_engine_that_shares)
        yield


@pytest.fixture(autouse=True)
def databases_are_lent() -> Generator[None]:
    with lending():
        yield


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    return Golden(rewrite=bool(request.config.getoption("--golden-rewrite")))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--golden-rewrite", action="store_true", help="rewrite the golden files, and run nothing else")


def pytest_collection_finish() -> None:
    """What is there before the first test stays, so that looking for garbage does not look through it (see `leaks`)."""
    gc.collect()
    gc.freeze()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if SERVER is not None:
        for item in items:
            if marker := item.get_closest_marker("sqlite"):
                why = marker.kwargs.get("reason", "it is about SQLite")
                item.add_marker(pytest.mark.skip(reason=f"not on the engine of INVIEW_TEST_DATABASE_URL: {why}"))
    if config.getoption("--golden-rewrite"):
        items[:] = [item for item in items if "golden" in getattr(item, "fixturenames", ())]
    if hasattr(config, "workerinput"):  # one of several that share the files: whoever has a long one begins with it
        slow = {item.path for item in items if item.get_closest_marker("slow")}
        items.sort(key=lambda item: item.path not in slow)
