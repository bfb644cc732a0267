"""Prompt caches over HTTP: the send is billed as the preview predicts, and the state shows the outcome."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from tests.api.served import Api, serve_api
from tests.api.talk import create_conversation, follow, send
from tests.billing.anthropic import AnthropicCache
from tests.billing.peer import BillingPeer, play_anthropic, serve_billing

MODEL = "anthropic:claude-sonnet-4-5"
PROMPT = "You help an engineer of bridges. " * 200


@pytest.fixture
async def peer() -> AsyncGenerator[BillingPeer]:
    async with serve_billing(BillingPeer("anthropic", AnthropicCache().bill, play_anthropic)) as served:
        yield served


@pytest.fixture
async def api(tmp_path: Path, peer: BillingPeer) -> AsyncGenerator[Api]:
    async with serve_api(tmp_path, **peer.environment) as served:
        yield served


async def _talk(api: Api, conversation_id: str, *texts: str) -> None:
    for text in texts:
        started = await send(api, conversation_id, text)
        await follow(api, started["run_id"])


async def test_preview_foretells_what_the_send_will_read(api: Api, peer: BillingPeer):
    conversation_id = await create_conversation(api, model=MODEL, system_prompt=PROMPT)
    await _talk(api, conversation_id, "First", "Second")

    cache = (await api.http.post(f"/conversations/{conversation_id}/preview", json={"text": "Third"})).json()["cache"]
    await _talk(api, conversation_id, "Third")

    assert cache["predicted_read_tokens"] == peer.asked[-1].usage["cache_read_input_tokens"] > 1_024
    assert (cache["exact"], cache["broken"]) == (True, None)
    assert cache["cached_to"]["position"] == 2
    assert float(cache["cost"]) < float(cache["cost_uncached"])


async def test_state_compares_each_prediction_with_the_report(api: Api):
    conversation_id = await create_conversation(api, model=MODEL, system_prompt=PROMPT)
    await _talk(api, conversation_id, "First", "Second")

    state = (await api.http.get(f"/conversations/{conversation_id}/cache")).json()

    assert (state["style"], state["minimum_tokens"]) == ("marked", 1_024)
    newest, oldest = state["calls"]
    assert (oldest["predicted_read_tokens"], oldest["read_tokens"], oldest["outcome"]) == (0, 0, "as_predicted")
    assert newest["predicted_read_tokens"] == newest["read_tokens"] > 1_024
    assert newest["cache_control_index"] == 2
    assert newest["why"] is None


async def test_each_request_reports_the_outcome_of_its_prediction(api: Api, peer: BillingPeer):
    conversation_id = await create_conversation(api, model=MODEL, system_prompt=PROMPT)
    await _talk(api, conversation_id, "First", "Second")
    read = peer.asked[-1].usage["cache_read_input_tokens"]
    peer.bill = lambda body, at: AnthropicCache().bill(body, at)  # this cache has no entries
    await _talk(api, conversation_id, "Third")

    calls = (await api.http.get(f"/conversations/{conversation_id}/calls")).json()["items"]

    missed, foreseen, first = [call for call in calls if call["purpose"] == "reply"]
    assert (first["predicted_read_tokens"], first["cache_outcome"]) == (0, "as_predicted")
    assert (foreseen["predicted_read_tokens"], foreseen["cache_outcome"]) == (read, "as_predicted")
    assert missed["predicted_read_tokens"] > read
    assert (missed["cache_outcome"], missed["cache_read_tokens"]) == ("less", 0)
    assert missed["cache_why"] == "The provider evicted it early."


async def test_past_misses_are_named_by_pair(api: Api):
    conversation_id = await create_conversation(api, model=MODEL, system_prompt=PROMPT)
    await _talk(api, conversation_id, "First", "Second", "Third")
    started = await send(api, conversation_id, "Fourth", filter="r2")  # the first pair is not sent
    await follow(api, started["run_id"])

    state = (await api.http.get(f"/conversations/{conversation_id}/cache")).json()

    assert state["calls"][0]["differs"] == "Pair 2 differs from the previous send."


async def test_price_of_breaking_a_warm_prefix_is_shown_before(api: Api, peer: BillingPeer):
    conversation_id = await create_conversation(api, model=MODEL, system_prompt=PROMPT)
    await _talk(api, conversation_id, "First " * 300, "Second", "Third")

    state = (await api.http.get(f"/conversations/{conversation_id}/cache", params={"filter": "r2"})).json()
    changed = await api.http.patch(f"/conversations/{conversation_id}", json={"system_prompt": PROMPT + "Be brief."})
    other = (await api.http.get(f"/conversations/{conversation_id}/cache")).json()

    broken = state["next"]["broken"]
    assert (broken["differs"]["kind"], broken["differs"]["position"]) == ("message", 2)
    assert broken["tokens"] > 0
    assert float(broken["cost"]) > 0
    assert changed.status_code == 200
    assert other["next"]["broken"]["sentence"] == "The system text is the first part that differs from the last send."
    assert other["next"]["predicted_read_tokens"] == 0


async def test_keeping_warm_is_offered_at_its_price_asked_for_seen_and_stopped(api: Api):
    conversation_id = await create_conversation(api, model=MODEL, system_prompt=PROMPT)
    address = f"/conversations/{conversation_id}/keep-warm"
    early = await api.http.put(address, json={"minutes": 30})
    await _talk(api, conversation_id, "First", "Second")

    offer = (await api.http.get(f"/conversations/{conversation_id}/cache")).json()["offer"]
    nothing = await api.http.get(address)
    begun = await api.http.put(address, json={"minutes": 30})
    seen = (await api.http.get(f"/conversations/{conversation_id}/cache")).json()["kept"]
    stopped = await api.http.delete(address)

    assert (early.status_code, early.json()["type"]) == (409, "urn:inview:problem:conflict")
    assert (nothing.status_code, begun.status_code, stopped.status_code) == (404, 200, 204)
    assert (begun.json()["on"], begun.json()["calls"], begun.json()["cost"]) == (True, 0, "0")
    assert seen == begun.json()
    assert offer["why_not"] is None
    assert float(offer["each"]) < float(offer["uncached"]) / 10
    quarter, half, *_ = offer["choices"]
    assert (quarter["minutes"], half["minutes"]) == (15, 30)
    assert 0 < quarter["refreshes"] < half["refreshes"] <= offer["worth"]
    assert (await api.http.get(f"/conversations/{conversation_id}/cache")).json()["kept"] is None
    assert (await api.http.delete(address)).status_code == 404
    assert (await api.http.put(address, json={"minutes": 0})).status_code == 422


async def test_price_of_another_agent_is_shown_before_it_answers(api: Api):
    conversation_id = await create_conversation(api, model=MODEL, system_prompt=PROMPT)
    await _talk(api, conversation_id, "First", "Second")
    agent = (await api.http.post("/agents", json={"name": "Reviewer", "system_prompt": "Find the fault."})).json()

    await api.http.patch(f"/conversations/{conversation_id}", json={"agent_id": agent["id"]})
    chosen = (await api.http.get(f"/conversations/{conversation_id}/cache")).json()["next"]
    await api.http.patch(f"/conversations/{conversation_id}", json={"agent_id": ""})
    back = (await api.http.get(f"/conversations/{conversation_id}/cache")).json()["next"]

    assert chosen["broken"]["tokens"] > 1_024
    assert float(chosen["broken"]["cost"]) > 0
    assert chosen["broken"]["sentence"] == "The system text is the first part that differs from the last send."
    assert (back["broken"], back["predicted_read_tokens"] > 1_024) == (None, True)


async def test_model_with_an_unknown_cache_has_none(api: Api):
    conversation_id = await create_conversation(api)

    state = (await api.http.get(f"/conversations/{conversation_id}/cache")).json()
    preview = (await api.http.post(f"/conversations/{conversation_id}/preview", json={"text": "Hi"})).json()

    assert (state["style"], state["next"], state["calls"]) == (None, None, [])
    assert preview["cache"] is None
