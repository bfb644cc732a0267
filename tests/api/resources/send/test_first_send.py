"""First sends over HTTP: one call begins a conversation and starts its reply, or nothing is there."""

from __future__ import annotations

from typing import Any

import pytest

from tests.api.served import Api
from tests.api.talk import AT_ONCE, follow, read_events, words_of
from tests.api.test_uploads import upload
from tests.media.test_pictures import a_photo


async def listed(api: Api, **query: Any) -> list[str]:
    return [one["id"] for one in (await api.http.get("/conversations", params=query)).json()["items"]]


async def test_one_call_begins_a_conversation_and_streams_its_reply(api: Api) -> None:
    body = {"text": "/echo Hello", "model": "offline:demo", "title": "First", "system_prompt": "Be brief."}

    async with api.http.stream("POST", "/send", json=body) as answer:
        events = [event async for event in read_events(answer.aiter_bytes())]
        place = answer.headers["content-location"].removeprefix("/api/v1")

    assert words_of(events) == "Hello"
    conversation = (await api.http.get(place)).json()
    assert (conversation["title"], conversation["system_prompt"]) == ("First", "Be brief.")
    assert (conversation["model"], conversation["pair_count"]) == ("offline:demo", 1)
    assert await listed(api) == [conversation["id"]]


async def test_asked_for_json_it_names_the_conversation_and_the_run(api: Api) -> None:
    answer = await api.http.post("/send", json={"text": "/echo Hi", "model": "offline:demo"}, headers=AT_ONCE)

    assert answer.status_code == 202, answer.text
    begun = answer.json()
    assert answer.headers["location"] == begun["events"]
    assert words_of(await follow(api, begun["run_id"])) == "Hi"
    (pair,) = (await api.http.get(f"/conversations/{begun['conversation_id']}/pairs")).json()["items"]
    assert pair["id"] == begun["pair_id"]


async def test_an_image_alone_begins_a_temporary_conversation(api: Api) -> None:
    photo = await upload(api, a_photo(), temporary="true")
    body = {"attachments": [photo["id"]], "model": "offline:demo", "temporary": True}

    begun = (await api.http.post("/send", json=body, headers=AT_ONCE)).json()
    await follow(api, begun["run_id"])

    assert await listed(api) == []
    assert await listed(api, temporary=True) == [begun["conversation_id"]]
    (pair,) = (await api.http.get(f"/conversations/{begun['conversation_id']}/pairs")).json()["items"]
    assert (pair["user_text"], pair["attached"][0]["attachment_id"]) == ("", photo["id"])


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ({"text": " "}, "invalid-input"),
        ({"text": "Hi", "model": "nobody:x"}, "invalid-input"),
        ({"text": "Hi", "attachments": ["0" * 64]}, "invalid-input"),
        ({"text": "Hi", "schema": {"type": "nothing"}}, "invalid-input"),
        ({"text": "Hi", "topic": "nothing"}, "not-found"),
        ({"text": "Hi", "agent_id": "nothing"}, "not-found"),
        ({"text": "Hi", "model": "anthropic:claude-sonnet-4-5"}, "provider-refused"),
    ],
)
@pytest.mark.parametrize("temporary", [False, True])
async def test_what_is_refused_leaves_no_conversation(
    api: Api, body: dict[str, Any], problem: str, temporary: bool
) -> None:
    answer = await api.http.post("/send", json=body | {"temporary": temporary}, headers=AT_ONCE)

    assert answer.json()["type"].endswith(problem), answer.text
    assert await listed(api) == await listed(api, temporary=True) == []
    assert (await api.http.get("/trash")).json()["items"] == []
