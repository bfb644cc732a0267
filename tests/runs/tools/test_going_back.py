"""Signatures of calls and details of reasoning are sent back, and only to their own vendor."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import orjson
import pytest

from app.domain.conversation.conversation import Parameters
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.tools import permissions
from app.domain.tools.tools import ToolOutcome
from app.runs.app_context import AppContext
from app.runs.conversation.conversation_commands import SettingChanges, change_conversation
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.settings.provider_commands import save_provider
from app.runs.wiring import open_app_context
from app.tools.toolbox import Progress
from tests.providers.peer import Answer, Peer, a_peer
from tests.runs.exchange import bring_back, export
from tests.runs.steps import a_conversation, reply_to, settings_of
from tests.runs.toolsmith import add_tools, said

SIGNED = {"google": {"thought_signature": "c2lnbmF0dXJlLTE="}}
DONE = ({"content": "Done."},)
GEMINI, DEEPSEEK = "box:gemini-3-flash-preview", "box:deepseek-v4-flash"
GOOGLE = "google:gemini-3-flash-preview"


@pytest.fixture(autouse=True)
def nobody_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(permissions, "UNASKED", frozenset({"clock"}))


def a_call(number: int = 0, **beside: object) -> dict[str, object]:
    return {"index": number, "id": f"c{number}", "function": {"name": "clock", "arguments": "{}"}, **beside}


def answer(*deltas: Mapping[str, object], reason: str = "stop") -> Answer:
    chunks: list[dict[str, Any]] = [
        {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas
    ]
    chunks += [{"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}]
    chunks += [{"choices": [], "usage": {"prompt_tokens": 40, "completion_tokens": 12}}]
    body = b"".join(b"data: " + json.dumps(chunk).encode() + b"\n\n" for chunk in chunks)
    return Answer((body + b"data: [DONE]\n\n",))


def calling(*calls: Mapping[str, object], **delta: object) -> Answer:
    return answer({**delta, "tool_calls": list(calls)}, reason="tool_calls")


@asynccontextmanager
async def a_bench(data: Path, *answers: Answer) -> AsyncGenerator[tuple[AppContext, Peer]]:
    """Open an app context with one tool. The servers `box` and `other` are one peer."""

    async def clock(arguments: Mapping[str, Any], progress: Progress) -> ToolOutcome:
        return said("noon")

    async with a_peer(*answers) as peer:
        servers = f"box={peer.url}/v1;other={peer.url}/v1"
        async with open_app_context(settings_of(data, INVIEW_COMPATIBLE=servers)) as ctx:
            await add_tools(ctx, clock=clock)
            yield ctx, peer


async def set_up(ctx: AppContext, peer: Peer, provider: str) -> None:
    """Let the peer replace this vendor."""
    await save_provider(ctx, LOCAL_OWNER, provider, key="sk-secret-1234567890", base_url=f"{peer.url}/v1")


def messages_of(peer: Peer, at: int = -1) -> list[dict[str, Any]]:
    return orjson.loads(peer.heard[at].body)["messages"]


def answers_in(peer: Peer, at: int = -1) -> list[dict[str, Any]]:
    """Return the messages of the assistant in a request."""
    return [message for message in messages_of(peer, at) if message["role"] == "assistant"]


@pytest.mark.parametrize("model", [GEMINI, GOOGLE])
async def test_a_signature_goes_back_with_its_call_in_the_next_round_and_in_later_sends_and_after_an_import(
    data: Path, model: str
) -> None:
    calls = calling(a_call(0, extra_content=SIGNED), a_call(1))
    async with a_bench(data, calls, answer(*DONE)) as (ctx, peer):
        await set_up(ctx, peer, "google")
        conversation_id = await a_conversation(ctx, model=model)
        ended = await reply_to(ctx, conversation_id, "What time is it?")
        assert ended.pair.lifecycle is Lifecycle.SUCCEEDED
        await reply_to(ctx, conversation_id, "And now?")
        (copy,) = await bring_back(ctx, await export(ctx, conversation_id))
        await reply_to(ctx, copy, "And now?")

        for at in (1, 2, 3):
            first, second = answers_in(peer, at)[0]["tool_calls"]
            assert first["extra_content"] == SIGNED
            assert "extra_content" not in second


async def test_no_other_vendor_gets_a_signature(data: Path) -> None:
    signed = calling(a_call(extra_content=SIGNED), extra_content=SIGNED, reasoning_details=[{"type": "x", "data": "y"}])
    async with a_bench(data, signed, answer(*DONE)) as (ctx, peer):
        conversation_id = await a_conversation(ctx, model=GEMINI)
        await reply_to(ctx, conversation_id, "What time is it?")
        await change_conversation(
            ctx, LOCAL_OWNER, conversation_id, SettingChanges(model="other:gemini-3-flash-preview")
        )
        await reply_to(ctx, conversation_id, "And now?")

        (first, last) = answers_in(peer)
        assert first.keys() == {"role", "content", "tool_calls"}
        assert first["tool_calls"][0].keys() == {"id", "type", "function"}
        assert last == {"role": "assistant", "content": "Done."}


async def test_details_of_reasoning_go_back_whole_although_they_came_in_pieces(data: Path) -> None:
    begun = {"type": "reasoning.text", "index": 0, "format": "anthropic-claude-v1"}
    sealed = {"type": "reasoning.encrypted", "index": 1, "data": "c2VhbGVk", "id": "r1"}
    thought = (
        {"reasoning": "Let me ", "reasoning_details": [{**begun, "text": "Let me "}]},
        {"reasoning": "see.", "reasoning_details": [{**begun, "text": "see."}]},
        {"reasoning_details": [{"type": "reasoning.text", "index": 0, "signature": "c2ln"}]},
        {"content": "Looking."},
        {"tool_calls": [a_call()], "reasoning_details": [sealed]},
    )
    async with a_bench(data, answer(*thought, reason="tool_calls"), answer(*DONE)) as (ctx, peer):
        conversation_id = await a_conversation(ctx, model="box:any")
        await reply_to(ctx, conversation_id, "What time is it?")
        await reply_to(ctx, conversation_id, "And now?")

        for at in (1, 2):
            first = answers_in(peer, at)[0]
            assert first["reasoning_details"] == [{**begun, "text": "Let me see.", "signature": "c2ln"}, sealed]
            assert first["content"] == "Looking."


async def test_reasoning_goes_back_to_a_server_known_only_as_compatible_by_the_family_of_its_model(data: Path) -> None:
    greets = (
        {"content": None, "reasoning_content": "They greet me."},
        {"content": "Hello!", "reasoning_content": None},
    )
    async with a_bench(data, answer(*greets)) as (ctx, peer):
        conversation_id = await a_conversation(ctx, model="other:any")
        await reply_to(ctx, conversation_id, "Hi")
        await change_conversation(ctx, LOCAL_OWNER, conversation_id, SettingChanges(model=DEEPSEEK))
        await reply_to(ctx, conversation_id, "Hi")
        await reply_to(ctx, conversation_id, "And now?")

        assert [message["reasoning_content"] for message in answers_in(peer)] == [" ", "They greet me."]
        await change_conversation(ctx, LOCAL_OWNER, conversation_id, SettingChanges(model="box:any"))
        await reply_to(ctx, conversation_id, "And now?")

        assert all("reasoning_content" not in message for message in answers_in(peer))


async def test_a_history_without_reasoning_is_made_acceptable_to_deepseek_and_to_gemini(data: Path) -> None:
    async with a_bench(data, calling(a_call()), answer(*DONE)) as (ctx, peer):
        conversation_id = await a_conversation(ctx, model="other:any")
        await reply_to(ctx, conversation_id, "What time is it?")
        await change_conversation(ctx, LOCAL_OWNER, conversation_id, SettingChanges(model=DEEPSEEK))
        await reply_to(ctx, conversation_id, "And now?")

        assert [message["reasoning_content"] for message in answers_in(peer)] == [" ", " "]

        await set_up(ctx, peer, "google")
        await change_conversation(ctx, LOCAL_OWNER, conversation_id, SettingChanges(model=GOOGLE))
        await reply_to(ctx, conversation_id, "And now?")

        (call,) = answers_in(peer)[0]["tool_calls"]
        assert call["extra_content"] == {"google": {"thought_signature": "skip_thought_signature_validator"}}
        assert "reasoning_content" not in answers_in(peer)[0]


@pytest.mark.parametrize("thinking", [True, None])
async def test_pair_of_a_model_that_does_not_reason_has_a_reasoning_for_deepseek_itself(
    data: Path, thinking: bool | None
) -> None:
    async with a_bench(data, answer(*DONE)) as (ctx, peer):
        await set_up(ctx, peer, "deepseek")
        conversation_id = await a_conversation(ctx, model="offline:demo")
        await reply_to(ctx, conversation_id, "/rate 0\n/tool clock {}\n/then\n/echo noon")
        await change_conversation(ctx, LOCAL_OWNER, conversation_id, SettingChanges(model="deepseek:deepseek-v4-flash"))
        for _ in range(2):
            ended = await reply_to(ctx, conversation_id, "And now?", parameters=Parameters(thinking=thinking))
            assert ended.pair.lifecycle is Lifecycle.SUCCEEDED

        assert len(answers_in(peer, 0)) == 2
        for at in (0, 1):
            assert all(message["reasoning_content"] for message in answers_in(peer, at))


async def test_refusal_for_a_missing_signature_has_its_own_message(data: Path) -> None:
    refused = {"error": {"code": 400, "message": "signature is missing in call 1", "status": "INVALID_ARGUMENT"}}
    refusal = Answer((json.dumps([refused]).encode(),), status=400, headers=(("Content-Type", "application/json"),))
    async with a_bench(data, refusal, answer(*DONE)) as (ctx, peer):
        await set_up(ctx, peer, "google")
        conversation_id = await a_conversation(ctx, model=GOOGLE)
        ended = await reply_to(ctx, conversation_id, "What time is it?")

        assert ended.pair.failure is not None
        assert "signature is missing in call 1" in ended.pair.failure.message
        assert (await reply_to(ctx, conversation_id, "Once more.")).text == "Done."
