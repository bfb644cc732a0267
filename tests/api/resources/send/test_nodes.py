"""Titles over HTTP, and the nodes for titles, summaries and removed pairs of a conversation."""

from __future__ import annotations

from typing import Any

from tests.api.served import Api
from tests.api.talk import AT_ONCE, answered, create_conversation, follow
from tests.waiting import until_found


async def titled(api: Api, conversation_id: str) -> dict[str, Any]:
    """Return the conversation once it has a title."""

    async def look() -> dict[str, Any] | None:
        conversation = (await api.http.get(f"/conversations/{conversation_id}")).json()
        return conversation if conversation["title"] else None

    found = await until_found(look)
    assert found is not None
    return found


async def nodes(api: Api, conversation_id: str) -> list[dict[str, Any]]:
    return (await api.http.get(f"/conversations/{conversation_id}/nodes")).json()["items"]


async def test_title_is_made_and_its_node_is_where_it_was_requested(api: Api):
    conversation_id = await create_conversation(api)
    await answered(api, conversation_id, "Why is the sky blue? /rate 0")

    started = await api.http.post(f"/conversations/{conversation_id}/title", json={}, headers=AT_ONCE)
    events = await follow(api, started.json()["run_id"])
    conversation = await titled(api, conversation_id)

    assert started.status_code == 202
    assert events[-1].kind == "done"
    assert (conversation["title"], conversation["titled_by_model"]) == ("Why is the sky blue? /rate 0", True)
    (node,) = await nodes(api, conversation_id)
    assert (node["role"], node["after_position"], node["made"]["text"]) == ("system-title", 1, conversation["title"])
    assert node["made"]["lifecycle"] == "succeeded"
    assert node["made"]["usage"]["output_tokens"] > 0
    made = (await api.http.get(f"/conversations/{started.json()['conversation_id']}")).json()
    assert (made["kind"], made["status"], made["parent_id"]) == ("tool", "completed", conversation_id)
    raw = (await api.http.get(f"/conversations/{made['id']}/history")).json()["items"]
    assert [message["role"] for message in raw] == ["system-title", "title"]


async def test_persons_own_title_is_a_conflict(api: Api):
    conversation_id = await create_conversation(api, title="Mine")
    await answered(api, conversation_id)

    answer = await api.http.post(f"/conversations/{conversation_id}/title", json={})

    assert (answer.status_code, answer.json()["type"]) == (409, "urn:inview:problem:conflict")
    assert await nodes(api, conversation_id) == []


async def test_title_changed_by_a_person_is_their_own_from_then_on(api: Api):
    conversation_id = await create_conversation(api)
    await answered(api, conversation_id)
    await api.http.post(f"/conversations/{conversation_id}/title", json={})
    await titled(api, conversation_id)

    changed = await api.http.patch(f"/conversations/{conversation_id}", json={"title": "Mine"})

    assert changed.json()["titled_by_model"] is False
    assert (await api.http.post(f"/conversations/{conversation_id}/title", json={})).status_code == 409


async def test_removed_pairs_leave_a_node_with_the_usage_up_to_then(api: Api):
    conversation_id = await create_conversation(api)
    pair = await answered(api, conversation_id)

    await api.http.delete(f"/pairs/{pair['id']}")

    (node,) = await nodes(api, conversation_id)
    assert (node["role"], node["reason"], node["messages"]) == ("accounting", "delete", 2)
    assert node["words"] == "Deleted: 2 messages removed."
    assert node["usage"] == pair["usage"]


async def test_nodes_of_a_missing_conversation_are_not_found(api: Api):
    assert (await api.http.get("/conversations/nobody/nodes")).status_code == 404
    assert (await api.http.post("/conversations/nobody/title", json={})).status_code == 404
