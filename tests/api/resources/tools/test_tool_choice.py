"""A conversation's tools over HTTP: their modes, their sizes, and the part of a warm cache that another list breaks."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest

from app.domain.tools.tools import Tool, ToolOutcome
from app.runs.app_context import current
from app.tools.toolbox import BuiltIn
from tests.api.served import Api, serve_api
from tests.api.talk import create_conversation, follow, send
from tests.billing.anthropic import AnthropicCache, list_blocks
from tests.billing.peer import BillingPeer, age, play_anthropic, serve_billing

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


LONG_AGO = 7_200
"""Seconds after which a provider has cached nothing of the earlier sends."""


async def nothing(*_: Any, **__: Any) -> ToolOutcome:
    return ToolOutcome(())


@pytest.fixture
def tools(api: Api) -> list[str]:
    """Register two tools of a server and return their names."""
    del api
    names = ["read_file", "write_file"]
    schema = '{"type":"object","properties":{"path":{"type":"string"}}}'
    made = [Tool(f"files__{name}", "f1", "files", name, "", f"Can {name}.", schema, read_only=True) for name in names]
    current().toolbox.register(BuiltIn(tool, nothing) for tool in made)
    return [tool.name for tool in made]


async def look(api: Api, conversation_id: str, **query: str) -> dict[str, Any]:
    answer = await api.http.get(f"/conversations/{conversation_id}/tools", params=query)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_without_tools_there_is_nothing_to_choose(api: Api):
    conversation_id = await create_conversation(api)

    seen = await look(api, conversation_id)

    assert (seen["mode"], seen["tools"], seen["tokens"], seen["breaks"]) == ("cached", [], 0, None)
    assert {one["mode"]: one["tokens"] for one in seen["modes"]} == dict.fromkeys(
        ["auto", "cached", "all-on", "all-off", "manual"], 0
    )


async def test_each_tool_has_its_size_and_the_sum_is_that_of_the_estimate(api: Api, tools: list[str]):
    conversation_id = await create_conversation(api, model=MODEL)

    seen = await look(api, conversation_id)
    preview = (await api.http.post(f"/conversations/{conversation_id}/preview", json={"text": "Hi"})).json()

    assert [(tool["name"], tool["chosen"], tool["why"]) for tool in seen["tools"]] == [(n, True, "all") for n in tools]
    assert seen["tokens"] == 496 + sum(tool["tokens"] for tool in seen["tools"]) == preview["estimate"]["tools"]
    assert [tool["name"] for tool in preview["tools"]] == tools
    assert float(seen["cost"]) > float(seen["tools"][0]["cost"]) > 0
    assert [(one["mode"], one["count"], one["same"]) for one in seen["modes"]] == [
        ("auto", 2, True), ("cached", 2, True), ("all-on", 2, True), ("all-off", 0, False), ("manual", 0, False),
    ]  # fmt: skip


async def test_ticks_are_kept_and_one_whose_server_is_off_waits_for_it(api: Api, tools: list[str]):
    conversation_id = await create_conversation(api)
    path = f"/conversations/{conversation_id}"

    changed = await api.http.patch(
        path, json={"tool_mode": "manual", "ticked_tools": [tools[1], "gone__now", tools[1]]}
    )
    seen = await look(api, conversation_id)

    assert changed.json()["ticked_tools"] == [tools[1], "gone__now"]
    assert [(tool["name"], tool["why"]) for tool in seen["tools"]] == [(tools[0], "not_ticked"), (tools[1], "ticked")]
    assert seen["missing"] == ["gone__now"]


@pytest.mark.parametrize("body", [{"tool_mode": "most"}, {"ticked_tools": ["no blanks"]}, {"ticked_tools": [""]}])
async def test_what_cannot_be_a_choice_is_refused(api: Api, body: dict[str, Any]):
    conversation_id = await create_conversation(api)

    answer = await api.http.patch(f"/conversations/{conversation_id}", json=body)

    assert answer.status_code == 422
    assert (await look(api, conversation_id))["mode"] == "cached"


async def test_another_list_of_tools_says_what_it_breaks_of_a_warm_cache(api: Api, tools: list[str], peer: BillingPeer):
    conversation_id = await create_conversation(api, model=MODEL, system_prompt=PROMPT)
    for text in ("First", "Second"):
        await follow(api, (await send(api, conversation_id, text))["run_id"])

    seen = await look(api, conversation_id)
    modes = {one["mode"]: one for one in seen["modes"]}
    await api.http.patch(f"/conversations/{conversation_id}", json={"tool_mode": "all-off"})
    without = await look(api, conversation_id)
    third = await send(api, conversation_id, "Third")
    await follow(api, third["run_id"])

    assert [tool["name"] for tool in peer.asked[1].body["tools"]] == tools
    assert modes["cached"]["read_tokens"] == modes["all-on"]["read_tokens"] > 1_024
    assert (modes["cached"]["breaks"], modes["all-off"]["read_tokens"]) == (None, 0)
    lost = modes["all-off"]["breaks"]
    assert lost["tokens"] > 1_024
    assert float(lost["cost"]) > 0
    assert (lost["differs"]["kind"], seen["breaks"]) == ("tools", lost)
    off = next(one for one in without["modes"] if one["mode"] == "all-off")
    assert off["breaks"]["tokens"] == lost["tokens"]
    assert peer.asked[2].usage["cache_read_input_tokens"] == 0


@pytest.mark.parametrize(("mode", "reads"), [("cached", True), ("all-on", False)])
async def test_only_the_mode_cached_reads_the_tools_from_the_cache_after_the_system_text_has_changed(
    api: Api, peer: BillingPeer, mode: str, reads: bool
):
    schema = '{"type":"object","properties":{"path":{"type":"string"}}}'
    long = Tool("files__find", "f1", "files", "find", "", "Finds a file. " * 400, schema, read_only=True)
    current().toolbox.register([BuiltIn(long, nothing)])
    conversation_id = await create_conversation(api, model=MODEL, system_prompt=PROMPT)
    await api.http.patch(f"/conversations/{conversation_id}", json={"tool_mode": mode})
    for text in ("First", "Second", "Third", "Fourth"):
        await follow(api, (await send(api, conversation_id, text))["run_id"])
    peer.pass_time(LONG_AGO)
    await age(api.ctx, LONG_AGO)

    await follow(api, (await send(api, conversation_id, "Fifth"))["run_id"])
    await api.http.patch(f"/conversations/{conversation_id}", json={"system_prompt": f"Be brief. {PROMPT}"})
    await follow(api, (await send(api, conversation_id, "Sixth"))["run_id"])

    tools = list_blocks(peer.asked[-1].body)[0]
    fifth, sixth = (one.usage["cache_read_input_tokens"] for one in peer.asked[-2:])
    assert tools.tokens > 1_024
    assert (fifth, sixth) == (0, tools.total if reads else 0)
