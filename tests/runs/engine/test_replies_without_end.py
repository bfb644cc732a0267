"""Replies without an end: more text, more parts, or more tool calls than the limits allow."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from app.domain.conversation.lifecycle import Lifecycle
from app.domain.conversation.parts import Text, ToolCall, ToolResult
from app.domain.errors import NEXT_STEP, ErrorClass
from app.domain.run.run import Failed, Succeeded
from app.domain.stream.stream_events import StopReason
from app.runs.app_context import AppContext
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.wiring import open_app_context
from app.store.run.stored_runs import load_run
from tests.providers.peer import Answer, Peer, a_peer
from tests.runs.speaking import Speech, speak
from tests.runs.steps import Ended, a_conversation, calls_of, reply_to, settings_of
from tests.work import calls_by_turn

KEY = "sk-secret-1234567890"
MODELS = {
    "anthropic": "anthropic:claude-sonnet-4-5",
    "openai": "openai:gpt-5",
    "openai_compatible": "peer:qwen3",
}


@asynccontextmanager
async def talking_to(data: Path, *answers: Answer, **environment: str) -> AsyncGenerator[tuple[AppContext, Peer]]:
    """Open an app context whose providers all connect to one peer."""
    async with a_peer(*answers) as peer:
        settings = settings_of(
            data,
            ANTHROPIC_API_KEY=KEY,
            ANTHROPIC_BASE_URL=peer.url,
            OPENAI_API_KEY=KEY,
            OPENAI_BASE_URL=f"{peer.url}/v1",
            INVIEW_COMPATIBLE=f"peer={peer.url}/v1",
            **environment,
        )
        async with open_app_context(settings) as ctx:
            yield ctx, peer


def chat(delta: object) -> bytes:
    return b"data: " + json.dumps({"choices": [{"index": 0, "delta": delta}]}).encode() + b"\n\n"


async def ask(ctx: AppContext, protocol: str) -> Ended:
    return await reply_to(ctx, await a_conversation(ctx, model=MODELS[protocol]), "Go on.")


async def outcome_of(ctx: AppContext, ended: Ended) -> Succeeded | Failed | object:
    async with ctx.store.read() as session:
        return (await load_run(session, LOCAL_OWNER, ended.started.run_id)).state.outcome


# --- calls of tools ---


@pytest.mark.parametrize("protocol", MODELS)
async def test_stream_of_20_000_calls_ends_at_the_limit_with_a_note(data: Path, protocol: str) -> None:
    calls = tuple((f"c{number}", "double", "{}") for number in range(20_000))

    async with talking_to(data, speak(protocol, Speech(text="Well.", calls=calls))) as (ctx, peer):
        ended = await ask(ctx, protocol)
        booked = await calls_of(ctx, ended.pair.conversation_id)

    assert ended.pair.lifecycle is Lifecycle.SUCCEEDED
    assert ended.pair.reply is not None
    parts = ended.pair.reply.parts
    made = [part for part in parts if isinstance(part, ToolCall)]
    told = [part for part in parts if isinstance(part, ToolResult)]
    assert parts[0] == Text("Well.")
    assert len(made) == 100
    assert [result.tool_call_id for result in told] == [call.tool_call_id for call in made]
    assert str(told[0].content[0]).startswith("Text(text='Not called: the model requested more than 100 calls at once")
    assert [call.purpose for call in booked] == ["reply"]
    assert len(peer.heard) == 1


@pytest.mark.parametrize("protocol", MODELS)
async def test_other_requests_do_not_wait_while_20_000_calls_arrive(data: Path, protocol: str) -> None:
    few = Speech(calls=tuple((f"c{number}", "double", "{}") for number in range(50)))
    many = Speech(calls=tuple((f"c{number}", "double", "{}") for number in range(20_000)))
    end = speak(protocol, Speech(text="Done."))

    async with talking_to(data, speak(protocol, few), end, speak(protocol, few), end, speak(protocol, many)) as (
        ctx,
        _,
    ):
        await ask(ctx, protocol)  # the first call includes imports and compilation that happen once
        quiet = await calls_by_turn(ask(ctx, protocol))
        busy = await calls_by_turn(ask(ctx, protocol))

    # The engine accepts at most 100 calls: twice the number of the quiet reply.
    assert max(busy) < 2 * max(quiet)


async def test_calls_in_one_event_end_at_the_limit_too(data: Path) -> None:
    calls = [{"index": n, "id": f"c{n}", "function": {"name": "double", "arguments": "{"}} for n in range(20_000)]

    async with talking_to(data, Answer((chat({"tool_calls": calls}),))) as (ctx, _):
        ended = await ask(ctx, "openai_compatible")
        outcome = await outcome_of(ctx, ended)

    assert outcome == Succeeded(StopReason.TOOL_LIMIT)
    assert ended.pair.reply is not None
    assert sum(isinstance(part, ToolCall) for part in ended.pair.reply.parts) == 100
    assert sum(isinstance(part, ToolResult) for part in ended.pair.reply.parts) == 100


# --- text ---


@pytest.mark.parametrize("sent", ["x" * 200, "naïve " * 40])
async def test_endless_reply_is_ended_as_too_long_and_its_text_is_kept(data: Path, sent: str) -> None:
    endless = Answer((chat({"content": sent}) * 200,) * 50, then="stall")

    async with talking_to(data, endless, INVIEW_MAX_REPLY_BYTES="50000") as (ctx, peer):
        ended = await ask(ctx, "openai_compatible")
        outcome = await outcome_of(ctx, ended)
        booked = await calls_of(ctx, ended.pair.conversation_id)
        async with asyncio.timeout(30):
            await peer.left.wait()

    assert isinstance(outcome, Failed)
    assert (outcome.reason.error_class, outcome.reason.next_step) == ("too_long", NEXT_STEP[ErrorClass.TOO_LONG])
    assert "reached the limit of 50,000 bytes" in outcome.reason.message
    assert ended.pair.lifecycle is Lifecycle.ERROR
    size = len(ended.text.encode())
    assert 48_990 < size <= 49_000, "a part counts 1,000 besides its text"
    assert (sent * 300).startswith(ended.text)
    assert [(call.outcome, call.error_class) for call in booked] == [(Lifecycle.ERROR, ErrorClass.TOO_LONG)]


async def test_conversation_continues_after_a_reply_that_was_too_long(data: Path) -> None:
    endless = Answer((chat({"content": "x" * 20_000}),), then="stall")
    fine = speak("openai_compatible", Speech(text="Fine."))

    async with talking_to(data, endless, fine, INVIEW_MAX_REPLY_BYTES="10000") as (ctx, _):
        conversation = await a_conversation(ctx, model="peer:qwen3")
        first = await reply_to(ctx, conversation, "Go on.")
        second = await reply_to(ctx, conversation, "And now?")

    assert (first.pair.lifecycle, second.text) == (Lifecycle.ERROR, "Fine.")


async def test_reply_of_parts_without_end_is_too_long_too(data: Path) -> None:
    part = (
        b'event: content_block_start\ndata: {"type":"content_block_start","index":0,'
        b'"content_block":{"type":"redacted_thinking","data":"x"}}\n\n'
    )
    async with talking_to(data, Answer((part * 1_000,) * 5, then="stall"), INVIEW_MAX_REPLY_BYTES="100000") as (ctx, _):
        ended = await ask(ctx, "anthropic")
        outcome = await outcome_of(ctx, ended)

    assert isinstance(outcome, Failed)
    assert outcome.reason.error_class is ErrorClass.TOO_LONG
    assert ended.pair.reply is not None
    assert len(ended.pair.reply.parts) == 99


async def test_words_that_wait_for_a_call_to_end_have_a_bound(data: Path) -> None:
    opened = chat({"tool_calls": [{"index": 0, "id": "a", "function": {"name": "f", "arguments": "{"}}]})
    waiting = chat({"content": "x" * 10_000}) * 10
    async with talking_to(data, Answer((opened, *[waiting] * 20), then="stall")) as (ctx, _):
        outcome = await outcome_of(ctx, await ask(ctx, "openai_compatible"))

    assert isinstance(outcome, Failed)
    assert outcome.reason.error_class is ErrorClass.TOO_LONG
