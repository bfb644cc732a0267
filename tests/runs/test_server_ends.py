"""The real server ends while replies stream, by SIGTERM and by kill -9; then another process opens its data."""

from __future__ import annotations

import asyncio
import signal
import time
from pathlib import Path
from typing import Any

import httpx2
import pytest

from app.domain.conversation.conversation import Pair
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.conversation.parts import plain_text
from app.domain.errors import ErrorClass
from app.runs.wiring import open_app_context
from tests.runs.steps import Ended, pair_of, reply_to, settings_of
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
    """Start several replies and return their conversations by pair."""
    started: dict[str, str] = {}
    for _ in range(REPLIES):
        conversation = ask(server, "POST", "/conversations", {"model": "offline:demo"})["id"]
        started[ask(server, "POST", f"/conversations/{conversation}/send", {"text": TEXT})["pair_id"]] = conversation
    return started


def pairs_of(server: Served, started: dict[str, str]) -> list[dict[str, Any]]:
    """Return the pairs. Each is the only pair of its conversation."""
    found: list[dict[str, Any]] = []
    for pair_id, conversation in started.items():
        (pair,) = ask(server, "GET", f"/conversations/{conversation}/pairs")["items"]
        assert pair["id"] == pair_id
        found.append(pair)
    return found


async def look_again(data: Path, started: dict[str, str]) -> tuple[list[Pair], Ended]:
    """Return the pairs as the next process finds them, and a new reply of that process."""
    async with open_app_context(settings_of(data)) as ctx:
        pairs = [await pair_of(ctx, pair_id) for pair_id in started]
        return pairs, await reply_to(ctx, pairs[0].conversation_id, "/echo again")


@pytest.mark.exhaustive
@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_a_server_that_ends_leaves_every_reply_final_with_its_text(tmp_path: Path, how: signal.Signals) -> None:
    data = tmp_path / "data"
    with serving(data) as server:
        started = start_replies(server)
        before = pairs_of(server, started)
        while any(len(pair["reply_text"] or "") < 100 for pair in before):
            time.sleep(0.05)
            before = pairs_of(server, started)
        server.stop(how)

    after, again = asyncio.run(look_again(data, started))
    assert again.pair.lifecycle is Lifecycle.SUCCEEDED
    for earlier, pair in zip(before, after, strict=True):
        assert pair.lifecycle is Lifecycle.ERROR
        assert pair.failure is not None
        assert pair.failure.error_class is ErrorClass.INTERRUPTED
        assert pair.reply is not None
        stored = plain_text(pair.reply.parts)
        assert stored.startswith(earlier["reply_text"])
        assert len(stored) > 100
