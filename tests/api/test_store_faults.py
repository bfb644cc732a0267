"""A database that cannot be written: said in words that help, nothing half done, and all goes on afterwards."""

from __future__ import annotations

from pathlib import Path

import httpx2
import pytest

from app.store.database import kind
from tests.api.served import Api, serve_api
from tests.api.talk import answered, create_conversation
from tests.databases import held, without_room


def read_problem(answer: httpx2.Response) -> str:
    problem = answer.json()
    assert (answer.status_code, problem["type"]) == (503, "urn:inview:problem:not-ready")
    assert problem["log_id"] in problem["detail"]
    assert "inview" not in problem["detail"]
    return problem["detail"]


async def test_send_to_a_database_that_somebody_holds_says_so_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(kind, "BUSY_SECONDS", 0.1)
    async with serve_api(tmp_path) as api:
        conversation_id = await create_conversation(api)
        async with held(tmp_path):
            refused = await api.http.post(f"/conversations/{conversation_id}/send", json={"text": "/echo one"})
            assert read_problem(refused).startswith("Another program holds the database. Nothing was changed.")
            assert (await api.http.get(f"/conversations/{conversation_id}/pairs")).json()["items"] == []

        assert (await answered(api, conversation_id, "/echo one"))["position"] == 1


async def test_full_disk_is_said_and_leaves_nothing_half_done(api: Api, tmp_path: Path):
    conversation_id = await create_conversation(api)
    pair = await answered(api, conversation_id, "/echo one")
    long = "word " * 20_000

    async with without_room(tmp_path, api.wb.store.engine):
        refused = await api.http.post(f"/conversations/{conversation_id}/send", json={"text": long})
        assert read_problem(refused).startswith("The disk is full. Nothing was changed;")
        body = {"text": long, "standing": 1}
        assert read_problem(await api.http.post(f"/pairs/{pair['id']}/resend", json=body)).startswith(
            "The disk is full."
        )
        items = (await api.http.get(f"/conversations/{conversation_id}/pairs")).json()["items"]
        assert [(one["user_text"], one["version"]) for one in items] == [("/echo one", 1)]

    assert (await answered(api, conversation_id, "/echo two"))["position"] == 2
