"""The real server ends while replies stream, by SIGTERM and by kill -9; then another one starts on its data."""

from __future__ import annotations

import signal
import time
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.serving import Served, serving

TEXT = "/rate 100 /long 3000"
REPLIES = 8


def ask(server: Served, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
    answer = httpx2.request(
        method, f"{server.url}/api/v1{path}", json=body, headers={"Accept": "application/json"}, timeout=10
    )
    assert answer.is_success, answer.text
    return answer.json()


def start_replies(server: Served) -> dict[str, str]:
    """Some replies that are streaming: conversation by pair."""
    started: dict[str, str] = {}
    for _ in range(REPLIES):
        conversation = ask(server, "POST", "/conversations", {"model": "offline:demo"})["id"]
        started[ask(server, "POST", f"/conversations/{conversation}/send", {"text": TEXT})["pair_id"]] = conversation
    return started


def pairs_of(server: Served, started: dict[str, str]) -> list[dict[str, Any]]:
    """The pairs, each the only one of its conversation."""
    found: list[dict[str, Any]] = []
    for pair_id, conversation in started.items():
        (pair,) = ask(server, "GET", f"/conversations/{conversation}/pairs")["items"]
        assert pair["id"] == pair_id
        found.append(pair)
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("how", "within"), [(signal.SIGTERM, 2.0), (signal.SIGKILL, 1.0)])
def test_a_server_that_ends_leaves_every_reply_final_with_its_text(
    tmp_path: Path, how: signal.Signals, within: float
) -> None:
    with serving(tmp_path / "data") as server:
        started = start_replies(server)
        time.sleep(1.5)
        before = pairs_of(server, started)
        took = server.stop(how)

    assert took < within
    with serving(tmp_path / "data") as server:
        after = pairs_of(server, started)
        again = ask(server, "POST", f"/conversations/{after[0]['conversation_id']}/send", {"text": "/rate 0"})

    assert again["pair_id"] not in started
    for earlier, pair in zip(before, after, strict=True):
        assert (pair["lifecycle"], pair["error"]["class"]) == ("error", "interrupted")
        assert pair["reply_text"].startswith(earlier["reply_text"])
        assert len(pair["reply_text"]) > 100
