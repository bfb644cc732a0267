"""Forks and their tree over HTTP."""

from __future__ import annotations

from tests.api.served import Api
from tests.api.talk import answered, create_conversation


async def test_fork_from_a_pair_is_a_conversation_that_the_tree_shows(api: Api):
    conversation_id = await create_conversation(api, title="Plans")
    first = await answered(api, conversation_id, "/echo one")
    await answered(api, conversation_id, "/echo two")

    made = await api.http.post(f"/conversations/{conversation_id}/fork", json={"pair_id": first["id"]})

    assert made.status_code == 201
    fork = made.json()
    assert made.headers["Location"] == f"/api/v1/conversations/{fork['id']}"
    assert (fork["title"], fork["parent_id"], fork["pair_count"]) == ("Fork of Plans", conversation_id, 1)
    assert fork["fork_pair_id"] == first["id"]
    for asked in (conversation_id, fork["id"]):
        items = (await api.http.get(f"/conversations/{asked}/branches")).json()["items"]
        assert [(item["depth"], item["title"], item["pair_count"]) for item in items] == [
            (0, "Plans", 2),
            (1, "Fork of Plans", 1),
        ]
        assert items[1]["fork"] == {"pair_id": first["id"], "position": 1, "words": "/echo one"}


async def test_fork_of_what_a_filter_selects(api: Api):
    conversation_id = await create_conversation(api)
    for text in ("/echo one", "/echo two", "/echo three"):
        await answered(api, conversation_id, text)

    made = await api.http.post(f"/conversations/{conversation_id}/fork", json={"filter": "r2"})

    pairs = (await api.http.get(f"/conversations/{made.json()['id']}/pairs")).json()["items"]
    assert [pair["user_text"] for pair in pairs] == ["/echo two", "/echo three"]


async def test_what_cannot_be_forked_says_why(api: Api):
    conversation_id = await create_conversation(api)
    path = f"/conversations/{conversation_id}/fork"

    empty = await api.http.post(path, json={})
    assert (empty.status_code, empty.json()["errors"][0]["field"]) == (422, "filter")
    assert (await api.http.post(path, json={"pair_id": "nobody"})).status_code == 404
    assert (await api.http.post(path, json={"filter": "s>>"})).status_code == 422
    assert (await api.http.post("/conversations/nobody/fork", json={})).status_code == 404
    assert (await api.http.get("/conversations/nobody/branches")).status_code == 404
