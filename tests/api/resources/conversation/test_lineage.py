"""Lineage over HTTP: from a conversation to its child conversations and back, while they run and after."""

from __future__ import annotations

from typing import Any

from tests.api.served import Api
from tests.api.talk import answered, create_conversation, follow, send


async def lineage_of(api: Api, conversation: str) -> dict[str, Any]:
    answer = await api.http.get(f"/conversations/{conversation}/lineage")
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_a_fork_and_a_summary_lead_back_to_where_they_come_from(api: Api) -> None:
    conversation = await create_conversation(api, model="offline:demo", title="Origin")
    await answered(api, conversation)
    second = await answered(api, conversation, "/long 6 /rate 0")
    fork = (await api.http.post(f"/conversations/{conversation}/fork", json={"pair_id": second["id"]})).json()["id"]
    summary = await api.http.post(
        f"/conversations/{conversation}/summarize", json={}, headers={"Accept": "application/json"}
    )
    assert summary.status_code == 202, summary.text
    await follow(api, summary.json()["run_id"])

    down = await lineage_of(api, conversation)
    items = {item["kind"]: item for item in down["items"]}
    up = await lineage_of(api, fork)
    made = await lineage_of(api, items["summary"]["conversation_id"])

    assert down["origin"] is None
    assert (items["fork"]["conversation_id"], items["fork"]["status"], items["fork"]["position"]) == (
        fork,
        "completed",
        2,
    )
    assert items["summary"]["status"] == "completed"
    assert items["summary"]["characters"] > 20
    assert items["summary"]["chunk_count"] >= 1
    assert items["summary"]["created_at"] <= items["summary"]["last_chunk_at"] <= items["summary"]["ended_at"]
    assert items["summary"]["progress_percentage"] == 100
    assert up["origin"] == {"conversation_id": fork and conversation, "title": "Origin", "position": 2}
    assert made["origin"]["conversation_id"] == conversation


async def derived_with(api: Api, status: str) -> set[str]:
    """Return the child conversations with this status."""
    answer = await api.http.get("/conversations", params={"kind": "tool", "status": status})
    return {one["id"] for one in answer.json()["items"]}


async def test_compared_replies_end_with_their_status_and_keep_it_when_they_are_discarded(api: Api) -> None:
    conversation = await create_conversation(api, model="offline:demo")
    pair = await answered(api, conversation)
    body = {"text": "/long 4 /rate 0", "models": ["offline:demo", "offline:tiny"]}
    compared = (await api.http.post(f"/conversations/{conversation}/compare", json=body)).json()
    for run in compared["runs"]:
        await follow(api, run["run_id"])

    await api.http.delete(f"/conversations/{conversation}/comparison")

    items = [one for one in (await lineage_of(api, conversation))["items"] if one["kind"] == "compared"]
    assert [(one["status"], one["progress_percentage"], one["position"]) for one in items] == [
        ("completed", 100, 1)
    ] * 2
    assert {one["conversation_id"] for one in items} <= await derived_with(api, "completed")
    assert await derived_with(api, "active") == set()
    up = await lineage_of(api, items[0]["conversation_id"])
    assert (up["origin"]["conversation_id"], up["origin"]["position"]) == (conversation, pair["position"])


async def test_replies_that_answer_a_pair_again_name_this_pair(api: Api) -> None:
    conversation = await create_conversation(api, model="offline:demo")
    first = await answered(api, conversation)
    await answered(api, conversation)
    body = {"models": ["offline:demo", "offline:tiny"], "later": "keep"}

    answer = await api.http.post(f"/pairs/{first['id']}/compare", json=body)

    assert answer.status_code == 202, answer.text
    items = [one for one in (await lineage_of(api, conversation))["items"] if one["kind"] == "compared"]
    assert [one["position"] for one in items] == [1, 1]


async def test_compared_replies_are_reported_as_they_stream(api: Api) -> None:
    conversation = await create_conversation(api, model="offline:demo")
    body = {"text": "/long 400 /rate 40", "models": ["offline:demo", "offline:tiny"]}
    compared = (await api.http.post(f"/conversations/{conversation}/compare", json=body)).json()

    items: list[dict[str, Any]] = []
    while not all(item["status"] == "streaming" for item in items) or not items:
        items = (await lineage_of(api, conversation))["items"]
    for run in compared["runs"]:
        await api.http.post(f"/runs/{run['run_id']}/cancel")
    over = (await lineage_of(api, conversation))["items"]

    assert {item["kind"] for item in items} == {"compared"}
    assert all(item["chunk_count"] >= 1 and item["last_chunk_at"] and item["characters"] >= 1 for item in items)
    assert {item["status"] for item in over} == {"failed"}
    assert {item["progress_percentage"] for item in items} == {None}
    assert all(item["chunk_count"] >= 1 and item["last_chunk_at"] for item in over)
    assert await derived_with(api, "active") == set()
    assert await derived_with(api, "failed") == {item["conversation_id"] for item in over}


async def test_a_conversation_without_relatives_has_no_lineage_and_a_missing_one_is_not_found(api: Api) -> None:
    conversation = await create_conversation(api)
    await send(api, conversation, "/echo 1")

    assert await lineage_of(api, conversation) == {"origin": None, "items": []}
    assert (await api.http.get("/conversations/nobody/lineage")).status_code == 404
