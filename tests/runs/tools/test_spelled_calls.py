"""Calls in the formats of compatible servers, with the built-in clock: each runs, and is sent back with its result."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.domain.conversation.lifecycle import Lifecycle
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.settings.preference_commands import read_preferences, set_preferences
from app.runs.wiring import open_app_context
from tests.providers.peer import Answer, a_peer
from tests.runs.steps import a_conversation, reply_to, settings_of

OSLO, TOKYO = '{"timezone":"Europe/Oslo"}', '{"timezone":"Asia/Tokyo"}'
CALLS = '{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}'
STOP = '{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}'
USAGE = '{"choices":[],"usage":{"prompt_tokens":40,"completion_tokens":20,"total_tokens":60}}'


def answer(*chunks: str) -> Answer:
    return Answer(("".join(f"data: {chunk}\n\n" for chunk in (*chunks, USAGE, "[DONE]")).encode(),))


def delta(**fields: Any) -> str:
    return json.dumps({"choices": [{"index": 0, "delta": fields, "finish_reason": None}]})


def piece(**fields: Any) -> str:
    return delta(tool_calls=[{"index": 0, **fields}])


def whole(arguments: object) -> str:
    called = {"name": "current_time", "arguments": arguments}
    return delta(
        role="assistant",
        content=None,
        tool_calls=[{"index": 0, "id": "call_1", "type": "function", "function": called}],
    )


TWO = delta(
    role="assistant",
    tool_calls=[
        {"type": "function", "function": {"name": "current_time", "arguments": OSLO}},
        {"type": "function", "function": {"name": "current_time", "arguments": TOKYO}},
    ],
)
LATE = (
    piece(id="call_7", type="function", function={"arguments": '{"time'}),
    piece(function={"arguments": 'zone":'}),
    piece(function={"name": "current_time"}),
    piece(function={"arguments": '"Europe/Oslo"}'}),
)


@pytest.mark.parametrize(
    ("chunks", "arguments", "zones"),
    [
        ([TWO], [OSLO, TOKYO], ["Europe/Oslo", "Asia/Tokyo"]),
        (LATE, [OSLO], ["Europe/Oslo"]),
        ([whole({"timezone": "Europe/Oslo"})], [OSLO], ["Europe/Oslo"]),
        ([whole(None)], ["{}"], ["UTC"]),
        ([whole({})], ["{}"], ["UTC"]),
    ],
    ids=["without index and id", "a late name", "an object", "null", "an empty object"],
)
async def test_calls_run_and_go_back_as_text_with_their_results_in_order(
    data: Path, chunks: list[str], arguments: list[str], zones: list[str]
) -> None:
    done = answer(delta(content="Done."), STOP)
    async with (
        a_peer(answer(*chunks, CALLS), done) as peer,
        open_app_context(settings_of(data, INVIEW_COMPATIBLE=f"box={peer.url}/v1")) as ctx,
    ):
        preferred = await read_preferences(ctx, LOCAL_OWNER)
        await set_preferences(ctx, LOCAL_OWNER, replace(preferred, built_in_tools=("current_time",)))
        conversation_id = await a_conversation(ctx, model="box:qwen3-8b")
        ended = await reply_to(ctx, conversation_id, "What time is it in Oslo and in Tokyo?")

    assert (ended.pair.lifecycle, ended.text) == (Lifecycle.SUCCEEDED, "Done.")
    _, calling, *results = json.loads(peer.heard[1].body)["messages"]
    assert [(call["function"]["name"], call["function"]["arguments"]) for call in calling["tool_calls"]] == [
        ("current_time", text) for text in arguments
    ]
    ids = [call["id"] for call in calling["tool_calls"]]
    assert len(set(ids)) == len(zones)
    assert [(result["role"], result["tool_call_id"]) for result in results] == [("tool", one) for one in ids]
    assert all(f", {zone})" in result["content"] for zone, result in zip(zones, results, strict=True))
