"""Conversations, pairs and history over HTTP, as a program uses them."""

from __future__ import annotations

import re
from typing import Any

import pytest

from app.api.app import create_api
from app.runs.conversation import conversation_commands
from app.runs.send import commands, stopping
from app.runs.send.send_request import SendRequest
from tests.api.served import Api
from tests.api.stored import store_pairs
from tests.api.talk import answered, create_conversation, follow, send

STRANGER = "somebody else"


async def page_through(api: Api, path: str, **params: Any) -> list[list[dict[str, Any]]]:
    pages: list[list[dict[str, Any]]] = []
    while True:
        answer = await api.http.get(path, params=params)
        assert answer.status_code == 200, answer.text
        page = answer.json()
        pages.append(page["items"])
        if page["next_cursor"] is None:
            return pages
        params["cursor"] = page["next_cursor"]


# --- server ---


async def test_health_and_ready_say_so(api: Api):
    health = (await api.http.get("/health")).json()
    ready = (await api.http.get("/ready")).json()

    assert health["status"] == "ok"
    assert ready == {"status": "ready", "database": "ok", "migration": ready["migration"]}


async def test_models_on_offer_include_the_built_in_one(api: Api):
    models = (await api.http.get("/models")).json()

    assert "offline:demo" in {model["model"] for model in models["items"]}
    assert models["unavailable"] == []


# --- conversations ---


async def test_created_conversation_is_where_its_location_says(api: Api):
    made = await api.http.post(
        "/conversations", json={"title": "Plans", "model": "offline:demo", "system_prompt": "Hi"}
    )

    read = await api.http.get(made.headers["location"].removeprefix("/api/v1"))

    assert made.status_code == 201
    assert read.json() == made.json()
    assert (read.json()["title"], read.json()["model"], read.json()["system_prompt"]) == ("Plans", "offline:demo", "Hi")


async def test_change_touches_what_is_named_and_nothing_else(api: Api):
    conversation_id = await create_conversation(api, title="Old", system_prompt="Be brief.")

    changed = await api.http.patch(f"/conversations/{conversation_id}", json={"title": "New"})

    assert changed.status_code == 200
    assert (changed.json()["title"], changed.json()["system_prompt"]) == ("New", "Be brief.")
    assert (await api.http.get(f"/conversations/{conversation_id}")).json() == changed.json()


async def test_deleted_conversation_is_gone_with_its_pairs(api: Api):
    conversation_id = await create_conversation(api)
    await answered(api, conversation_id)

    deleted = await api.http.delete(f"/conversations/{conversation_id}")

    assert (deleted.status_code, deleted.content) == (204, b"")
    for path in ("", "/pairs", "/history"):
        assert (await api.http.get(f"/conversations/{conversation_id}{path}")).status_code == 404
    assert (await api.http.delete(f"/conversations/{conversation_id}")).status_code == 404


async def test_list_pages_through_all_conversations_once_the_newest_first(api: Api):
    made = [await create_conversation(api, title=str(number)) for number in range(7)]

    pages = await page_through(api, "/conversations", limit=3)

    assert [len(page) for page in pages] == [3, 3, 1]
    assert [item["id"] for page in pages for item in page] == made[::-1]


async def test_page_does_not_repeat_when_something_is_added_meanwhile(api: Api):
    made = [await create_conversation(api) for _ in range(4)]
    first = (await api.http.get("/conversations", params={"limit": 2})).json()

    await create_conversation(api)
    second = (await api.http.get("/conversations", params={"limit": 2, "cursor": first["next_cursor"]})).json()

    assert [item["id"] for item in first["items"] + second["items"]] == made[::-1]


async def test_listed_conversation_has_counts_and_a_snippet(api: Api):
    conversation_id = await create_conversation(api)
    await store_pairs(api, conversation_id, 3)

    (listed,) = (await api.http.get("/conversations")).json()["items"]

    assert (listed["pair_count"], listed["snippet"]) == (3, "question 3")


@pytest.mark.parametrize(
    ("params", "found"),
    [
        ({"text": "BERRY"}, ["title", "said"]),
        ({"text": "berr* wild"}, ["said"]),
        ({"text": '"berry wild"'}, []),
        ({"text": "100%"}, []),
        ({"text": "NEAR(("}, []),
        ({"kind": "agent"}, ["title", "said", "other"]),
        ({"kind": "tool"}, []),
        ({"status": "failed"}, []),
    ],
)
async def test_list_shows_only_what_is_asked_for(api: Api, params: dict[str, str], found: list[str]):
    names = {
        await create_conversation(api, title="other"): "other",
        (said := await create_conversation(api)): "said",
        await create_conversation(api, title="A berry"): "title",
    }
    await answered(api, said, "/echo a wild berry")

    items = (await api.http.get("/conversations", params=params)).json()["items"]

    assert sorted(names[item["id"]] for item in items) == sorted(found)


async def test_words_of_one_pair_are_found_with_their_place(api: Api):
    garden, bread = await create_conversation(api), await create_conversation(api)
    await answered(api, bread, "/echo bread")
    await answered(api, garden, "/echo something else")
    await answered(api, garden, "/echo bread in the garden")

    page = (await api.http.get("/conversations", params={"text": "garden bread"})).json()

    (found,) = page["items"]
    assert (found["id"], page["next_cursor"], page["complete"]) == (garden, None, True)
    assert (found["found"]["position"], found["found"]["others"]) == (2, 0)
    assert found["found"]["excerpt"] == "/echo bread in the garden bread in the garden"


async def test_what_was_found_is_paged_through_in_its_order(api: Api):
    made = [await create_conversation(api, title=f"bread {'and more ' * number}") for number in range(5)]

    pages = await page_through(api, "/conversations", text="bread", limit=2)

    assert [[item["id"] for item in page] for page in pages] == [made[:2], made[2:4], made[4:]]


# --- pairs ---


@pytest.mark.parametrize("start", ["newest", "oldest"])
async def test_pairs_page_from_either_end_without_gap_or_repeat(api: Api, start: str):
    conversation_id = await create_conversation(api)
    stored = await store_pairs(api, conversation_id, 25)

    pages = await page_through(api, f"/conversations/{conversation_id}/pairs", start=start, limit=10)

    assert [len(page) for page in pages] == [10, 10, 5]
    in_order = pages[::-1] if start == "newest" else pages
    assert [pair["id"] for page in in_order for pair in page] == [pair.id for pair in stored]


async def test_a_page_of_pairs_leads_back_where_one_came_from(api: Api):
    conversation_id = await create_conversation(api)
    await store_pairs(api, conversation_id, 25)
    path = f"/conversations/{conversation_id}/pairs"
    first = (await api.http.get(path, params={"limit": 10})).json()
    second = (await api.http.get(path, params={"limit": 10, "cursor": first["next_cursor"]})).json()

    back = (await api.http.get(path, params={"limit": 10, "cursor": second["previous_cursor"]})).json()

    assert first["previous_cursor"] is None
    assert [pair["position"] for pair in second["items"]] == list(range(6, 16))
    assert back["items"] == first["items"]


async def test_page_limit_goes_up_to_500_and_no_further(api: Api):
    conversation_id = await create_conversation(api)
    await store_pairs(api, conversation_id, 501)
    path = f"/conversations/{conversation_id}/pairs"

    most = (await api.http.get(path, params={"limit": 500})).json()

    assert len(most["items"]) == 500
    assert most["next_cursor"] is not None
    assert (await api.http.get(path, params={"limit": 501})).status_code == 422


async def test_pair_has_its_reply_usage_and_run(api: Api):
    conversation_id = await create_conversation(api)

    pair = await answered(api, conversation_id, "/echo Hello")

    assert (pair["user_text"], pair["reply_text"], pair["lifecycle"]) == ("/echo Hello", "Hello", "succeeded")
    assert pair["parts"] == [{"type": "text", "text": "Hello"}]
    assert pair["usage"]["output_tokens"] > 0
    assert (await api.http.get(f"/runs/{pair['run_id']}/events")).status_code == 200


async def test_failed_pair_says_why_and_is_left_out_of_the_next_send(api: Api):
    conversation_id = await create_conversation(api)

    pair = await answered(api, conversation_id, "/fail auth")
    preview = (await api.http.post(f"/conversations/{conversation_id}/preview", json={"text": "Again"})).json()

    assert (pair["lifecycle"], pair["out"], pair["error"]["class"]) == ("error", "failed", "auth")
    assert pair["error"]["next_step"]
    assert preview["out"] == [{"pair_id": pair["id"], "reason": "failed"}]


# --- history ---


async def test_history_has_every_stored_message_raw_and_in_order(api: Api):
    conversation_id = await create_conversation(api)
    stored = await store_pairs(api, conversation_id, 7)

    pages = await page_through(api, f"/conversations/{conversation_id}/history", limit=3)

    messages = [message for page in pages for message in page]
    assert [message["id"] for message in messages] == [
        message.id for pair in stored for message in (pair.request, pair.reply) if message
    ]
    assert [message["role"] for message in messages] == ["user", "assistant"] * 7
    assert messages[1]["parts"][0]["signature"] == "sig"


# --- runs ---


async def test_cancel_answers_once_the_end_is_stored(api: Api):
    conversation_id = await create_conversation(api)
    started = await send(api, conversation_id, "/slow 10 /long 100")

    ended = await api.http.post(f"/runs/{started['run_id']}/cancel")

    assert (ended.status_code, ended.json()["lifecycle"]) == (200, "canceled")
    (pair,) = (await api.http.get(f"/conversations/{conversation_id}/pairs")).json()["items"]
    assert pair["lifecycle"] == "canceled"


async def test_cancelling_a_run_that_is_over_changes_nothing(api: Api):
    conversation_id = await create_conversation(api)
    pair = await answered(api, conversation_id, "/echo Hello")

    ended = await api.http.post(f"/runs/{pair['run_id']}/cancel")

    assert (ended.status_code, ended.json()["lifecycle"]) == (200, "succeeded")


async def test_deleting_a_conversation_stops_its_reply(api: Api):
    conversation_id = await create_conversation(api)
    started = await send(api, conversation_id, "/slow 10 /long 100")

    await api.http.delete(f"/conversations/{conversation_id}")

    assert started["run_id"] not in api.ctx.engine.runs
    assert (await api.http.get(f"/runs/{started['run_id']}/events")).status_code == 404


# --- other people's objects ---


async def test_another_owners_objects_are_not_found(api: Api):
    theirs = await conversation_commands.create_conversation(api.ctx, STRANGER, title="Secret")
    started = await commands.start_reply(api.ctx, STRANGER, theirs.id, SendRequest("/slow 10 /long 50"))
    conversation, run = f"/conversations/{theirs.id}", f"/runs/{started.run_id}"

    answers = [
        await api.http.get(conversation),
        await api.http.patch(conversation, json={"title": "Mine"}),
        await api.http.delete(conversation),
        await api.http.get(f"{conversation}/pairs"),
        await api.http.get(f"{conversation}/history"),
        await api.http.post(f"{conversation}/preview", json={"text": "Hi"}),
        await api.http.post(f"{conversation}/send", json={"text": "Hi"}),
        await api.http.get(f"{run}/events"),
        await api.http.post(f"{run}/cancel"),
    ]

    assert [answer.status_code for answer in answers] == [404] * len(answers)
    assert (await api.http.get("/conversations")).json()["items"] == []
    assert started.run_id in api.ctx.engine.runs
    await stopping.cancel_run(api.ctx, STRANGER, started.run_id)


async def test_no_address_leads_to_data_of_another_owner(api: Api):
    theirs = await conversation_commands.create_conversation(api.ctx, STRANGER, title="Secret")
    started = await commands.start_reply(api.ctx, STRANGER, theirs.id, SendRequest("/long 5000 /rate 5"))
    ids = {"{conversation_id}": theirs.id, "{pair_id}": started.pair_id, "{run_id}": started.run_id}
    values = {**ids, "{number}": "1"}
    asked = [
        (method, re.sub(r"\{\w+\}", lambda name: values.get(name[0], "any"), path.removeprefix("/api/v1")))
        for path, operations in create_api().openapi()["paths"].items()
        for method, operation in operations.items()
        if any(name in path for name in ids) and "requestBody" not in operation
    ]

    answers = {f"{method} {path}": await api.http.request(method, path) for method, path in asked}

    assert len(answers) > 30
    assert {where: answer.text for where, answer in answers.items() if answer.status_code != 404} == {}
    assert started.run_id in api.ctx.engine.runs
    await stopping.cancel_run(api.ctx, STRANGER, started.run_id)


async def test_a_foreign_object_answers_like_one_that_never_was(api: Api):
    theirs = await conversation_commands.create_conversation(api.ctx, STRANGER)

    foreign = (await api.http.get(f"/conversations/{theirs.id}")).json()
    absent = (await api.http.get("/conversations/nothing")).json()

    assert replace_id(foreign, theirs.id) == replace_id(absent, "nothing")


def replace_id(problem: dict[str, Any], object_id: str) -> dict[str, Any]:
    return {**problem, "detail": problem["detail"].replace(object_id, "ID")}


async def test_the_send_lock_is_one_conversations_own(api: Api):
    first, second = await create_conversation(api), await create_conversation(api)
    running = await send(api, first, "/slow 10 /long 50")

    locked = await api.http.post(f"/conversations/{first}/send", json={"text": "Hi"})
    free = await send(api, second, "/long 2")

    assert (locked.status_code, locked.json()["type"]) == (409, "urn:inview:problem:send-locked")
    assert (await follow(api, free["run_id"]))[-1].kind == "done"
    await api.http.post(f"/runs/{running['run_id']}/cancel")
