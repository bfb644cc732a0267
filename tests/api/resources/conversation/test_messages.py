"""Finished pairs that are added without a call, and the metadata of conversations and messages."""

from __future__ import annotations

from typing import Any

import pytest

from tests.api.served import Api
from tests.api.talk import AT_ONCE, answered, create_conversation, send

GIVEN = {"user_text": "What is 2 + 2?", "reply_text": "4"}


async def add(api: Api, conversation_id: str, **fields: Any) -> Any:
    return await api.http.post(f"/conversations/{conversation_id}/messages", json={**GIVEN, **fields})


async def read(api: Api, path: str) -> Any:
    answer = await api.http.get(path)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_an_added_pair_is_finished_and_later_sends_carry_it(api: Api):
    conversation_id = await create_conversation(api, model="offline:demo")
    await answered(api, conversation_id)

    added = await add(api, conversation_id, model="offline:tiny", created_at="2026-01-02T03:04:05Z")

    pair = added.json()
    assert added.status_code == 201
    assert (pair["position"], pair["lifecycle"], pair["model"]) == (2, "succeeded", "offline:tiny")
    assert (pair["user_text"], pair["reply_text"], pair["usage"]) == ("What is 2 + 2?", "4", None)
    assert pair["created_at"].startswith("2026-01-02T03:04:05")
    assert (await read(api, f"/conversations/{conversation_id}/calls"))["items"][0]["position"] == 1
    listed = (await read(api, f"/conversations/{conversation_id}/pairs"))["items"]
    assert [one["id"] for one in listed][-1] == pair["id"]
    preview = await api.http.post(f"/conversations/{conversation_id}/preview", json={"text": "And 3 + 3?"})
    assert "What is 2 + 2?" in preview.text


async def test_an_added_pair_is_found_by_search_and_can_be_sent_again(api: Api):
    conversation_id = await create_conversation(api, model="offline:demo")
    pair = (await add(api, conversation_id, user_text="Where do axolotls live?", reply_text="In Xochimilco")).json()

    found = (await read(api, "/conversations?text=Xochimilco"))["items"]
    resent = await api.http.post(f"/pairs/{pair['id']}/resend", json={}, headers=AT_ONCE)

    assert [one["id"] for one in found] == [conversation_id]
    assert resent.status_code == 202


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"user_text": " "}, "user_text"),
        ({"reply_text": ""}, "reply_text"),
        ({"model": "demo"}, "model"),
        ({"metadata": {"text": "x" * 20_000}}, "metadata"),
        ({"reply_metadata": {"number": 2**60}}, "reply_metadata"),
    ],
)
async def test_a_pair_that_cannot_be_added_is_refused_by_name(api: Api, fields: dict[str, Any], field: str):
    conversation_id = await create_conversation(api, model="offline:demo")

    refused = await add(api, conversation_id, **fields)

    assert refused.status_code == 422
    assert [error["field"] for error in refused.json()["errors"]] == [field]
    assert (await read(api, f"/conversations/{conversation_id}/pairs"))["items"] == []


async def test_no_pair_is_added_while_a_reply_runs_or_without_a_model(api: Api):
    conversation_id = await create_conversation(api, model="offline:demo")
    started = await send(api, conversation_id, "/long 5000 /rate 20")

    locked = await add(api, conversation_id)
    await api.http.post(f"/runs/{started['run_id']}/cancel")
    without_model = await add(api, await create_conversation(api))

    assert (locked.status_code, locked.json()["type"]) == (409, "urn:inview:problem:send-locked")
    assert (without_model.status_code, without_model.json()["errors"][0]["field"]) == (422, "model")
    assert (await add(api, "nowhere")).status_code == 404


async def test_metadata_is_stored_exported_and_imported_and_never_sent(api: Api):
    ours, asked, said = {"ticket": {"id": 7}}, {"channel": "mail"}, {"author": "Ada"}
    conversation_id = await create_conversation(api, model="offline:demo", metadata=ours)
    await add(api, conversation_id, metadata=asked, reply_metadata=said)

    file = await read(api, f"/conversations/{conversation_id}/export")
    imported = (await api.http.post("/import", json=file)).json()["conversations"][0]["id"]

    for one in (conversation_id, imported):
        assert (await read(api, f"/conversations/{one}"))["metadata"] == ours
        messages = (await read(api, f"/conversations/{one}/history"))["items"]
        assert [message["metadata"] for message in messages] == [asked, said]
        preview = await api.http.post(f"/conversations/{one}/preview", json={"text": "Next"})
        assert "Ada" not in preview.text
    file["conversations"][0]["pairs"][0]["reply"]["metadata"] = {"number": 2**60}
    refused = await api.http.post("/import", json=file)
    assert "$.conversations[0].pairs[0].reply.metadata" in refused.text


async def test_metadata_of_a_conversation_is_replaced_and_emptied(api: Api):
    conversation_id = await create_conversation(api, metadata={"a": 1})
    path = f"/conversations/{conversation_id}"

    replaced = await api.http.patch(path, json={"metadata": {"b": 2}})
    renamed = await api.http.patch(path, json={"title": "Other"})
    emptied = await api.http.patch(path, json={"metadata": {}})

    assert [one.json()["metadata"] for one in (replaced, renamed, emptied)] == [{"b": 2}, {"b": 2}, {}]


async def test_a_send_can_have_metadata_which_an_edit_keeps(api: Api):
    conversation_id = await create_conversation(api, model="offline:demo")
    started = await send(api, conversation_id, "/echo one", metadata={"channel": "mail"})
    await api.http.get(f"/runs/{started['run_id']}/events")

    path, text = f"/pairs/{started['pair_id']}/resend", {"text": "/echo two"}
    resent = await api.http.post(path, json=text, headers=AT_ONCE)
    await api.http.get(f"/runs/{resent.json()['run_id']}/events")
    branched = await api.http.post(path, json={**text, "later": "branch"}, headers=AT_ONCE)

    fork = (await read(api, f"/conversations/{branched.json()['conversation_id']}/history"))["items"]
    assert fork[0]["metadata"] == {"channel": "mail"}
    request, reply = (await read(api, f"/conversations/{conversation_id}/history"))["items"]
    assert (request["metadata"], reply["metadata"]) == ({"channel": "mail"}, {})
