"""The queue over HTTP: texts are queued, changed and sent; event streams report it."""

from __future__ import annotations

from tests.api.served import Api
from tests.api.talk import AT_ONCE, create_conversation, send
from tests.runs.steps import until_quiet

SLOW = "/long 4000 /rate 40"


async def test_texts_are_queued_changed_and_sent_after_a_stop(api: Api):
    conversation_id = await create_conversation(api)
    place = f"/conversations/{conversation_id}/queue"
    run = await send(api, conversation_id, SLOW)

    first = (await api.http.post(place, json={"text": "/echo one"})).json()
    second = (await api.http.post(place, json={"text": "/echo two", "place": 0, "filter": "s>=1"})).json()
    assert [item["text"] for item in second["items"]] == ["/echo two", "/echo one"]
    assert (second["items"][0]["filter"], second["held"]) == ("s>=1", None)
    one = first["items"][0]

    edited = await api.http.patch(f"{place}/{one['id']}", json={"text": "/echo 1", "version": 1, "place": 0})
    assert [item["text"] for item in edited.json()["items"]] == ["/echo 1", "/echo two"]
    late = await api.http.patch(f"{place}/{one['id']}", json={"text": "late", "version": 1})
    assert (late.status_code, late.json()["type"]) == (409, "urn:inview:problem:conflict")
    dropped = await api.http.delete(f"{place}/{second['items'][0]['id']}")
    assert (dropped.status_code, dropped.json()["text"]) == (200, "/echo two")
    assert (await api.http.delete(f"{place}/{second['items'][0]['id']}")).status_code == 404

    await api.http.post(f"/runs/{run['run_id']}/cancel")
    held = (await api.http.get(place)).json()["held"]
    assert (held["reason"], "You stopped the reply" in held["sentence"]) == ("stopped", True)
    resumed = await api.http.post(f"{place}/resume", json={})
    assert resumed.json() == {"items": [], "held": None}
    await until_quiet(api.ctx)
    pairs = (await api.http.get(f"/conversations/{conversation_id}/pairs")).json()["items"]
    ended = [(pair["user_text"], pair["lifecycle"]) for pair in pairs]
    assert ended == [(SLOW, "canceled"), ("/echo 1", "succeeded")]


async def test_queue_that_cannot_continue_is_held_with_the_reason(api: Api):
    conversation_id = await create_conversation(api)
    place = f"/conversations/{conversation_id}/queue"
    run = await send(api, conversation_id, SLOW)
    await api.http.post(place, json={"text": "x", "model": "anthropic:claude-sonnet-4-5"})
    paused = await api.http.post(f"{place}/pause", headers=AT_ONCE)
    assert paused.json()["held"]["reason"] == "paused"
    await api.http.post(f"/runs/{run['run_id']}/cancel")

    refused = await api.http.post(f"{place}/resume", json={})

    assert (refused.status_code, refused.json()["error_class"]) == (422, "auth")
    assert (await api.http.get(place)).json()["held"]["reason"] == "refused"
    assert (await api.http.get("/conversations/nobody/queue")).status_code == 404
    assert (await api.http.post(place, json={"text": " "})).status_code == 422


async def test_dropped_text_is_restored_unchanged(api: Api):
    conversation_id = await create_conversation(api)
    place = f"/conversations/{conversation_id}/queue"
    run = await send(api, conversation_id, SLOW)
    how = {"filter": "s>=1", "over_budget": "fit", "zone": "Europe/Berlin", "parameters": {"temperature": 0.5}}
    how |= {"schema": {"type": "object"}}
    (item,) = (await api.http.post(place, json={"text": "/echo one", **how})).json()["items"]
    dropped = (await api.http.delete(f"{place}/{item['id']}")).json()
    await api.http.post(f"/runs/{run['run_id']}/cancel")

    body = {name: dropped[name] for name in dropped if name not in {"id", "version", "created_at"}}
    back = (await api.http.post(place, json={**body, "paused": True})).json()

    assert (back["held"]["reason"], len(back["items"])) == ("paused", 1)
    assert item["schema"] == {"type": "object"}
    assert {**back["items"][0], "id": 0, "created_at": 0} == {**item, "id": 0, "created_at": 0}
