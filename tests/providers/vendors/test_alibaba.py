"""Alibaba Cloud Model Studio over real connections, through the official OpenAI SDK: requests, streams and errors."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import orjson
import pytest

from app.domain.cache.prefix import SYSTEM
from app.domain.cache.rules import FIVE_MINUTES
from app.domain.cache.warmth import Breakpoint
from app.domain.conversation.conversation import Effort, Parameters
from app.domain.conversation.parts import Text, Thinking, ToolCall, ToolResult
from app.domain.costs.prices import price_usage
from app.domain.errors import RETRYABLE, ErrorClass
from app.domain.models.model_profile import ModelProfile, ThinkingStyle
from app.domain.request.request import Request, RequestMessage, ToolDefinition
from app.domain.tokens.families import family_of
from app.domain.usage import Usage
from app.providers.base import CallTarget, Credentials, ListedModel, Provider, encode
from app.providers.counts.vocabularies import vocabulary_of
from app.providers.models.profiles import build_profile
from app.providers.models.tariffs import read_tariff
from app.providers.registry import PROVIDERS, make_provider
from app.providers.wire.errors import describe_error
from app.providers.wire.transport import Transport
from tests.dialects.corpus import read_dialect, write_stream
from tests.providers.peer import Answer, a_peer
from tests.providers.playing import a_profile, a_provider, a_request, ask

MODEL = "alibaba:qwen3-max"
ALIBABA = read_dialect("alibaba")
MARK = {"cache_control": {"type": "ephemeral"}}
NOW = datetime(2026, 11, 30, tzinfo=UTC)
JSON = (("Content-Type", "application/json"),)
BEIJING = "https://dashscope.aliyuncs.com/compatible-mode/v1"


@pytest.fixture
async def transport() -> AsyncGenerator[Transport, None]:
    transport = Transport()
    yield transport
    await transport.close()


def a_row_at(base_url: str | None = None) -> Provider:
    return make_provider(PROVIDERS["alibaba"], Credentials("sk-test-1234567890", base_url))


def body_of(request: Request, *places: int) -> dict[str, Any]:
    marks = tuple(Breakpoint(place, FIVE_MINUTES) for place in places)
    return orjson.loads(encode(a_provider("alibaba"), request, a_profile(MODEL), {}, marks).body)


# --- requests ---


async def test_a_request_arrives_at_the_compatible_endpoint_with_the_key(transport: Transport) -> None:
    async with a_peer(Answer(write_stream(ALIBABA.cases["plain"].events))) as peer:
        provider = a_row_at(f"{peer.url}/compatible-mode/v1")
        parameters = Parameters(thinking=True, effort=Effort.LOW, seed=7)
        told = await ask(transport, provider, a_request(model=MODEL, parameters=parameters))

    (heard,) = peer.heard
    assert told.fault is None
    assert heard.path == "/compatible-mode/v1/chat/completions"
    assert heard.headers["authorization"] == "Bearer sk-test-1234567890"
    body = orjson.loads(heard.body)
    assert (body["model"], body["enable_thinking"], body["thinking_budget"], body["seed"]) == (
        "qwen3-max",
        True,
        2048,
        7,
    )
    assert body["stream_options"] == {"include_usage": True}


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        (Parameters(), {}),
        (Parameters(thinking=False), {"enable_thinking": False}),
        (Parameters(thinking=False, effort=Effort.HIGH), {"enable_thinking": False}),
        (Parameters(thinking=True), {"enable_thinking": True}),
        (Parameters(effort=Effort.HIGH), {"thinking_budget": 24_576}),
        (Parameters(thinking=True, effort=Effort.MEDIUM), {"enable_thinking": True, "thinking_budget": 8_192}),
    ],
)
def test_thinking_is_switched_at_the_top_level(parameters: Parameters, expected: dict[str, object]) -> None:
    body = body_of(a_request(model=MODEL, parameters=parameters))

    assert {name: value for name, value in body.items() if "think" in name or "effort" in name} == expected


def test_breakpoints_are_at_the_last_content_part_of_every_kind_of_message() -> None:
    messages = (
        RequestMessage("user", (Text("What time is it?"),)),
        RequestMessage(
            "assistant", (Thinking("hm", None, "alibaba"), Text("Let me look."), ToolCall("t1", "clock", "{}"))
        ),
        RequestMessage("tool", (ToolResult("t1", (Text("noon"),)),)),
        RequestMessage("assistant", (Text("Noon."),)),
        RequestMessage("user", (Text("Thanks"), Text("Bye"))),
    )
    tools = (ToolDefinition("clock", "Tell the time.", '{"type":"object"}'),)

    body = body_of(Request(MODEL, "Be brief.", messages, tools=tools), SYSTEM, 0, 1, 2, 4)

    contents = [message["content"] for message in body["messages"]]
    assert contents == [
        [{"type": "text", "text": "Be brief."} | MARK],
        [{"type": "text", "text": "What time is it?"} | MARK],
        [{"type": "text", "text": "Let me look."} | MARK],
        [{"type": "text", "text": "noon"} | MARK],
        "Noon.",
        [{"type": "text", "text": "Thanks"}, {"type": "text", "text": "Bye"} | MARK],
    ]
    assert "cache_control" not in orjson.dumps([body["tools"], body["messages"][2]["tool_calls"]]).decode()


def test_without_breakpoints_texts_stay_texts_and_other_vendors_get_none() -> None:
    request = a_request("Hello", model=MODEL, system="Be brief.")

    assert [message["content"] for message in body_of(request)["messages"]] == ["Be brief.", "Hello"]
    other = Request("groq:test", "Be brief.", request.messages)
    marked = encode(a_provider("groq"), other, a_profile("groq:test"), {}, (Breakpoint(0, FIVE_MINUTES),))
    assert b"cache_control" not in marked.body


# --- streams ---


@pytest.mark.parametrize("case", ALIBABA.cases)
async def test_every_stream_of_the_dialect_is_read_over_a_connection(transport: Transport, case: str) -> None:
    stream = ALIBABA.cases[case]

    async with a_peer(Answer(write_stream(stream.events))) as peer:
        told = await ask(transport, a_row_at(f"{peer.url}/compatible-mode/v1"), a_request(model=MODEL))

    stream.expected.check(told)


# --- errors ---


@pytest.mark.parametrize(
    ("status", "error", "error_class", "says"),
    [
        (400, {"code": "Arrearage", "message": "Denied.", "type": "Arrearage"}, ErrorClass.AUTH, "no credit"),
        (400, {"code": "DataInspectionFailed", "message": "Inappropriate."}, ErrorClass.CONTENT_FILTER, "declined"),
        (400, {"code": "data_inspection_failed", "message": "Inappropriate."}, ErrorClass.CONTENT_FILTER, "declined"),
        (400, {"code": "InvalidParameter", "message": "Range of input length should be [1, 258048]"},
         ErrorClass.CONTEXT_LENGTH, "too many tokens"),
        (401, {"code": "InvalidApiKey", "message": "Invalid API-key provided."}, ErrorClass.AUTH, "refused the key"),
        (403, {"code": "AllocationQuota.FreeTierOnly", "message": "Free."}, ErrorClass.AUTH, "no credit left"),
        (404, {"code": "ModelNotFound", "message": "Gone."}, ErrorClass.MODEL, "refused the request"),
        (429, {"code": "Throttling", "message": "Slow down."}, ErrorClass.RATE, "rate limit"),
        (429, {"code": "Throttling.RateQuota", "message": "Slow down."}, ErrorClass.RATE, "rate limit"),
        (429, {"code": "Throttling.AllocationQuota", "message": "Slow down."}, ErrorClass.RATE, "rate limit"),
        (429, {"code": "insufficient_quota", "type": "insufficient_quota", "message": "Allocated quota exceeded"},
         ErrorClass.RATE, "rate limit"),
        (500, {"code": "InternalError.Algo", "message": "An internal error."}, ErrorClass.SERVER, "failed"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("wrapped", [True, False])
async def test_error_codes_have_their_meaning(
    transport: Transport, status: int, error: dict[str, str], error_class: ErrorClass, says: str, *, wrapped: bool
) -> None:
    answer = orjson.dumps({"error": error, "request_id": "r"} if wrapped else error | {"request_id": "r"})
    async with a_peer(Answer((answer,), status, JSON)) as peer:
        told = await ask(transport, a_row_at(f"{peer.url}/compatible-mode/v1"), a_request(model=MODEL))

    assert told.fault is not None
    assert (told.fault.error_class, says in told.fault.message) == (error_class, True), told.fault
    assert (error_class is ErrorClass.RATE) == (error_class in RETRYABLE and status == 429)


@pytest.mark.parametrize(
    ("code", "error_class"),
    [
        ("Throttling", ErrorClass.RATE),
        ("Throttling.RateQuota", ErrorClass.RATE),
        ("Throttling.BurstRate", ErrorClass.RATE),
        ("limit_requests", ErrorClass.RATE),
        ("Arrearage", ErrorClass.AUTH),
        ("DataInspectionFailed", ErrorClass.CONTENT_FILTER),
        ("InternalError.Timeout", ErrorClass.SERVER),
    ],
)
def test_a_code_in_a_stream_has_its_meaning_without_a_status(code: str, error_class: ErrorClass) -> None:
    reason = describe_error(CallTarget(PROVIDERS["alibaba"], MODEL), {"code": code, "message": "No."})

    assert reason.error_class is error_class


def test_the_same_code_of_another_vendor_keeps_its_meaning() -> None:
    reason = describe_error(CallTarget(PROVIDERS["openai"], "openai:gpt-5"), {"code": "insufficient_quota"}, 429)

    assert reason.error_class is ErrorClass.AUTH


# --- models ---


def profile_of(name: str, base_url: str | None = None) -> ModelProfile:
    return build_profile(a_row_at(base_url), ListedModel(name), NOW)


def test_a_known_model_has_its_window_prices_and_abilities() -> None:
    profile = profile_of("qwen3-vl-plus")

    assert (profile.context_window, profile.max_output_tokens) == (262_144, 32_768)
    assert (profile.known, profile.images, profile.tools, profile.thinking) == (True, True, True, ThinkingStyle.BUDGET)
    assert profile.prices is not None
    assert (profile.prices.input, profile.prices.output) == (Decimal("0.2"), Decimal("1.6"))
    assert [step for step, _ in profile.input_steps] == [32_000, 128_000]
    assert profile_of("qwen3-coder-plus").thinking is ThinkingStyle.NONE


def test_creation_costs_a_quarter_more_and_a_hit_a_tenth() -> None:
    tariff = read_tariff("alibaba", "qwen3-max")
    million = 1_000_000

    assert price_usage(Usage(cache_write_tokens=10_000), tariff, NOW) == Decimal("1.2") * 10_000 / million * Decimal(
        "1.25"
    )
    assert price_usage(Usage(cache_read_tokens=10_000), tariff, NOW) == Decimal("0.12") * 10_000 / million
    assert price_usage(Usage(input_tokens=40_000), tariff, NOW) == Decimal("2.4") * 40_000 / million


@pytest.mark.parametrize("name", ["qwen-plus", "qwen-turbo", "qwen3.7-max", "qwen3.7-plus"])
def test_prices_that_no_source_settles_are_unknown(name: str) -> None:
    profile = profile_of(name)

    assert profile.prices is None
    assert profile.context_window > 100_000


def test_a_snapshot_is_unknown() -> None:
    profile = profile_of("qwen3-max-2026-01-23")

    assert (profile.known, profile.prices) == (False, None)


@pytest.mark.parametrize(
    ("base_url", "priced", "own"),
    [
        (None, True, False),
        ("https://w1.ap-southeast-1.maas.aliyuncs.com/compatible-mode/v1", True, True),
        ("http://127.0.0.1:9/v1", True, True),
        (BEIJING, False, False),
        ("https://dashscope-us.aliyuncs.com/compatible-mode/v1", False, False),
        ("https://w1.cn-beijing.maas.aliyuncs.com/compatible-mode/v1", False, True),
        ("https://w1.eu-central-1.maas.aliyuncs.com/compatible-mode/v1", False, True),
    ],
)
def test_the_prices_of_singapore_are_not_those_of_other_regions(
    base_url: str | None, *, priced: bool, own: bool
) -> None:
    profile = profile_of("qwen3-max", base_url)

    assert (profile.prices is not None) == priced
    assert profile.context_window == 262_144
    assert a_row_at(base_url).own_address == own


def test_tokens_are_estimated_with_the_usual_vocabulary_and_the_ratio_of_the_family() -> None:
    assert vocabulary_of(MODEL) == vocabulary_of("openai:gpt-5")
    assert family_of(MODEL) == family_of("openrouter:qwen/qwen3-max")
    assert family_of(MODEL).permille > 1_000
