"""Agents over HTTP, as their page and other programs use them."""

from __future__ import annotations

from tests.api.served import Api


async def test_an_agent_is_created_listed_changed_deleted_and_brought_back(api: Api):
    wanted = {"name": "Reviewer", "icon": "🔍", "system_prompt": "Find the fault.", "parameters": {"temperature": 0.2}}
    made = await api.http.post("/agents", json=wanted)
    place = made.headers["Location"].removeprefix("/api/v1")

    assert made.status_code == 201
    assert made.json() | wanted == made.json() | {"parameters": wanted["parameters"]}
    assert (await api.http.get("/agents")).json()["items"] == [made.json()]
    changed = await api.http.patch(place, json={"name": "Critic", "model": "offline:demo"})
    assert (changed.status_code, changed.json()["name"], changed.json()["model"]) == (200, "Critic", "offline:demo")
    assert changed.json()["parameters"]["temperature"] == 0.2
    assert (await api.http.delete(place)).status_code == 204
    assert ((await api.http.get(place)).status_code, (await api.http.delete(place)).status_code) == (404, 404)
    assert (await api.http.get("/agents")).json()["items"] == []
    assert (await api.http.post(f"{place}/undelete")).json()["name"] == "Critic"
    assert (await api.http.post(f"{place}/undelete")).status_code == 404
    assert (await api.http.get(place)).json() == changed.json()


async def test_a_refused_agent_says_which_field_and_why(api: Api):
    first = await api.http.post("/agents", json={"name": "Reviewer"})
    twice = await api.http.post("/agents", json={"name": "reviewer"})
    other = (await api.http.post("/agents", json={"name": "Writer"})).json()["id"]

    assert (first.status_code, twice.status_code, twice.json()["type"]) == (201, 409, "urn:inview:problem:conflict")
    assert "Reviewer" in twice.json()["detail"]
    for body, field in (
        ({"name": "  "}, "name"),
        ({"name": "Two\nlines"}, "name"),
        ({"model": "no model"}, "model"),
        ({"parameters": {"temperature": 3}}, "parameters.temperature"),
        ({"parameters": {"warmth": 1}}, "parameters.warmth"),
        ({"server_ids": ["a", "a"]}, "server_ids"),
        ({}, "body"),
    ):
        refused = await api.http.patch(f"/agents/{other}", json=body)
        assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, field), body
    assert (await api.http.patch(f"/agents/{other}", json={"name": "REVIEWER"})).status_code == 409
    assert (await api.http.patch("/agents/nobody", json={"name": "x"})).status_code == 404


async def test_a_deleted_agents_name_may_be_taken_and_then_it_cannot_come_back(api: Api):
    old = (await api.http.post("/agents", json={"name": "Reviewer"})).json()["id"]
    await api.http.delete(f"/agents/{old}")

    taken = await api.http.post("/agents", json={"name": "Reviewer"})

    assert taken.status_code == 201
    assert (await api.http.post(f"/agents/{old}/undelete")).status_code == 409


async def test_agents_go_out_as_a_file_and_come_in_as_new_ones(api: Api):
    wanted = {"name": "Reviewer", "system_prompt": "Find it.", "parameters": {"seed": 7, "effort": "high"}}
    made = (await api.http.post("/agents", json=wanted)).json()
    file = (await api.http.get("/agents/export")).json()

    taken = await api.http.post("/agents/import", json=file)

    assert (taken.status_code, [one["name"] for one in taken.json()["items"]]) == (201, ["Reviewer 2"])
    again = taken.json()["items"][0]
    assert again["id"] != made["id"]
    same = ("system_prompt", "parameters", "icon", "description", "model", "server_ids")
    assert {name: again[name] for name in same} == {name: made[name] for name in same}
    one = (await api.http.get("/agents/export", params={"agent": again["id"]})).json()
    assert [agent["name"] for agent in one["agents"]] == ["Reviewer 2"]
    assert (await api.http.post("/agents/import", json={**file, "version": 2})).status_code == 422
    assert (await api.http.get("/agents/export", params={"agent": "nobody"})).status_code == 404


async def test_a_file_of_agents_brings_no_permission_along(api: Api):
    allowed = [
        {"server_id": "srv", "tool": "write_*", "arguments": [{"name": "path", "pattern": "/tmp/*"}], "ask": False}
    ]
    made = (await api.http.post("/agents", json={"name": "Writer", "allowed_tools": allowed})).json()
    file = (await api.http.get("/agents/export")).json()

    taken = (await api.http.post("/agents/import", json=file)).json()["items"][0]

    assert made["allowed_tools"] == allowed
    assert taken["allowed_tools"] == [{**allowed[0], "ask": True}]


async def test_conversations_are_listed_by_kind_status_and_agent(api: Api):
    agent = (await api.http.post("/agents", json={"name": "Reviewer"})).json()["id"]
    under = (await api.http.post("/conversations", json={"agent_id": agent})).json()
    other = (await api.http.post("/conversations", json={"agent_id": ""})).json()

    async def listed(**wanted: str) -> list[str]:
        answer = await api.http.get("/conversations", params=wanted)
        assert answer.status_code == 200
        return [one["id"] for one in answer.json()["items"]]

    assert (under["agent_id"], other["agent_id"]) == (agent, None)
    assert await listed(agent=agent) == [under["id"]]
    assert await listed(agent="") == [other["id"]]
    assert await listed(agent=agent, status="failed") == []
    assert await listed(agent=agent, kind="agent", status="active") == [under["id"]]
    changed = await api.http.patch(f"/conversations/{other['id']}", json={"agent_id": agent})
    assert (changed.json()["agent_id"], set(await listed(agent=agent))) == (agent, {under["id"], other["id"]})
    assert (await api.http.patch(f"/conversations/{other['id']}", json={"agent_id": ""})).json()["agent_id"] is None
    assert (await api.http.patch(f"/conversations/{other['id']}", json={"agent_id": "nobody"})).status_code == 404
    assert (await api.http.post("/conversations", json={"agent_id": "nobody"})).status_code == 404
