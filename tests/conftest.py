"""Fixtures of all tests: properties without a deadline, replies without delay, and golden files for exact texts.

    def test_doctor_shows_every_setting(golden: Golden) -> None:
        golden.check("doctor.txt", output)

`make golden` rewrites the files in `tests/golden`; review the diff like any other.
"""

from __future__ import annotations

import gc
from collections.abc import Generator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import httpcore2
import pytest
import structlog
from hypothesis import HealthCheck, settings
from sqlalchemy import Engine
from sqlalchemy.dialects.sqlite.aiosqlite import SQLiteDialect_aiosqlite
from sqlalchemy.util import LRUCache

from app.domain import retry_policy
from app.providers.offline import script
from app.runs import wiring
from app.runs.settings import provider_commands
from app.schema_check import checker
from tests.effort import examples
from tests.seeds import EXPLORES

FOLDER = Path(__file__).parent / "golden"
COMPILED: Final = 5000
"""Maximum number of compiled statements that are cached."""

# A property is right or wrong; the speed of a busy machine is measured by `make bench`.
settings.register_profile(
    "effort",
    max_examples=examples(200),
    deadline=None,
    derandomize=not EXPLORES,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("effort")

# Show only the lines of a logged traceback: structlog would also draw its values, which takes seconds.
# At the level debug, each call would log a line for each of its messages.
structlog.configure(
    wrapper_class=structlog.make_filtering_bound_logger("info"),
    processors=[
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


@pytest.fixture(scope="module", autouse=True)
def replies_take_no_time() -> Generator[None]:
    """Shorten the built-in model's default reply, its delay, and the wait after a failed call: few tests test these.

    A test that needs a long reply or wait says so: `/rate 25`, `/fail rate retry-after 30`.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(script, "INTRODUCTION", "{quoted}I got {messages}, the last of {words}.")
        patch.setattr(script, "DEFAULT_RATE", 20_000.0)
        patch.setattr(retry_policy, "MAX_BACKOFF", 0.02)
        yield


@pytest.fixture(scope="session", autouse=True)
def costly_things_are_made_once() -> Generator[None]:
    """As in a server, compile each statement once, and read the certificates of authorities once.

    A server has one database. Here each test has its own, and SQLAlchemy compiles again for each engine and dialect.
    Both together were a third of the processor time of tests with a database.
    """
    compiled = LRUCache[Any, Any](COMPILED)

    def keep_own(_engine: Engine, _compiled: object) -> None:
        """Let the engine create its own cache, which stays empty."""

    def is_alike(dialect: SQLiteDialect_aiosqlite, other: object) -> bool:
        return type(dialect) is type(other)

    def hash_kind(dialect: SQLiteDialect_aiosqlite) -> int:
        return hash(type(dialect))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Engine, "_compiled_cache", property(lambda _: compiled, keep_own), raising=False)
        patch.setattr(SQLiteDialect_aiosqlite, "__eq__", is_alike)
        patch.setattr(SQLiteDialect_aiosqlite, "__hash__", hash_kind)
        patch.setattr(httpcore2, "default_ssl_context", cache(httpcore2.default_ssl_context))
        yield


@pytest.fixture(scope="session", autouse=True)
def endless_checks_end_soon() -> Generator[None]:
    """Give up a schema check after a quarter of a second of processor time. The limit for users is two seconds.

    The process that checks is kept from one app context to the next. A new one imports its libraries again.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(checker, "MAX_SECONDS", 0.25)
        patch.setattr(wiring, "end_checking", lambda: None)
        yield
    checker.close()  # its process would outlive the tests


@pytest.fixture
def complete_lists(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for the list of a provider as long as it takes. For users, a list that takes three seconds comes later."""
    monkeypatch.setattr(provider_commands, "PATIENCE_SECONDS", 60.0)


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    return Golden(rewrite=bool(request.config.getoption("--golden-rewrite")))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--golden-rewrite", action="store_true", help="rewrite the golden files, and run nothing else")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Import all modules of the tests without garbage collection: imports leave no garbage."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--golden-rewrite"):
        items[:] = [item for item in items if "golden" in getattr(item, "fixturenames", ())]
    if hasattr(config, "workerinput"):  # several processes share the files: each starts with a long one, if any is left
        slow = {item.path for item in items if item.get_closest_marker("slow")}
        items.sort(key=lambda item: item.path not in slow)
