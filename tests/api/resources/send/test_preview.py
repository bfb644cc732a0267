"""The preview over HTTP equals, byte for byte, what the provider receives."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import orjson
import pytest

from tests.api.peer import Peer, serve_peer
from tests.api.served import Api, serve_api
from tests.api.stored import store_pairs
from tests.api.talk import create_conversation, follow, send

ALPHABET = 'abc DEF\n\t"\\/{}<&>\u2028\u200fß\u05d0汉\U0001f642'


@pytest.fixture
async def peer() -> AsyncGenerator[Peer]:
    async with serve_peer() as served:
        yield served


@pytest.fixture
async def api(tmp_path: Path, peer: Peer) -> AsyncGenerator[Api]:
    async with serve_api(tmp_path, **peer.environment) as served:
        yield served


def body_in(answer: bytes) -> bytes:
    """Return the bytes of the body in the answer, without parsing them."""
    start = answer.index(b'"body":') + len(b'"body":')
    return answer[start : answer.index(b',"body_sha256":')]


def a_draft(random: Random) -> dict[str, Any]:
    draft: dict[str, Any] = {"text": "x" + "".join(random.choices(ALPHABET, k=random.randrange(60)))}
    if random.random() < 0.5:
        draft["parameters"] = {
            "temperature": random.choice([0, 0.7, 1]),
            "max_output_tokens": random.choice([None, 5]),
            "seed": random.choice([None, 7]),
        }
    return draft


@pytest.mark.parametrize("seed", range(4))
async def test_peer_gets_the_previewed_bytes_send_after_send(api: Api, peer: Peer, seed: int):
    random = Random(seed)
    system_prompt = "".join(random.choices(ALPHABET, k=20))
    conversation_id = await create_conversation(api, model="peer:m", system_prompt=system_prompt)
    await store_pairs(api, conversation_id, random.randrange(3))

    for _ in range(8):
        draft = a_draft(random)
        preview = await api.http.post(f"/conversations/{conversation_id}/preview", json=draft)
        started = await send(api, conversation_id, **draft)
        await follow(api, started["run_id"])

        shown = preview.json()
        assert body_in(preview.content) == peer.bodies[-1]
        assert shown["body_sha256"] == sha256(peer.bodies[-1]).hexdigest()
        assert shown["content_hash"] == shown["hashes"][-1] == started["content_hash"]
        assert shown["url"] == f"http://{peer.host}/v1/chat/completions"


async def test_preview_makes_no_call_and_stores_nothing(api: Api, peer: Peer):
    conversation_id = await create_conversation(api, model="peer:m")
    before = (await api.http.get(f"/conversations/{conversation_id}")).json()

    await api.http.post(f"/conversations/{conversation_id}/preview", json={"text": "Hi"})

    assert peer.bodies == []
    assert (await api.http.get(f"/conversations/{conversation_id}")).json() == before


async def test_preview_of_a_blank_draft_is_the_history_alone(api: Api):
    conversation_id = await create_conversation(api, model="peer:m")
    await store_pairs(api, conversation_id, 1)

    shown = (await api.http.post(f"/conversations/{conversation_id}/preview", json={})).json()

    assert [message["role"] for message in shown["body"]["messages"]] == ["user", "assistant"]
    assert len(shown["hashes"]) == 3


async def test_key_of_a_provider_is_masked_in_the_preview(tmp_path: Path):
    key = "sk-very-secret-key-of-mine"
    async with serve_api(tmp_path, ANTHROPIC_API_KEY=key) as api:
        conversation_id = await create_conversation(api, model="anthropic:claude-sonnet-4-5")

        answer = await api.http.post(f"/conversations/{conversation_id}/preview", json={"text": "Hi"})

    assert key not in answer.text
    assert [header["value"] for header in answer.json()["headers"] if "•" in header["value"]] == ["Bearer ••••"]


async def test_part_the_model_cannot_take_is_listed_rather_than_dropped_silently(api: Api):
    conversation_id = await create_conversation(api, model="peer:m")
    await store_pairs(api, conversation_id, 1)  # with thinking that another vendor signed

    shown = (await api.http.post(f"/conversations/{conversation_id}/preview", json={"text": "Hi"})).json()

    (part,) = shown["unsupported"]
    assert part["kind"] == "thinking"
    assert "anthropic" in part["reason"]
    assert b"sig" not in orjson.dumps(shown["body"])


async def test_models_of_a_server_are_on_offer_with_unknown_prices(api: Api):
    models = (await api.http.get("/models")).json()["items"]

    (model,) = [model for model in models if model["provider"] == "peer"]
    assert (model["model"], model["known"]) == ("peer:m", False)
    assert model["prices"] == "unknown"


async def test_provider_that_gives_no_list_says_why(tmp_path: Path):
    async with serve_api(tmp_path, INVIEW_COMPATIBLE="away=http://127.0.0.1:9/v1") as api:
        models = (await api.http.get("/models")).json()

    (away,) = models["unavailable"]
    assert (away["provider"], away["error"]["class"]) == ("away", "network")
    assert away["error"]["next_step"]
