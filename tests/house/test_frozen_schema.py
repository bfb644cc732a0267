"""A schema that never ends, in a real server: others are answered, and the server ends when it is told to."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Generator
from concurrent.futures import Future, ThreadPoolExecutor
from time import monotonic
from typing import Any

import pytest

from app.schemas.checker import MAX_SECONDS
from tests.schemas.attacks import ATTACKS
from tests.serving import Served, serving

pytestmark = [pytest.mark.exhaustive, pytest.mark.slow]

PATIENCE = 20.0
"""Seconds after which a request counts as never answered."""


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
    """Import a file with a pair whose reply is checked against this schema. Returns the pair's id."""
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


def waits(server: Served, until: Future[Any] | None = None, times: int = 50) -> list[float]:
    """Seconds that each of some requests took, one after the other."""
    took: list[float] = []
    while (len(took) < times) if until is None else not until.done():
        began = monotonic()
        call(server, "/health")
        took.append(monotonic() - began)
    return took


def test_imported_schema_that_never_ends_delays_no_other_request(server: Served) -> None:
    attacked = [import_attack(server, name) for name in ("a pattern that backtracks", "references that multiply")]

    with ThreadPoolExecutor(1) as pool:
        answers = [pool.submit(call, server, f"/pairs/{pair_id}/structured") for pair_id in attacked]
        busy = [took for each in answers for took in waits(server, each)]

    for each in answers:
        (error,) = each.result()["errors"]
        assert error["message"].startswith("The reply was not checked: its schema takes more than 2 seconds to check")
        assert each.result()["repair"] is None
    assert max(busy) < MAX_SECONDS / 2  # whoever waited for a check would wait for all of its time


def test_server_that_checks_such_a_schema_ends_when_it_is_told_to(server: Served) -> None:
    pair_id = import_attack(server, "a pattern that backtracks")

    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(call, server, f"/pairs/{pair_id}/structured")
        waits(server, times=5)
        server.stop(seconds=PATIENCE)
        asked.exception(PATIENCE)

    assert server.process.returncode == 0
