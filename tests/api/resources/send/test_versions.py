"""Sending pairs again over HTTP, their versions, and the stored request of a failed pair."""

from __future__ import annotations

from typing import Any

import httpx2

from tests.api.served import Api
from tests.api.talk import create_conversation

LATER = "urn:inview:problem:later-pairs"


async def say(api: Api, conversation_id: str, text: str) -> str:
    """Send a text, wait until the reply ends, and return the pair's id."""
    await api.http.post(f"/conversations/{conversation_id}/send", json={"text": text})
    return (await pairs(api, conversation_id))[-1]["id"]


async def pairs(api: Api, conversation_id: str) -> list[dict[str, Any]]:
    return (await api.http.get(f"/conversations/{conversation_id}/pairs")).json()["items"]


async def resend(api: Api, pair_id: str, **body: Any) -> httpx2.Response:
    """Send a pair again; without a problem the answer comes when the reply has ended."""
    return await api.http.post(f"/pairs/{pair_id}/resend", json=body)


async def test_pair_is_edited_and_its_versions_listed(api: Api):
    conversation_id = await create_conversation(api)
    pair_id = await say(api, conversation_id, "First")

    answered = await resend(api, pair_id, text="Better")

    assert (answered.status_code, answered.headers["content-type"]) == (200, "text/event-stream; charset=utf-8")
    assert "event: done" in answered.text
    (pair,) = await pairs(api, conversation_id)
    assert (pair["id"], pair["user_text"], pair["version"], pair["versions"]) == (pair_id, "Better", 2, 2)
    versions = (await api.http.get(f"/pairs/{pair_id}/versions")).json()["items"]
    assert [(one["version"], one["user_text"], one["standing"]) for one in versions] == [
        (1, "First", False),
        (2, "Better", True),
    ]


async def test_version_is_restored(api: Api):
    conversation_id = await create_conversation(api)
    pair_id = await say(api, conversation_id, "First")
    await resend(api, pair_id, text="Better")

    restored = await api.http.post(f"/pairs/{pair_id}/restore", json={"version": 1})

    assert [one["standing"] for one in restored.json()["items"]] == [True, False]
    assert [pair["user_text"] for pair in await pairs(api, conversation_id)] == ["First"]
    assert (await api.http.post(f"/pairs/{pair_id}/restore", json={"version": 3})).status_code == 404


async def test_later_pairs_want_a_decision(api: Api):
    conversation_id = await create_conversation(api)
    first = await say(api, conversation_id, "First")
    await say(api, conversation_id, "Second")

    asked = await resend(api, first, text="Other")

    assert (asked.status_code, asked.json()["type"], asked.json()["later"]) == (409, LATER, 1)
    headers = {"Accept": "application/json"}
    body = {"text": "Other", "later": "discard"}
    started = (await api.http.post(f"/pairs/{first}/resend", json=body, headers=headers)).json()
    assert started["conversation_id"] == conversation_id
    assert [one["deleted"] for one in started["undo"]] == [False]


async def test_nothing_is_replaced_that_was_not_seen(api: Api):
    """Two tabs on one pair: the second gets the reason of the refusal, and may send its text as the next version."""
    conversation_id = await create_conversation(api)
    pair_id = await say(api, conversation_id, "First")
    await resend(api, pair_id, text="Of one tab", standing=1)

    refused = await resend(api, pair_id, text="Of another tab", standing=1)

    problem = refused.json()
    assert (refused.status_code, problem["type"], problem["version"]) == (409, "urn:inview:problem:pair-changed", 2)
    assert problem["detail"].startswith("Pair 1 was changed elsewhere: it now shows version 2 of 2. Nothing was")
    assert [pair["user_text"] for pair in await pairs(api, conversation_id)] == ["Of one tab"]
    stale = await api.http.post(f"/pairs/{pair_id}/restore", json={"version": 2, "standing": 2})
    assert stale.status_code == 200  # it is the current version already: nothing to do
    stale = await api.http.post(f"/pairs/{pair_id}/restore", json={"version": 1, "standing": 1})
    assert (stale.status_code, stale.json()["version"]) == (409, 2)
    assert (await resend(api, pair_id, text="Of another tab", standing=2)).status_code in {200, 202}
    assert [one["user_text"] for one in (await api.http.get(f"/pairs/{pair_id}/versions")).json()["items"]] == [
        "First",
        "Of one tab",
        "Of another tab",
    ]


async def test_no_other_pairs_are_discarded_than_were_seen(api: Api):
    conversation_id = await create_conversation(api)
    first = await say(api, conversation_id, "First")
    await say(api, conversation_id, "Second")
    await say(api, conversation_id, "Third, said in another tab")

    refused = await resend(api, first, text="Other", later="discard", later_count=1)

    assert (refused.status_code, refused.json()["type"], refused.json()["later"]) == (409, LATER, 2)
    assert len(await pairs(api, conversation_id)) == 3
    await resend(api, first, text="Other", later="discard", later_count=2)
    assert [pair["user_text"] for pair in await pairs(api, conversation_id)] == ["Other"]


async def test_branch_names_its_new_conversation(api: Api):
    conversation_id = await create_conversation(api)
    first = await say(api, conversation_id, "First")
    await say(api, conversation_id, "Second")

    body = {"text": "Other", "later": "branch"}
    answer = await api.http.post(f"/pairs/{first}/resend", json=body, headers={"Accept": "application/json"})

    assert answer.status_code == 202
    branch = answer.json()["conversation_id"]
    assert branch != conversation_id
    assert [pair["user_text"] for pair in await pairs(api, branch)] == ["Other"]
    assert [pair["user_text"] for pair in await pairs(api, conversation_id)] == ["First", "Second"]


async def test_request_of_a_failed_pair_is_kept_and_that_of_another_is_not(api: Api):
    conversation_id = await create_conversation(api)
    failed = await say(api, conversation_id, "/fail auth")
    kept = (await api.http.get(f"/pairs/{failed}/snapshot")).json()
    assert (kept["pair_id"], kept["model"]) == (failed, "offline:demo")
    assert "/fail auth" in str(kept["body"])

    fine = await say(api, conversation_id, "Hello")
    assert (await api.http.get(f"/pairs/{fine}/snapshot")).status_code == 404


async def test_what_cannot_be_sent_again_says_why(api: Api):
    conversation_id = await create_conversation(api)
    pair_id = await say(api, conversation_id, "First")

    assert (await resend(api, pair_id, text="  ")).status_code == 422
    assert (await resend(api, pair_id, later="perhaps")).status_code == 422
    assert (await resend(api, "nobody")).status_code == 404
    assert (await api.http.get("/pairs/nobody/versions")).status_code == 404


async def test_preview_of_a_resend_shows_its_request(api: Api):
    conversation_id = await create_conversation(api)
    first = await say(api, conversation_id, "First")
    await say(api, conversation_id, "Second")

    told = (await api.http.post(f"/pairs/{first}/preview", json={"text": "Other"})).json()

    assert [message["parts"][0]["text"] for message in told["messages"]] == ["Other"]
    assert (told["x"], told["y"]) == (0, 0)
    assert [pair["user_text"] for pair in await pairs(api, conversation_id)] == ["First", "Second"]
    assert (await api.http.post("/pairs/nobody/preview", json={})).status_code == 404


async def test_stored_request_is_sent_again_unchanged(api: Api):
    conversation_id = await create_conversation(api)
    failed = await say(api, conversation_id, "/fail auth")
    kept = (await api.http.get(f"/pairs/{failed}/snapshot")).json()

    answer = await api.http.post(f"/pairs/{failed}/snapshot/resend", json={}, headers={"Accept": "application/json"})

    assert (answer.status_code, answer.json()["content_hash"]) == (202, kept["content_hash"])
    assert (await api.http.get(answer.json()["events"].removeprefix("/api/v1"))).status_code == 200
    again = (await api.http.get(f"/pairs/{failed}/snapshot")).json()
    assert (again["body"], again["run_id"]) == (kept["body"], answer.json()["run_id"])
    assert (await api.http.post(f"/pairs/{failed}/snapshot/resend", json={"later": "branch"})).status_code == 422


async def test_stored_request_that_does_not_fit_is_sent_only_if_forced(api: Api):
    conversation_id = await create_conversation(api)
    failed = await say(api, conversation_id, "/fail context_length")
    place = f"/pairs/{failed}/snapshot/resend"

    for body in ({}, {"over_budget": "cancel"}):
        refused = await api.http.post(place, json=body)
        assert (refused.status_code, refused.json()["type"]) == (409, "urn:inview:problem:over-budget")
        assert ("fit" in refused.json(), refused.json()["model"]) == (False, "offline:demo")
        assert refused.json()["force"]["tokens"] > 0
    assert (await api.http.post(place, json={"over_budget": "fit"})).status_code == 422

    forced = await api.http.post(place, json={"over_budget": "force"}, headers={"Accept": "application/json"})
    assert forced.status_code == 202
