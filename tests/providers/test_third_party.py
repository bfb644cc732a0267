"""Tests against third-party servers: aimock (npm) and llmock (PyPI). Both implement the vendors' dialects."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Generator
from typing import Any

import pytest
from llmock.scenarios import Fail, Match, Reply, StreamFault, ToolCall
from llmock.testing import LLMockServer

from app.domain.conversation.parts import Text, Thinking, plain_text
from app.domain.conversation.parts import ToolCall as ToolCallPart
from app.domain.errors import ErrorClass
from app.domain.models.model_profile import ThinkingStyle
from app.domain.request.request import ToolDefinition
from app.domain.stream.stream_events import Stopped, StopReason
from app.providers.models.abilities import abilities_of
from app.providers.models.models import ModelLists
from app.providers.wire.transport import Transport
from tests.providers.aimock import an_aimock
from tests.providers.playing import Told, a_provider, a_request, ask

pytestmark = pytest.mark.third_party

MODELS = {"anthropic": "claude-sonnet-4-5", "openai": "gpt-4o", "groq": "llama-3.3-70b-versatile"}
CLOCK = ToolDefinition("clock", "Tells the time.", '{"type":"object","properties":{"zone":{"type":"string"}}}')
COUNTING = "one two three four five six seven eight nine ten"


@pytest.fixture(params=list(MODELS))
def name(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
async def transport() -> AsyncGenerator[Transport, None]:
    transport = Transport()
    yield transport
    await transport.close()


# --- aimock ---

ANSWERS: dict[str, dict[str, Any]] = {
    "greet": {"response": {"content": "Hello, world. Grüße aus Oslo 🌍🎉"}, "chunkSize": 1},
    "think": {"response": {"reasoning": "Let me see.", "content": "Four."}},
    "call": {
        "response": {
            "content": "Okay.",
            "toolCalls": [
                {"name": "clock", "arguments": {"zone": "UTC"}},
                {"name": "weather", "arguments": {}},
            ],
        }
    },
    "limit": {
        "response": {"error": {"message": "Too fast", "type": "rate_limit_error"}, "status": 429, "retryAfter": 7}
    },
    "break": {"response": {"error": {"message": "Oops", "type": "api_error"}, "status": 500}},
    "busy": {"response": {"error": {"message": "Overloaded", "type": "overloaded_error"}, "status": 529}},
    "drop": {"response": {"content": COUNTING}, "chunkSize": 4, "latency": 40, "disconnectAfterMs": 300},
    "stall": {"response": {"content": COUNTING}, "streamingProfile": {"ttft": 1, "tps": 0.01}},
    "garble": {"response": {"content": "x"}, "chaos": {"malformedRate": 1}},
    "hang up": {"response": {"content": "x"}, "chaos": {"disconnectRate": 1}},
}


@pytest.fixture(scope="module")
def aimock(tmp_path_factory: pytest.TempPathFactory) -> Generator[str, None, None]:
    fixtures = [{"match": {"userMessage": f"please {word}"}, **answer} for word, answer in ANSWERS.items()]
    with an_aimock(tmp_path_factory.mktemp("aimock"), *fixtures) as url:
        yield url


async def please(transport: Transport, name: str, url: str, word: str, **timeouts: float) -> Told:
    return await ask(
        transport, a_provider(name, url), a_request(f"please {word}", model=f"{name}:{MODELS[name]}"), **timeouts
    )


async def test_aimock_text(transport: Transport, name: str, aimock: str) -> None:
    told = await please(transport, name, aimock, "greet")

    assert told.parts == (Text("Hello, world. Grüße aus Oslo 🌍🎉"),)
    assert told.stopped == Stopped(StopReason.END)
    assert told.usage is not None


async def test_aimock_thinking(transport: Transport, name: str, aimock: str) -> None:
    told = await please(transport, name, aimock, "think")

    thinking, text = told.parts
    assert isinstance(thinking, Thinking)
    assert thinking.text == "Let me see."
    assert (thinking.vendor == name) == (name != "groq")
    assert text == Text("Four.")


async def test_aimock_tool_calls(transport: Transport, name: str, aimock: str) -> None:
    told = await please(transport, name, aimock, "call")

    text, clock, weather = told.parts
    assert text == Text("Okay.")
    assert isinstance(clock, ToolCallPart)
    assert isinstance(weather, ToolCallPart)
    assert (clock.name, json.loads(clock.input_json), clock.complete) == ("clock", {"zone": "UTC"}, True)
    assert (weather.name, json.loads(weather.input_json), weather.complete) == ("weather", {}, True)
    assert told.stopped == Stopped(StopReason.TOOL_CALLS)


@pytest.mark.parametrize(
    ("word", "error_class", "said"),
    [
        ("limit", ErrorClass.RATE, "Too fast"),
        ("break", ErrorClass.SERVER, "Oops"),
        ("busy", ErrorClass.OVERLOADED, "Overloaded"),
        ("garble", ErrorClass.STREAM, "application/json"),
        ("hang up", ErrorClass.NETWORK, "without a response"),
        ("do what no fixture knows", ErrorClass.MODEL, "No fixture matched"),
    ],
)
async def test_aimock_refusals(
    transport: Transport, name: str, aimock: str, *, word: str, error_class: ErrorClass, said: str
) -> None:
    told = await please(transport, name, aimock, word)

    assert told.events == ()
    assert told.fault is not None
    assert told.fault.error_class is error_class
    assert told.fault.retry_after == (7.0 if word == "limit" else None)
    assert said in told.fault.message


async def test_aimock_connection_cut_in_the_middle(transport: Transport, name: str, aimock: str) -> None:
    told = await please(transport, name, aimock, "drop")

    assert told.fault is not None
    assert told.fault.error_class is ErrorClass.STREAM
    assert COUNTING.startswith(plain_text(told.parts))


async def test_aimock_stall(transport: Transport, name: str, aimock: str) -> None:
    told = await please(transport, name, aimock, "stall", read=0.3)

    assert told.fault is not None
    assert told.fault.error_class is ErrorClass.NETWORK
    assert "sent nothing for 0.3 seconds" in told.fault.message


# --- llmock ---


@pytest.fixture(scope="module")
def llmock() -> Generator[LLMockServer, None, None]:
    with LLMockServer() as server:
        yield server


@pytest.fixture
def script(llmock: LLMockServer) -> Generator[LLMockServer, None, None]:
    llmock.state.scenarios.clear()
    yield llmock
    assert llmock.state.scenarios.pending() == [], "what was scripted was never asked for"


async def ask_llmock(transport: Transport, name: str, server: LLMockServer, **timeouts: float) -> Told:
    provider = a_provider(name, server.base_url(name))
    request = a_request("Count", model=f"{name}:{MODELS[name]}", tools=(CLOCK,))
    return await ask(transport, provider, request, **timeouts)


async def test_llmock_text(transport: Transport, name: str, script: LLMockServer) -> None:
    script.state.scenarios.add(Reply(text=COUNTING, match=Match(stream=True)))

    told = await ask_llmock(transport, name, script)

    assert told.parts == (Text(COUNTING),)
    assert told.stopped == Stopped(StopReason.END)
    assert told.usage is not None
    assert told.usage.output_tokens > 0


async def test_llmock_tool_calls(transport: Transport, name: str, script: LLMockServer) -> None:
    script.state.scenarios.add(Reply(tool_calls=(ToolCall("clock", {"zone": "UTC"}), ToolCall("clock", {}))))

    told = await ask_llmock(transport, name, script)

    calls = [part for part in told.parts if isinstance(part, ToolCallPart)]
    assert [json.loads(call.input_json) for call in calls] == [{"zone": "UTC"}, {}]
    assert all(call.complete for call in calls)
    assert told.stopped == Stopped(StopReason.TOOL_CALLS)


@pytest.mark.parametrize(
    ("status", "error_class"),
    [
        (401, ErrorClass.AUTH),
        (403, ErrorClass.AUTH),
        (429, ErrorClass.RATE),
        (500, ErrorClass.SERVER),
        (503, ErrorClass.OVERLOADED),
        (529, ErrorClass.OVERLOADED),
    ],
)
async def test_llmock_failures(
    transport: Transport, name: str, script: LLMockServer, status: int, error_class: ErrorClass
) -> None:
    script.state.scenarios.add(Fail(status, retry_after=3))

    told = await ask_llmock(transport, name, script)

    assert told.fault is not None
    assert told.fault.error_class is error_class
    assert told.fault.retry_after == 3


@pytest.mark.parametrize(
    ("kind", "error_class"),
    [
        ("disconnect", ErrorClass.STREAM),
        ("truncate", ErrorClass.STREAM),
        ("malformed", ErrorClass.STREAM),
        ("stall", ErrorClass.NETWORK),
    ],
)
async def test_llmock_broken_streams_keep_the_received_text(
    transport: Transport, name: str, script: LLMockServer, kind: Any, error_class: ErrorClass
) -> None:
    script.state.scenarios.add(Reply(text=COUNTING), StreamFault(kind, after_chunks=8, stall_seconds=2))

    told = await ask_llmock(transport, name, script, read=0.4)

    assert told.fault is not None
    assert told.fault.error_class is error_class
    assert told.stopped is None
    assert COUNTING.startswith(plain_text(told.parts))
    assert plain_text(told.parts)


async def test_llmock_models(transport: Transport, script: LLMockServer) -> None:
    profiles = await ModelLists(transport).load(a_provider("openai", script.base_url("openai")))

    assert profiles
    assert all(profile.model.startswith("openai:") for profile in profiles)
    assert abilities_of("gpt-4o").thinking is ThinkingStyle.NONE
