"""Tool rounds against third-party servers that implement the vendors' dialects: aimock (npm), llmock (PyPI)."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Generator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from llmock.scenarios import Reply, ToolCall, ToolFault
from llmock.testing import LLMockServer

from app.domain.conversation.lifecycle import Lifecycle
from app.domain.conversation.parts import Thinking, ToolResult, plain_text
from app.domain.conversation.parts import ToolCall as ToolCallPart
from app.domain.stream.stream_events import StopReason
from app.domain.tools import permissions
from app.domain.tools.tool_records import CallFault
from app.domain.tools.tools import ToolOutcome
from app.runs.app_context import AppContext
from app.runs.wiring import open_app_context
from app.store.tools.tool_calls import load_pair_tool_calls
from app.tools.toolbox import Progress
from tests.providers.aimock import an_aimock
from tests.runs.steps import Ended, a_conversation, calls_of, reply_to, settings_of
from tests.runs.toolsmith import add_tools, said

pytestmark = pytest.mark.third_party

KEY = "sk-secret-1234567890"
MODELS = {"anthropic": "anthropic:claude-sonnet-4-5", "openai": "openai:gpt-5", "openai_compatible": "peer:qwen3"}


def _round(match: Mapping[str, Any], **response: Any) -> dict[str, Any]:
    return {"match": {"userMessage": "please loop", **match}, "response": response, "chunkSize": 3}


ROUNDS = (
    _round({"toolResultContains": "not today"}, content="It is 42."),
    _round({"toolResultContains": "twice"}, toolCalls=[{"name": "refuse", "arguments": {}}]),
    _round(
        {"hasToolResult": False},
        reasoning="Let me see.",
        content="Looking.",
        toolCalls=[{"name": "double", "arguments": {"a": 21}}, {"name": "double", "arguments": {"a": 4}}],
    ),
)


@pytest.fixture(autouse=True)
def nobody_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(permissions, "UNASKED", frozenset({"double", "refuse"}))


@pytest.fixture(params=list(MODELS))
def protocol(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(scope="module")
def aimock(tmp_path_factory: pytest.TempPathFactory) -> Generator[str, None, None]:
    with an_aimock(tmp_path_factory.mktemp("aimock"), *ROUNDS) as url:
        yield url


@pytest.fixture(scope="module")
def llmock() -> Generator[LLMockServer, None, None]:
    with LLMockServer() as server:
        yield server


async def double(arguments: Mapping[str, Any], progress: Progress) -> ToolOutcome:
    return said(f"twice {arguments['a']}")


async def refuse(arguments: Mapping[str, Any], progress: Progress) -> ToolOutcome:
    return ToolOutcome(said("not today").content, is_error=True)


@asynccontextmanager
async def a_bench(data: Path, anthropic: str, openai: str, groq: str) -> AsyncGenerator[AppContext]:
    settings = settings_of(
        data,
        ANTHROPIC_API_KEY=KEY,
        ANTHROPIC_BASE_URL=anthropic,
        OPENAI_API_KEY=KEY,
        OPENAI_BASE_URL=openai,
        INVIEW_COMPATIBLE=f"peer={groq},{KEY}",
    )
    async with open_app_context(settings) as ctx:
        await add_tools(ctx, double=double, refuse=refuse)
        yield ctx


def told(ended: Ended) -> list[tuple[str, bool]]:
    assert ended.pair.reply is not None
    return [(plain_text(p.content), p.is_error) for p in ended.pair.reply.parts if isinstance(p, ToolResult)]


async def test_aimock_receives_the_results_of_two_rounds_and_answers(data: Path, aimock: str, protocol: str) -> None:
    async with a_bench(data, aimock, f"{aimock}/v1", f"{aimock}/v1") as ctx:
        conversation_id = await a_conversation(ctx, model=MODELS[protocol])
        ended = await reply_to(ctx, conversation_id, "please loop")
        calls = await calls_of(ctx, conversation_id)

    assert (ended.pair.lifecycle, ended.pair.stop_reason) == (Lifecycle.SUCCEEDED, StopReason.END), ended.pair.failure
    assert ended.pair.reply is not None
    assert isinstance(ended.pair.reply.parts[0], Thinking)
    assert plain_text(ended.pair.reply.parts).endswith("It is 42.")
    assert sorted(told(ended)) == [("not today", True), ("twice 21", False), ("twice 4", False)]
    ids = [part.tool_call_id for part in ended.pair.reply.parts if isinstance(part, ToolCallPart)]
    assert len(set(ids)) == 3
    assert [call.outcome for call in calls] == [Lifecycle.SUCCEEDED] * 3


async def test_llmock_calls_in_two_rounds_and_gets_an_answer_for_what_it_makes_up(
    data: Path, llmock: LLMockServer, protocol: str
) -> None:
    llmock.state.scenarios.clear()
    llmock.state.scenarios.add(
        Reply(tool_calls=(ToolCall("double", {"a": 1}), ToolCall("double", {"a": 2}))),
        Reply(tool_calls=(ToolCall("nothing", {}), ToolCall("double", {"a": "x"}))),
        Reply(text="Done."),
    )
    urls = [llmock.base_url(name) for name in ("anthropic", "openai", "groq")]
    async with a_bench(data, *urls) as ctx:
        conversation_id = await a_conversation(ctx, model=MODELS[protocol])
        ended = await reply_to(ctx, conversation_id, "Count")
        async with ctx.store.read() as session:
            records = await load_pair_tool_calls(session, ended.pair.id)
        calls = await calls_of(ctx, conversation_id)

    assert ended.pair.lifecycle is Lifecycle.SUCCEEDED, ended.pair.failure
    assert ended.text.endswith("Done.")
    assert llmock.state.scenarios.pending() == []
    assert [record.fault for record in records] == [None, None, CallFault.UNKNOWN, CallFault.INVALID_INPUT]
    assert [is_error for _, is_error in told(ended)] == [False, False, True, True]
    assert len(calls) == 3
    assert ended.pair.usage is not None
    assert ended.pair.usage.output_tokens == sum(call.usage.output_tokens for call in calls if call.usage)


async def test_llmock_sends_invalid_json_input_and_receives_the_error(
    data: Path, llmock: LLMockServer, protocol: str
) -> None:
    llmock.state.scenarios.clear()
    llmock.state.scenarios.add(
        Reply(tool_calls=(ToolCall("double", {"a": 1}),)), ToolFault("malformed_arguments"), Reply(text="Sorry.")
    )
    urls = [llmock.base_url(name) for name in ("anthropic", "openai", "groq")]
    async with a_bench(data, *urls) as ctx:
        ended = await reply_to(ctx, await a_conversation(ctx, model=MODELS[protocol]), "Count")

    assert ended.pair.lifecycle is Lifecycle.SUCCEEDED, ended.pair.failure
    assert ended.text.endswith("Sorry.")
    ((text, is_error),) = told(ended)
    assert is_error
    assert "could not be read" in text
