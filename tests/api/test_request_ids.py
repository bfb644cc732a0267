"""Ids in log lines: one per request, and one per reply, in every task that works for it."""

from __future__ import annotations

from typing import Any

import pytest
from structlog.contextvars import get_contextvars

from app.runs.engine import engine
from tests.api.served import Api
from tests.api.talk import create_conversation, follow, send


async def test_a_reply_logs_its_own_id_and_that_of_the_request_that_started_it(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[dict[str, Any]] = []

    def look(*_sent: object) -> None:
        seen.append(get_contextvars())

    monkeypatch.setattr(engine, "log_sent", look)

    runs: list[str] = []
    for _ in range(2):
        conversation_id = await create_conversation(api, model="offline:demo")
        runs.append((await send(api, conversation_id, "/echo Hello"))["run_id"])
        await follow(api, runs[-1])

    assert [one["run_id"] for one in seen] == runs
    assert len({one["request_id"] for one in seen}) == 2
    assert get_contextvars() == {}
