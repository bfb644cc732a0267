"""A database that cannot be written: the error says what to do, nothing is half done, and later everything works."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import httpx2
import pytest
from sqlalchemy import text

from app.store.database import database
from tests.api.served import Api, serve_api
from tests.api.talk import answered, create_conversation


@asynccontextmanager
async def held(path: Path) -> AsyncGenerator[None]:
    """Lock the database as another program does during a write."""
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        holder.execute("ROLLBACK")
        holder.close()


@asynccontextmanager
async def no_room_left(api: Api) -> AsyncGenerator[None]:
    """SQLite's own limit of pages represents a full disk."""
    await limit_pages(api, 1)  # SQLite uses the present size if that is larger
    yield
    await limit_pages(api, 1_000_000)


async def limit_pages(api: Api, limit: int) -> None:
    async with AsyncExitStack() as stack:  # each connection has its own limit
        for _ in range(database.POOL_SIZE):
            connection = await stack.enter_async_context(api.ctx.store.engine.connect())
            await connection.execute(text(f"PRAGMA max_page_count = {limit}"))


def read_problem(answer: httpx2.Response) -> str:
    problem = answer.json()
    assert (answer.status_code, problem["type"]) == (503, "urn:inview:problem:not-ready")
    assert problem["log_id"] in problem["detail"]
    assert "inview.db" not in problem["detail"]
    return problem["detail"]


async def test_send_to_a_locked_database_is_refused_with_the_reason_and_stores_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(database, "BUSY_SECONDS", 0.1)
    async with serve_api(tmp_path) as api:
        conversation_id = await create_conversation(api)
        async with held(tmp_path / "inview.db"):
            refused = await api.http.post(f"/conversations/{conversation_id}/send", json={"text": "/echo one"})
            assert read_problem(refused).startswith("Another program has locked the database. Nothing was changed.")
            assert (await api.http.get(f"/conversations/{conversation_id}/pairs")).json()["items"] == []

        assert (await answered(api, conversation_id, "/echo one"))["position"] == 1


async def test_full_disk_is_reported_and_leaves_nothing_half_done(api: Api):
    conversation_id = await create_conversation(api)
    pair = await answered(api, conversation_id, "/echo one")
    long = "word " * 20_000

    async with no_room_left(api):
        refused = await api.http.post(f"/conversations/{conversation_id}/send", json={"text": long})
        assert read_problem(refused).startswith("The disk is full. Nothing was changed;")
        body = {"text": long, "standing": 1}
        assert read_problem(await api.http.post(f"/pairs/{pair['id']}/resend", json=body)).startswith(
            "The disk is full."
        )
        items = (await api.http.get(f"/conversations/{conversation_id}/pairs")).json()["items"]
        assert [(one["user_text"], one["version"]) for one in items] == [("/echo one", 1)]

    assert (await answered(api, conversation_id, "/echo two"))["position"] == 2
