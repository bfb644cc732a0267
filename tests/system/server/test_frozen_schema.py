"""A schema check that never ends, in a real server: other requests are answered, and the server stops on SIGTERM."""

from __future__ import annotations

import json
import time
import urllib.request
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from app.schema_check import schema_worker
from tests.schema_check.attacks import ATTACKS
from tests.serving import Served, serving

pytestmark = [pytest.mark.exhaustive, pytest.mark.slow]

PATIENCE = 20.0
"""Seconds after which a request counts as never answered."""
WORKER = Path(schema_worker.__file__)


@pytest.fixture
def server(tmp_path_factory: pytest.TempPathFactory) -> Generator[Served]:
    with serving(tmp_path_factory.mktemp("frozen") / "data") as served:
        yield served


def call(server: Served, path: str, body: object = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(f"{server.url}/api/v1{path}", data, headers)
    with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
        return json.loads(answer.read())


def import_attack(server: Served, name: str) -> str:
    """Import a file with a pair whose reply is checked against this schema. Return the pair's id."""
    schema, value = ATTACKS[name]
    pair = {
        "user_text": "?",
        "reply_text": json.dumps(value),
        "model": "offline:demo",
        "parameters": {"reply_schema": json.dumps(schema)},
    }
    file = {"format": "inview", "version": 1, "conversations": [{"title": name, "pairs": [pair]}]}
    conversation = call(server, "/import", file)["conversations"][0]["id"]
    pairs = call(server, f"/conversations/{conversation}/pairs")["items"]
    return str(pairs[0]["id"])


def worker_at_work(server: Served) -> psutil.Process:
    """Return the server's process that checks schemas, once it is working."""
    while True:
        with suppress(
            psutil.NoSuchProcess
        ):  # a process that took too long has just ended; the next question starts another
            for child in psutil.Process(server.process.pid).children(recursive=True):
                if str(WORKER) in child.cmdline() and child.status() == psutil.STATUS_RUNNING:
                    return child
        time.sleep(0.01)


@contextmanager
def stopped(process: psutil.Process) -> Generator[None]:
    """Stop a process: it does not answer until the block ends."""
    process.suspend()
    try:
        yield
    finally:
        with suppress(psutil.NoSuchProcess):
            process.resume()


@pytest.mark.parametrize("name", ["a pattern that backtracks", "references that multiply"])
def test_imported_schema_that_never_ends_delays_no_other_request(server: Served, name: str) -> None:
    pair_id = import_attack(server, name)

    with ThreadPoolExecutor(1) as pool:
        checked = pool.submit(call, server, f"/pairs/{pair_id}/structured")
        with stopped(worker_at_work(server)):
            for _ in range(50):
                call(server, "/health")
            assert not checked.done()

    (error,) = checked.result()["errors"]
    assert error["message"].startswith("The reply was not checked: its schema takes more than 2 seconds to check")
    assert checked.result()["repair"] is None


def test_server_that_checks_such_a_schema_stops_on_a_signal(server: Served) -> None:
    pair_id = import_attack(server, "a pattern that backtracks")

    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(call, server, f"/pairs/{pair_id}/structured")
        with stopped(worker_at_work(server)):
            server.stop(seconds=PATIENCE)
        asked.exception(PATIENCE)

    assert server.process.returncode == 0
