"""Summaries over HTTP: written, changed, removed, restored."""

from __future__ import annotations

from typing import Any

from tests.api.served import Api
from tests.api.talk import create_conversation
from tests.waiting import until_found


async def say(api: Api, conversation_id: str, text: str) -> None:
    await api.http.post(f"/conversations/{conversation_id}/send", json={"text": text})


async def checkpoint(api: Api, conversation_id: str) -> Any:
    return (await api.http.get(f"/conversations/{conversation_id}")).json()["checkpoint"]


async def test_summary_becomes_the_checkpoint_and_can_be_changed_removed_and_put_back(api: Api):
    conversation_id = await create_conversation(api)
    await say(api, conversation_id, "First /rate 0")
    await say(api, conversation_id, "Second /rate 0")

    started = await api.http.post(
        f"/conversations/{conversation_id}/summarize", json={}, headers={"Accept": "application/json"}
    )
    assert (started.status_code, started.json()["pair_count"], started.json()["position"]) == (202, 2, 3)
    assert (await until_found(lambda: checkpoint(api, conversation_id)))["position"] == 3

    page = (await api.http.get(f"/conversations/{conversation_id}/pairs")).json()
    assert [pair["out"] for pair in page["items"]] == ["before_checkpoint"] * 2
    assert (page["x"], page["y"]) == (0, 2)
    changed = await api.http.put(f"/conversations/{conversation_id}/checkpoint", json={"summary": "Short."})
    assert changed.json() == {"summary": "Short.", "position": 3}
    preview = (await api.http.post(f"/conversations/{conversation_id}/preview", json={"text": "Third"})).json()
    assert preview["body"]["system"] == "Previous Conversation Summary:\nShort."

    removed = await api.http.delete(f"/conversations/{conversation_id}/checkpoint")
    assert (removed.json(), await checkpoint(api, conversation_id)) == ({"summary": "Short.", "position": 3}, None)
    assert (await api.http.delete(f"/conversations/{conversation_id}/checkpoint")).status_code == 409
    await api.http.put(f"/conversations/{conversation_id}/checkpoint", json=removed.json())
    assert await checkpoint(api, conversation_id) == {"summary": "Short.", "position": 3}


async def test_nothing_to_summarise_is_a_conflict_with_the_reason(api: Api):
    conversation_id = await create_conversation(api)

    answer = await api.http.post(f"/conversations/{conversation_id}/summarize", json={})

    assert (answer.status_code, answer.json()["detail"]) == (409, "Nothing in view is left to summarise.")
    assert (await api.http.post("/conversations/nobody/summarize", json={})).status_code == 404
    assert (
        await api.http.put(f"/conversations/{conversation_id}/checkpoint", json={"summary": " "})
    ).status_code == 422
