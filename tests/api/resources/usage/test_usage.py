"""Usage over HTTP: by every grouping, of a conversation, and request by request."""

from __future__ import annotations

import csv
from collections.abc import AsyncGenerator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.api.served import Api, serve_api
from tests.api.talk import answered, create_conversation, follow, send
from tests.providers.peer import Answer, a_peer
from tests.providers.playing import read_recording
from tests.waiting import until, until_found

SONNET = "anthropic:claude-sonnet-4-5"
ONE_REPLY = Decimal(25 * 3 + 15 * 15) / 1_000_000
"""The recording: 25 tokens read at $3 per million, 15 written at $15."""


@pytest.fixture
async def priced(tmp_path: Path) -> AsyncGenerator[Api]:
    async with a_peer(Answer((read_recording("anthropic", "text"),))) as peer:
        environment = {"ANTHROPIC_BASE_URL": peer.url, "ANTHROPIC_API_KEY": "sk-test"}
        async with serve_api(tmp_path, **environment) as api:
            yield api


async def read(api: Api, path: str, **params: Any) -> dict[str, Any]:
    answer = await api.http.get(path, params=params)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_a_pair_its_conversation_and_the_report_have_the_same_cost(priced: Api):
    conversation_id = await create_conversation(priced, model=SONNET)
    pair = await answered(priced, conversation_id, "Hello")
    await answered(priced, conversation_id, "And again")

    account = await read(priced, f"/conversations/{conversation_id}/usage")
    calls = (await read(priced, f"/conversations/{conversation_id}/calls"))["items"]
    report = await read(priced, "/usage", group_by="conversation")

    assert (Decimal(pair["cost"]), pair["cost_at_least"]) == (ONE_REPLY, False)
    assert Decimal(account["total"]["cost"]) == 2 * ONE_REPLY
    assert account["cumulative"]["input_tokens"] == 50
    assert account["window"] == 25 + 15
    assert [(Decimal(call["cost"]), call["position"], call["told"]) for call in calls] == [
        (ONE_REPLY, 2, True),
        (ONE_REPLY, 1, True),
    ]
    (group,) = report["items"]
    assert (group["group"], Decimal(group["cost"]), group["calls"]) == (conversation_id, 2 * ONE_REPLY, 2)
    assert report["total"] == account["total"]


async def test_a_brief_account_says_of_the_whole_one_what_is_glanced_at(priced: Api):
    conversation_id = await create_conversation(priced, model=SONNET)
    await answered(priced, conversation_id, "Hello")

    whole = await read(priced, f"/conversations/{conversation_id}/usage")
    brief = await read(priced, f"/conversations/{conversation_id}/usage", brief=True)

    assert brief == {name: whole[name] for name in ("total", "window", "budgets")}


async def test_calls_page_by_cursor_and_stay_when_pairs_go(priced: Api):
    conversation_id = await create_conversation(priced, model=SONNET)
    pairs = [await answered(priced, conversation_id, f"No. {number}") for number in (1, 2, 3)]
    await priced.http.delete(f"/pairs/{pairs[1]['id']}")

    path = f"/conversations/{conversation_id}/calls"
    first = await read(priced, path, limit=2)
    second = await read(priced, path, limit=2, cursor=first["next_cursor"])

    assert [call["position"] for call in first["items"] + second["items"]] == [3, None, 1]
    assert second["next_cursor"] is None
    account = await read(priced, f"/conversations/{conversation_id}/usage")
    assert account["cumulative"]["output_tokens"] == account["total"]["output_tokens"] == 45


async def test_what_was_derived_is_on_the_account_and_leaves_the_window_as_the_rules_say(priced: Api):
    conversation_id = await create_conversation(priced, model=SONNET)
    await answered(priced, conversation_id, "Hello")
    summary = (
        await priced.http.post(
            f"/conversations/{conversation_id}/summarize", json={}, headers={"Accept": "application/json"}
        )
    ).json()
    await follow(priced, summary["run_id"])

    async def checkpoint() -> object:
        return (await read(priced, f"/conversations/{conversation_id}"))["checkpoint"]

    await until_found(checkpoint)
    account = await read(priced, f"/conversations/{conversation_id}/usage")
    calls = (await read(priced, f"/conversations/{conversation_id}/calls"))["items"]

    assert set(account["by_purpose"]) == {"reply", "summary"}
    assert [(call["purpose"], call["derived"]) for call in calls] == [("summary", True), ("reply", False)]
    assert account["window"] == 15  # the summary alone
    await priced.http.delete(f"/conversations/{conversation_id}/checkpoint")
    assert (await read(priced, f"/conversations/{conversation_id}/usage"))["window"] == 25 + 15
    derived = await read(priced, f"/conversations/{calls[0]['conversation_id']}/usage")
    assert Decimal(derived["total"]["cost"]) == ONE_REPLY


async def test_a_stopped_reply_cost_at_least_the_reported_usage(tmp_path: Path):
    text = read_recording("anthropic", "text")
    begun = text[: text.index(b"event: content_block_stop")]
    async with a_peer(Answer((begun,), then="stall")) as peer:
        environment = {"ANTHROPIC_BASE_URL": peer.url, "ANTHROPIC_API_KEY": "sk-test"}
        async with serve_api(tmp_path, **environment) as api:
            conversation_id = await create_conversation(api, model=SONNET)
            started = await send(api, conversation_id, "Hello")
            await until(lambda: api.ctx.engine.runs[started["run_id"]].state.parts)
            await api.http.post(f"/runs/{started['run_id']}/cancel")
            await follow(api, started["run_id"])

            account = await read(api, f"/conversations/{conversation_id}/usage")

    assert account["total"]["cost_at_least"]
    assert account["total"]["cut_short"] == 1


async def test_the_table_has_a_line_for_each_group_and_the_same_figures(priced: Api):
    conversation_id = await create_conversation(priced, model=SONNET, title="=cmd()")
    await answered(priced, conversation_id, "Hello")

    answer = await priced.http.get("/usage/export", params={"group_by": "conversation"})

    assert answer.headers["content-type"].startswith("text/csv")
    assert "attachment" in answer.headers["content-disposition"]
    (line,) = csv.DictReader(answer.text.splitlines())
    assert line["conversation"] == conversation_id
    assert line["title"] == "'=cmd()"  # not a formula
    assert Decimal(line["cost"]) == ONE_REPLY


async def test_a_period_that_ends_before_it_begins_is_refused(api: Api):
    answer = await api.http.get("/usage", params={"from": "2026-05-02", "to": "2026-05-01"})

    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == "to"


async def test_every_day_of_a_period_is_listed_also_days_without_a_call(priced: Api):
    await answered(priced, await create_conversation(priced, model=SONNET), "Hello")

    (day,) = (await read(priced, "/usage"))["items"]
    more = await read(priced, "/usage", **{"from": "2026-01-01", "to": day["group"]})

    assert more["items"][0] == {**more["items"][0], "group": "2026-01-01", "calls": 0, "cost": "0"}
    assert more["items"][-1]["calls"] == 1


async def test_a_period_of_centuries_lists_a_year_without_calls_at_most(api: Api):
    conversation_id = await create_conversation(api, model="offline:demo")
    await answered(api, conversation_id)

    items = (await api.http.get("/usage", params={"from": "0184-01-01", "to": "9000-01-01"})).json()["items"]

    assert len(items) == 2 * 366 + 1


@pytest.mark.parametrize("day", ["0", "2026-1-1", "1795320000"])
async def test_a_day_is_written_as_iso_8601_writes_it(api: Api, day: str):
    refused = await api.http.get("/usage", params={"to": day})

    assert refused.status_code == 422
    assert "Write it like 2026-11-22." in refused.text


async def test_a_replay_is_marked_and_costs_nothing(priced: Api):
    await priced.http.put("/preferences", json={"replay": True})
    ids = [await create_conversation(priced, model=SONNET) for _ in range(2)]
    for conversation_id in ids:
        await answered(priced, conversation_id, "Hello")

    first, again = [(await read(priced, f"/conversations/{one}/pairs"))["items"][0] for one in ids]
    asked, replayed = [(await read(priced, f"/conversations/{one}/calls"))["items"] for one in ids]
    account = await read(priced, f"/conversations/{ids[1]}/usage")

    assert (first["replayed"], again["replayed"]) == (False, True)
    assert (len(asked), replayed, account["total"]["cost"]) == (1, [], "0")
    assert set(again["usage"].values()) == {0}
