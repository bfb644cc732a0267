"""Exact counts over HTTP: the provider's own answer, or a problem if the provider cannot count."""

from __future__ import annotations

from pathlib import Path

from tests.api.served import Api, serve_api
from tests.api.talk import create_conversation
from tests.providers.peer import Answer, a_peer

JSON = (("Content-Type", "application/json"),)


async def test_the_provider_counts_the_previewed_request(tmp_path: Path):
    async with a_peer(Answer((b'{"input_tokens": 77}',), headers=JSON)) as peer:
        environment = {"ANTHROPIC_BASE_URL": f"{peer.url}/v1", "ANTHROPIC_API_KEY": "sk-test"}
        async with serve_api(tmp_path, **environment) as api:
            conversation_id = await create_conversation(api, model="anthropic:claude-sonnet-4-5")
            draft = {"text": "Why is the sky blue?"}

            counted = await api.http.post(f"/conversations/{conversation_id}/count", json=draft)
            previewed = await api.http.post(f"/conversations/{conversation_id}/preview", json=draft)

    assert counted.status_code == 200
    assert counted.json() == {
        "model": "anthropic:claude-sonnet-4-5",
        "tokens": 77,
        "estimated": previewed.json()["estimate"]["tokens"],
    }
    assert peer.heard[0].path == "/v1/messages/count_tokens"


async def test_a_model_without_counts_is_a_problem_with_its_field(api: Api):
    conversation_id = await create_conversation(api, model="offline:demo")

    answer = await api.http.post(f"/conversations/{conversation_id}/count", json={"text": "Hello"})

    problem = answer.json()
    assert (answer.status_code, problem["type"]) == (422, "urn:inview:problem:invalid-input")
    assert problem["errors"][0]["field"] == "model"
    assert "no endpoint for this" in problem["errors"][0]["reason"]
