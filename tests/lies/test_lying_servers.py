"""Whatever a server reports of usage, models and windows: replies end, and the previewed request is sent."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import orjson
import pytest
from alembic.config import Config
from sqlalchemy import create_engine

from alembic import command
from app.domain.models.model_profile import ModelProfile
from app.domain.tokens.calibration import estimator_of
from app.providers.models import models
from app.runs.request.calibration import load_estimator
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.watch.broadcast import follow
from app.store.database.migrations import ROOT, upgrade
from tests.api.served import Api, serve, serve_api
from tests.api.talk import create_conversation
from tests.lies.servers import HONEST, LIAR, LIST_LIES, STREAM_LIES, USAGE_LIES, Server

FINAL = {"succeeded", "error", "canceled"}
WORDS = "The quick brown fox jumps over the lazy dog. "
GATE = {"always ten", "1e300", "negative", "a boolean", "a list", "more cached than read", "ten times"}
KINDS_OF_LIES = [lie if lie in GATE else pytest.param(lie, marks=pytest.mark.exhaustive) for lie in USAGE_LIES]
"""The gate tries one lie of each kind, `make test-all` all of them."""


@asynccontextmanager
async def opened(folder: Path, vendor: str = "peer") -> AsyncGenerator[tuple[Server, Api]]:
    server = Server()
    async with serve(server) as served:
        at = f"http://{served.host}"
        environments = {
            "peer": {"INVIEW_COMPATIBLE": f"peer={at}/v1"},
            "anthropic": {"ANTHROPIC_BASE_URL": at, "ANTHROPIC_API_KEY": "a-key"},
            "openai": {"OPENAI_BASE_URL": f"{at}/v1", "OPENAI_API_KEY": "a-key"},
        }
        async with serve_api(folder, **environments[vendor]) as api:
            yield server, api


async def ok(answer: Any) -> Any:
    answered = await answer
    assert answered.is_success, answered.text
    return answered.json()


async def say(api: Api, conversation_id: str, text: str, **more: object) -> str:
    """Send a text, and return how its pair ended."""
    body = {"text": text, **more}
    started = await ok(api.http.post(f"/conversations/{conversation_id}/send", json=body, headers=JSON))
    async for _ in follow(api.ctx, LOCAL_OWNER, started["run_id"]):
        pass
    (pair,) = (await ok(api.http.get(f"/conversations/{conversation_id}/pairs", params={"limit": 1})))["items"]
    assert pair["id"] == started["pair_id"]
    return pair["lifecycle"]


JSON = {"Accept": "application/json"}


async def estimator_for(api: Api, model: str) -> Any:
    async with api.ctx.store.read() as session:
        return await load_estimator(session, LOCAL_OWNER, ModelProfile(f"peer:{model}", model))


@pytest.mark.parametrize("lie", KINDS_OF_LIES)
async def test_whatever_usage_is_reported_what_is_previewed_is_sent(tmp_path: Path, lie: str) -> None:
    async with opened(tmp_path) as (server, api):
        server.usage = USAGE_LIES[lie]
        place = await create_conversation(api, model=f"peer:{LIAR}")
        await ok(api.http.put("/budgets/all/day", json={"amount": "5", "stops": True}))
        for number in range(4):
            draft = {"text": f"{number} {WORDS * 40}", "over_budget": "fit"}
            previewed = await ok(api.http.post(f"/conversations/{place}/preview", json=draft))

            assert await say(api, place, selection=previewed["selection"], **draft) == "succeeded"

            assert server.bodies[-1] == orjson.dumps(previewed["body"])
            assert (await api.http.get("/usage")).status_code == 200
            assert (await api.http.get("/budgets")).status_code == 200
            assert (await api.http.get(f"/conversations/{place}/usage")).status_code == 200


@pytest.mark.exhaustive
@pytest.mark.parametrize("vendor", ["anthropic", "openai"])
@pytest.mark.parametrize("lie", USAGE_LIES)
async def test_what_is_previewed_is_sent_to_a_vendor_that_lies(tmp_path: Path, lie: str, vendor: str) -> None:
    async with opened(tmp_path, vendor) as (server, api):
        server.usage = USAGE_LIES[lie]
        place = await create_conversation(api, model=f"{vendor}:{LIAR}")
        for number in range(3):
            draft = {"text": f"{number} {WORDS * 40}", "over_budget": "fit"}
            previewed = await ok(api.http.post(f"/conversations/{place}/preview", json=draft))

            assert await say(api, place, selection=previewed["selection"], **draft) == "succeeded"

            assert server.bodies[-1] == orjson.dumps(previewed["body"])
        calls = (await ok(api.http.get(f"/conversations/{place}/calls")))["items"]
        assert all(call["input_tokens"] >= 0 and call["output_tokens"] >= 0 for call in calls)
        assert all(call["report_note"] for call in calls)


@pytest.mark.parametrize("lie", KINDS_OF_LIES)
async def test_a_lie_moves_no_estimate_of_a_model_that_is_honest(tmp_path: Path, lie: str) -> None:
    async with opened(tmp_path) as (server, api):
        place = await create_conversation(api, model=f"peer:{LIAR}")
        for number in range(3):  # the same model, while it reports the truth
            await say(api, place, f"{number} {WORDS * (number + 9)}", over_budget="fit")
        believed, other = await estimator_for(api, LIAR), await estimator_for(api, HONEST)
        server.usage = USAGE_LIES[lie]

        for number in range(4):
            await say(api, place, f"{number} {WORDS * 40}", over_budget="fit")

        assert await estimator_for(api, LIAR) == believed
        assert await estimator_for(api, HONEST) == other == estimator_of(ModelProfile(f"peer:{HONEST}", HONEST))
        assert await say(api, place, WORDS, model=f"peer:{HONEST}") == "succeeded"


@pytest.mark.parametrize("lie", sorted(set(USAGE_LIES) - {"details of another type"}))
async def test_every_lie_is_stored_and_reported(tmp_path: Path, lie: str) -> None:
    async with opened(tmp_path) as (server, api):
        server.usage = USAGE_LIES[lie]
        place = await create_conversation(api, model=f"peer:{LIAR}")
        await say(api, place, WORDS * 100, over_budget="force")

        (call,) = (await ok(api.http.get(f"/conversations/{place}/calls")))["items"]

        assert call["report_note"]
        assert call["input_tokens"] >= 0
        assert call["output_tokens"] >= 0


async def test_a_negative_report_never_lowers_what_was_spent(tmp_path: Path) -> None:
    async with opened(tmp_path) as (server, api):
        place = await create_conversation(api, model=f"peer:{LIAR}")
        await say(api, place, WORDS)
        before = (await ok(api.http.get("/usage")))["total"]
        server.usage = USAGE_LIES["negative"]

        await say(api, place, WORDS)

        after = (await ok(api.http.get("/usage")))["total"]
        assert after["input_tokens"] == before["input_tokens"] > 0
        assert after["calls"] == 2
        assert after["cut_short"] == 1


@pytest.mark.parametrize("lie", STREAM_LIES)
async def test_whatever_is_streamed_a_reply_ends_and_what_was_previewed_was_sent(tmp_path: Path, lie: str) -> None:
    async with opened(tmp_path) as (server, api):
        place = await create_conversation(api, model=f"peer:{LIAR}")
        for stream in (STREAM_LIES[lie], None):
            server.stream = stream
            previewed = await ok(api.http.post(f"/conversations/{place}/preview", json={"text": WORDS}))

            ended = await say(api, place, WORDS, selection=previewed["selection"])

            assert ended in FINAL if stream is not None else ended == "succeeded"
            assert server.bodies[-1] == orjson.dumps(previewed["body"])


@pytest.mark.parametrize("lie", LIST_LIES)
async def test_whatever_is_listed_the_other_models_are_on_offer(tmp_path: Path, lie: str) -> None:
    async with opened(tmp_path) as (server, api):
        server.models = [LIST_LIES[lie]]

        listed = await ok(api.http.get("/models"))

        assert [one["model"] for one in listed["items"] if one["provider"] == "peer"] == [
            f"peer:{HONEST}",
            f"peer:{LIAR}",
        ]
        (skipped,) = listed["skipped"]
        assert skipped["provider"] == "peer"
        assert len(skipped["entries"]) == 1
        place = await create_conversation(api, model=f"peer:{LIAR}")
        previewed = await ok(api.http.post(f"/conversations/{place}/preview", json={"text": WORDS}))
        assert await say(api, place, WORDS, selection=previewed["selection"]) == "succeeded"
        assert server.bodies[-1] == orjson.dumps(previewed["body"])


@pytest.mark.parametrize(("before", "after"), [(4_000, 1_000), (1_000, 4_000), (4_000, None), (None, 1_000)])
async def test_a_window_that_changes_after_the_preview_changes_nothing_unseen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: int | None, after: int | None
) -> None:
    """A server that reports another window each time. None: it reports none, and a default is used."""
    monkeypatch.setattr(models, "KEPT_SECONDS", -1)
    async with opened(tmp_path) as (server, api):
        server.window = before
        place = await create_conversation(api, model=f"peer:{LIAR}")
        for number in range(8):
            await say(api, place, f"{number} {WORDS * 40}", over_budget="fit")
        draft = {"text": WORDS, "over_budget": "fit"}
        await ok(api.http.get("/models"))
        previewed = await ok(api.http.post(f"/conversations/{place}/preview", json=draft))
        arrived = len(server.bodies)

        server.window = after
        await ok(api.http.get("/models"))
        sent = await api.http.post(
            f"/conversations/{place}/send", json={**draft, "selection": previewed["selection"]}, headers=JSON
        )

        assert sent.status_code == 409
        assert sent.json()["type"].endswith("selection-changed")
        assert len(server.bodies) == arrived
        again = await ok(api.http.post(f"/conversations/{place}/preview", json=draft))
        assert await say(api, place, selection=again["selection"], **draft) == "succeeded"
        assert server.bodies[-1] == orjson.dumps(again["body"])


async def test_ten_thousand_models_are_cut_with_a_note(tmp_path: Path) -> None:
    async with opened(tmp_path) as (server, api):
        server.models = [{"id": f"<b>model-{number}</b>"} for number in range(10_000)]

        listed = await ok(api.http.get("/models"))

        assert sum(one["provider"] == "peer" for one in listed["items"]) == 2_000
        assert "after the first 2,000 models" in listed["skipped"][0]["entries"][0]


POISON = (1.5, 1e300, "many", -7, 2**62)


async def test_a_database_that_was_poisoned_before_works_again(tmp_path: Path) -> None:
    async with opened(tmp_path) as (_, api):
        place = await create_conversation(api, model=f"peer:{LIAR}")
        for _ in POISON:
            await say(api, place, WORDS)
        clean = (await ok(api.http.get("/usage")))["total"]
    poison(tmp_path / "inview.db")
    upgrade(f"sqlite+aiosqlite:///{tmp_path / 'inview.db'}")

    async with opened(tmp_path) as (_, api):
        total = (await ok(api.http.get("/usage")))["total"]
        assert total["calls"] == clean["calls"]
        assert 0 <= total["input_tokens"] < clean["input_tokens"]
        assert total["cut_short"] == len(POISON)
        assert (await api.http.get("/budgets")).status_code == 200
        calls = (await ok(api.http.get(f"/conversations/{place}/calls")))["items"]
        assert all("in the ledger" in call["report_note"] for call in calls)
        assert await say(api, place, WORDS, over_budget="fit") == "succeeded"


def poison(path: Path) -> None:
    """Write into a database of an earlier version what that version wrote into the ledger, the sums and the runs."""
    engine = create_engine(f"sqlite:///{path}")
    config = Config(str(ROOT / "alembic.ini"))
    config.set_main_option("script_location", str(ROOT / "alembic"))
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.downgrade(config, "0023")
        read, write = connection.exec_driver_sql, connection.exec_driver_sql
        found = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'ledger'"
        triggers = read(found).all()
        for name, _ in triggers:
            write(f"DROP TRIGGER {name}")
        for table in ("ledger", "run"):
            column = {"ledger": "input_tokens", "run": "usage"}[table]
            ids = read(f"SELECT id FROM {table} ORDER BY started_at").scalars().all()
            for row_id, value in zip(ids, POISON, strict=True):
                stored = value if table == "ledger" else json.dumps({"input_tokens": value, "output_tokens": 1})
                write(f"UPDATE {table} SET {column} = ? WHERE id = ?", (stored, row_id))
        write("UPDATE usage_day SET input_tokens = 1e300")
        write("UPDATE usage_account SET input_tokens = -7.5")
        for _, sql in triggers:
            write(sql)
    engine.dispose()
