"""The recorded content of a provider call over HTTP, also after its conversation was deleted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.api.served import Api, serve_api
from tests.api.talk import answered, create_conversation
from tests.providers.peer import Answer, a_peer


async def read_newest(api: Api, conversation_id: str) -> dict[str, Any]:
    (call,) = (await api.http.get(f"/conversations/{conversation_id}/calls", params={"limit": 1})).json()["items"]
    answer = await api.http.get(f"/calls/{call['id']}")
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_a_call_has_what_was_sent_with_its_cost(api: Api) -> None:
    conversation_id = await create_conversation(api, model="offline:demo", system_prompt="Be brief.")
    await answered(api, conversation_id, "/echo one")
    pair = await answered(api, conversation_id, "/echo two")
    await api.http.patch(f"/conversations/{conversation_id}", json={"system_prompt": "Be long."})

    call = await read_newest(api, conversation_id)

    assert (call["pair_id"], call["run_id"], call["purpose"]) == (pair["id"], pair["run_id"], "reply")
    assert (call["system"], call["input_tokens"]) == ("Be brief.", pair["usage"]["input_tokens"])
    messages = [(one["role"], one["parts"][0]["text"], one["content_length"]) for one in call["messages"]]
    assert messages == [("user", "/echo one", 9), ("assistant", "one", 3), ("user", "/echo two", 9)]
    request = (await api.http.get(f"/runs/{pair['run_id']}/verify")).json()
    assert call["content_hash"] == request["stored_hash"]
    assert "system" in [piece["role"] for piece in call["pieces"]]


async def test_hashes_roles_and_lengths_stay_when_the_conversation_is_deleted_permanently(api: Api) -> None:
    conversation_id = await create_conversation(api, model="offline:demo", system_prompt="Be brief.")
    await answered(api, conversation_id, "/echo one")
    before = await read_newest(api, conversation_id)

    assert (await api.http.delete(f"/conversations/{conversation_id}")).status_code < 300
    assert (await api.http.get(f"/calls/{before['id']}")).json() == before
    assert (await api.http.delete("/trash")).status_code < 300

    after = (await api.http.get(f"/calls/{before['id']}")).json()
    gone = [one | {"parts": None} for one in before["messages"]]
    assert after == before | {"messages": gone, "system": None, "tools": None, "parameters": None}
    assert "/echo one" not in (await api.http.get(f"/calls/{before['id']}")).text


async def test_draft_of_a_token_count_is_recorded_without_its_text(tmp_path: Path) -> None:
    async with a_peer(Answer((b'{"input_tokens": 77}',), headers=(("Content-Type", "application/json"),))) as peer:
        environment = {"ANTHROPIC_BASE_URL": f"{peer.url}/v1", "ANTHROPIC_API_KEY": "sk-test"}
        async with serve_api(tmp_path, **environment) as api:
            conversation_id = await create_conversation(
                api, model="anthropic:claude-sonnet-4-5", system_prompt="Be brief."
            )
            await api.http.post(f"/conversations/{conversation_id}/count", json={"text": "Why is the sky blue?"})
            call = await read_newest(api, conversation_id)

    (message,) = call["messages"]
    assert (call["purpose"], call["system"]) == ("count", "Be brief.")
    assert (message["role"], message["content_length"], message["parts"]) == ("user", 20, None)
    assert len(message["hash"]) == 64


async def test_a_call_that_does_not_exist_is_not_found(api: Api) -> None:
    assert (await api.http.get("/calls/nothing")).status_code == 404
