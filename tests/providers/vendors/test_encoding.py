"""Requests in each protocol; encoding is fast, stable and reports what it cannot send."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.conversation.conversation import Effort, Parameters
from app.domain.conversation.parts import File, Image, SentPart, Text, Thinking, ToolCall, ToolResult
from app.domain.errors import InputError
from app.domain.models.model_profile import ModelProfile, ThinkingStyle
from app.domain.request.request import Request, RequestMessage, ToolDefinition, WireRole
from app.providers.base import encode
from app.providers.vendors.anthropic import API_VERSION
from tests.providers.playing import a_profile, a_provider, a_request
from tests.work import counting

CLOCK = ToolDefinition("clock", "Tells the time.", '{"type":"object","properties":{"zone":{"type":"string"}}}')
PNG = b"\x89PNG"
PNG_BASE64 = "iVBORw=="
IMAGE = Image("image-1", "image/png", 8, 8)
PDF = File("file-1", "application/pdf", "a.pdf")
ATTACHMENTS = {"image-1": PNG, "file-1": b"%PDF", "text-1": "Grüße".encode()}


def said(role: WireRole, *parts: SentPart) -> RequestMessage:
    return RequestMessage(role, parts)


def a_profile_of(style: ThinkingStyle = ThinkingStyle.NONE, **known: Any) -> ModelProfile:
    return replace(a_profile(), thinking=style, **known)


def body_of(provider: str, request: Request, profile: ModelProfile | None = None) -> dict[str, Any]:
    request = replace(request, model=f"{provider}:test")
    return orjson.loads(encode(a_provider(provider), request, profile or a_profile(), ATTACHMENTS).body)


def with_parameters(**parameters: Any) -> Request:
    return a_request(parameters=Parameters(**parameters))


# --- Messages ---


def test_messages_body_has_what_stays_first_and_the_messages_last() -> None:
    request = a_request("Hi", "Hello", "And?", system="Be brief.", tools=(CLOCK,))

    body = body_of("anthropic", request)

    assert list(body) == ["model", "max_tokens", "stream", "tools", "system", "messages"]
    assert body["model"] == "test"
    assert body["stream"] is True
    assert body["system"] == "Be brief."
    assert body["messages"] == [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": "Hello"},
        {"role": "user", "content": "And?"},
    ]
    assert body["tools"][0]["input_schema"]["properties"] == {"zone": {"type": "string"}}


def test_messages_carry_thinking_calls_results_and_attachments() -> None:
    request = replace(
        a_request(),
        messages=(
            said("user", Text("Look"), IMAGE, PDF, File("text-1", "text/markdown", "a.md")),
            said(
                "assistant", Thinking("hm", "sig", "anthropic"), Text("Ok"), ToolCall("t1", "clock", '{"a": 1}', True)
            ),
            said("tool", ToolResult("t1", (Text("12:00"), IMAGE)), ToolResult("t2", (Text("no"),), is_error=True)),
            said("assistant", Thinking("", "opaque", "anthropic", redacted=True), Text("Noon")),
        ),
    )

    user, reply, results, last = body_of("anthropic", request)["messages"]

    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG_BASE64}}
    assert user["content"][:2] == [{"type": "text", "text": "Look"}, image]
    assert user["content"][2]["source"]["media_type"] == "application/pdf"
    assert user["content"][3]["source"] == {"type": "text", "media_type": "text/plain", "data": "Grüße"}
    assert reply == {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "hm", "signature": "sig"},
            {"type": "text", "text": "Ok"},
            {"type": "tool_use", "id": "t1", "name": "clock", "input": {"a": 1}},
        ],
    }
    assert results["role"] == "user"
    assert results["content"][0]["content"] == [{"type": "text", "text": "12:00"}, image]
    assert results["content"][1]["is_error"] is True
    assert last["content"][0] == {"type": "redacted_thinking", "data": "opaque"}


def test_signed_thinking_without_words_goes_back_with_its_empty_text() -> None:
    request = replace(a_request(), messages=(said("assistant", Thinking("", "sig", "anthropic"), Text("Noon")),))

    (reply,) = body_of("anthropic", request)["messages"]

    assert reply["content"][0] == {"type": "thinking", "thinking": "", "signature": "sig"}


@pytest.mark.parametrize(
    ("style", "parameters", "expected"),
    [
        (ThinkingStyle.ADAPTIVE, Parameters(), {}),
        (ThinkingStyle.ADAPTIVE, Parameters(thinking=True),
         {"thinking": {"type": "adaptive", "display": "summarized"}}),
        (ThinkingStyle.ADAPTIVE, Parameters(thinking=False), {"thinking": {"type": "disabled"}}),
        (ThinkingStyle.ADAPTIVE, Parameters(effort=Effort.HIGH), {"output_config": {"effort": "high"}}),
        (ThinkingStyle.BUDGET, Parameters(thinking=True), {"thinking": {"type": "enabled", "budget_tokens": 8192}}),
        (ThinkingStyle.BUDGET, Parameters(thinking=True, effort=Effort.HIGH),
         {"thinking": {"type": "enabled", "budget_tokens": 24576}}),
        (ThinkingStyle.BUDGET, Parameters(thinking=True, max_output_tokens=4000),
         {"thinking": {"type": "enabled", "budget_tokens": 2000}}),
    ],
)  # fmt: skip
def test_messages_ask_for_thinking_as_the_model_takes_it(
    style: ThinkingStyle, parameters: Parameters, expected: dict[str, object]
) -> None:
    body = body_of("anthropic", a_request(parameters=parameters), a_profile_of(style, max_output_tokens=64_000))

    assert {key: body[key] for key in ("thinking", "output_config") if key in body} == expected


def test_messages_budget_is_smaller_than_the_limit_of_the_reply() -> None:
    for limit in (2_048, 4_096, 64_000):
        body = body_of(
            "anthropic", with_parameters(thinking=True, max_output_tokens=limit), a_profile_of(ThinkingStyle.BUDGET)
        )
        assert 1_024 <= body["thinking"]["budget_tokens"] < body["max_tokens"]


@pytest.mark.parametrize(("asked", "known", "sent"), [(100, 64_000, 100), (None, 64_000, 64_000), (None, None, 4_096)])
def test_messages_always_have_a_limit(asked: int | None, known: int | None, sent: int) -> None:
    body = body_of("anthropic", with_parameters(max_output_tokens=asked), a_profile_of(max_output_tokens=known))

    assert body["max_tokens"] == sent


def test_messages_ask_for_the_version_that_knows_the_parameters() -> None:
    def version(**parameters: Any) -> str:
        request = replace(with_parameters(**parameters), model="anthropic:test")
        return dict(encode(a_provider("anthropic"), request, a_profile(), {}).headers)["anthropic-version"]

    assert version() == "2026-10-21"
    assert version(temperature=0.5) == "2023-06-01"
    assert version(top_p=0.5) == "2023-06-01"


def test_the_current_version_is_the_one_the_sdk_is_made_for() -> None:
    assert import_module("anthropic._constants").ANTHROPIC_API_VERSION == API_VERSION


# --- Responses ---


def test_responses_body_has_what_stays_first_and_the_input_last() -> None:
    request = a_request("Hi", "Hello", "And?", system="Be brief.", tools=(CLOCK,))

    body = body_of("openai", request)

    assert list(body) == ["model", "stream", "store", "tools", "instructions", "input"]
    assert body["store"] is False
    assert body["instructions"] == "Be brief."
    assert body["input"] == [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": "Hello"},
        {"role": "user", "content": "And?"},
    ]
    assert body["tools"][0]["strict"] is False


def test_responses_carry_reasoning_calls_results_and_attachments() -> None:
    request = replace(
        a_request(),
        messages=(
            said("user", Text("Look"), IMAGE, PDF),
            said("assistant", Thinking("hm", "rs_1:secret", "openai"), Text("Ok"), ToolCall("c1", "clock", "", True)),
            said("tool", ToolResult("c1", (Text("12:00"),)), ToolResult("c2", (Text("a"), IMAGE))),
        ),
    )

    user, thinking, text, call, result, pictured = body_of("openai", request)["input"]

    assert user["content"] == [
        {"type": "input_text", "text": "Look"},
        {"type": "input_image", "detail": "auto", "image_url": f"data:image/png;base64,{PNG_BASE64}"},
        {"type": "input_file", "filename": "a.pdf", "file_data": "data:application/pdf;base64,JVBERg=="},
    ]
    assert thinking == {
        "type": "reasoning",
        "id": "rs_1",
        "summary": [{"type": "summary_text", "text": "hm"}],
        "encrypted_content": "secret",
    }
    assert text == {"role": "assistant", "content": "Ok"}
    assert call == {"type": "function_call", "call_id": "c1", "name": "clock", "arguments": "{}"}
    assert result == {"type": "function_call_output", "call_id": "c1", "output": "12:00"}
    assert pictured["output"][1]["type"] == "input_image"


@pytest.mark.parametrize(
    ("parameters", "reasoning"),
    [
        (Parameters(), None),
        (Parameters(effort=Effort.LOW), {"effort": "low"}),
        (Parameters(thinking=True), {"summary": "auto"}),
        (Parameters(thinking=True, effort=Effort.HIGH), {"effort": "high", "summary": "auto"}),
        (Parameters(thinking=False), {"effort": "none"}),
    ],
)
def test_responses_ask_for_reasoning(parameters: Parameters, reasoning: dict[str, object] | None) -> None:
    body = body_of("openai", a_request(parameters=parameters), a_profile_of(ThinkingStyle.EFFORT))

    assert body.get("reasoning") == reasoning
    assert body["include"] == ["reasoning.encrypted_content"]


def test_responses_ask_a_model_that_does_not_reason_for_nothing_of_the_kind() -> None:
    assert "include" not in body_of("openai", a_request())


# --- Chat Completions ---


def test_chat_body_has_what_stays_first_and_the_messages_last() -> None:
    request = a_request("Hi", "Hello", "And?", system="Be brief.", tools=(CLOCK,))

    body = body_of("llamacpp", request)

    assert list(body) == ["model", "stream", "stream_options", "tools", "messages"]
    assert body["messages"] == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": "Hello"},
        {"role": "user", "content": "And?"},
    ]
    assert body["tools"][0]["function"]["parameters"]["properties"] == {"zone": {"type": "string"}}


def test_chat_carries_calls_results_and_attachments() -> None:
    request = replace(
        a_request(),
        messages=(
            said("user", Text("Look"), IMAGE, PDF),
            said("assistant", ToolCall("c1", "clock", '{"a":1}', True), ToolCall("c2", "clock", "", True)),
            said("tool", ToolResult("c1", (Text("12:"), Text("00"))), ToolResult("c2", (Text("no"),), is_error=True)),
        ),
    )

    user, reply, first, second = body_of("groq", request)["messages"]

    assert user["content"][1] == {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG_BASE64}"}}
    assert user["content"][2]["file"]["filename"] == "a.pdf"
    assert reply["content"] is None
    assert [call["function"]["arguments"] for call in reply["tool_calls"]] == ['{"a":1}', "{}"]
    assert first == {"role": "tool", "tool_call_id": "c1", "content": "12:00"}
    assert second["tool_call_id"] == "c2"


@pytest.mark.parametrize(
    ("provider", "parameters", "expected"),
    [
        ("llamacpp", Parameters(max_output_tokens=9), {"max_tokens": 9}),
        ("groq", Parameters(max_output_tokens=9), {"max_completion_tokens": 9}),
        ("llamacpp", Parameters(seed=1, temperature=0.0, top_p=0.5), {"temperature": 0.0, "top_p": 0.5, "seed": 1}),
        ("mistral", Parameters(seed=1), {"random_seed": 1}),
        ("groq", Parameters(effort=Effort.LOW), {"reasoning_effort": "low"}),
        ("openrouter", Parameters(effort=Effort.LOW), {"reasoning": {"effort": "low"}}),
        ("openrouter", Parameters(thinking=True), {"reasoning": {"enabled": True}}),
        ("openrouter", Parameters(thinking=False, effort=Effort.LOW), {"reasoning": {"enabled": False}}),
        ("deepseek", Parameters(thinking=False), {"thinking": {"type": "disabled"}}),
        ("llamacpp", Parameters(thinking=False), {"chat_template_kwargs": {"enable_thinking": False}}),
        ("groq", Parameters(), {}),
    ],
)
def test_chat_parameters_are_spelled_as_the_row_says(
    provider: str, parameters: Parameters, expected: dict[str, object]
) -> None:
    body = body_of(provider, a_request(parameters=parameters))

    plain = {"model", "stream", "stream_options", "messages"}
    assert {key: value for key, value in body.items() if key not in plain} == expected


def test_usage_is_asked_for_unless_the_row_says_it_comes_unasked() -> None:
    assert body_of("groq", a_request())["stream_options"] == {"include_usage": True}
    assert "stream_options" not in body_of("mistral", a_request())


def test_reasoning_is_sent_back_only_to_vendors_that_require_it() -> None:
    thought = replace(a_request(), messages=(said("assistant", Thinking("hm", "", "x"), Text("Yes")),))

    assert body_of("deepseek", thought)["messages"][0]["reasoning_content"] == "hm"
    assert "reasoning_content" not in body_of("groq", thought)["messages"][0]


# --- every protocol ---

NETWORKED = ["anthropic", "openai", "groq"]
PROVIDERS = [*NETWORKED, "offline"]


@pytest.mark.parametrize("provider", PROVIDERS)
def test_equal_requests_give_equal_bytes(provider: str) -> None:
    request = replace(a_request("Hi", "Hello", "And?", system="s", tools=(CLOCK,)), model=f"{provider}:test")

    first, second = (encode(a_provider(provider), request, a_profile(), {}) for _ in range(2))

    assert first == second


@pytest.mark.parametrize("provider", NETWORKED)
def test_a_longer_conversation_begins_with_the_same_bytes(provider: str) -> None:
    model = f"{provider}:test"
    short = encode(a_provider(provider), a_request("Hi", "Hello", model=model, system="s"), a_profile(), {}).body
    longer = encode(
        a_provider(provider), a_request("Hi", "Hello", "And?", model=model, system="s"), a_profile(), {}
    ).body

    assert longer.startswith(short[: short.rindex(b"]")])


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)


@pytest.mark.parametrize("provider", PROVIDERS)
@given(words=st.lists(TEXTS, min_size=1, max_size=5), system=TEXTS)
def test_every_word_arrives_unchanged(provider: str, words: list[str], system: str) -> None:
    body = body_of(provider, a_request(*words, system=system))

    def texts(value: object) -> list[str]:
        match value:
            case str():
                return [value]
            case list():
                return [text for inner in value for text in texts(inner)]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType] - any JSON
            case dict():
                return [text for inner in value.values() for text in texts(inner)]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType] - any JSON
            case _:
                return []

    assert {*words, system} <= set(texts(body))


@pytest.mark.parametrize("provider", PROVIDERS)
def test_half_a_character_is_refused_with_a_sentence(provider: str) -> None:
    with pytest.raises(InputError, match="cannot be sent as it is"):
        body_of(provider, a_request("half a smile: \ud83d"))


@pytest.mark.parametrize("provider", NETWORKED)
def test_an_attachment_that_is_gone_is_named(provider: str) -> None:
    request = replace(a_request(), messages=(said("user", Image("gone" * 16, "image/png")),))

    with pytest.raises(InputError, match="gonegonegone… is missing"):
        body_of(provider, request)


@pytest.mark.parametrize("provider", ["anthropic", "openai", "deepseek"])
def test_a_seed_that_no_provider_accepts_is_refused(provider: str) -> None:
    with pytest.raises(InputError, match="does not support a seed"):
        body_of(provider, with_parameters(seed=1))


def test_a_temperature_is_refused_for_a_model_that_takes_none() -> None:
    with pytest.raises(InputError, match="neither temperature nor top_p"):
        body_of("anthropic", with_parameters(temperature=1.0), a_profile_of(sampling=False))


@pytest.mark.parametrize("broken", ["{", "[1]", '"x"', "null"])
def test_an_input_that_is_no_object_goes_back_within_one(broken: str) -> None:
    request = replace(a_request(), messages=(said("assistant", ToolCall("t1", "clock", broken, True)),))

    block = body_of("anthropic", request)["messages"][0]["content"][0]
    call = body_of("deepseek", request)["messages"][-1]["tool_calls"][0]

    assert block["input"] == {"INVALID_JSON": broken}
    assert orjson.loads(call["function"]["arguments"]) == {"INVALID_JSON": broken}


def test_chat_shows_the_pictures_of_a_result_after_all_results_of_the_round() -> None:
    results = (ToolResult("t1", (IMAGE, Text("One"))), ToolResult("t2", (Text("Two"),)))
    request = replace(a_request(), messages=(said("tool", *results),))

    first, second, shown = body_of("groq", request)["messages"]

    assert (first["role"], first["content"], second["content"]) == ("tool", "One", "Two")
    assert shown["role"] == "user"
    assert [part["type"] for part in shown["content"]] == ["text", "image_url"]
    assert "t1" in shown["content"][0]["text"]


def test_a_request_for_another_provider_is_a_fault_of_ours() -> None:
    with pytest.raises(ValueError, match="was passed to provider"):
        encode(a_provider("groq"), a_request(model="openai:test"), a_profile(), {})


@pytest.mark.parametrize("provider", NETWORKED)
def test_a_long_conversation_is_encoded_with_few_calls_for_a_message(provider: str) -> None:
    """An SDK that checks and copies a message makes a hundred calls for it."""
    request = a_request(*["word " * 300] * 2_000, model=f"{provider}:test")
    wire = encode(a_provider(provider), request, a_profile(), {})

    with counting() as calls:
        encode(a_provider(provider), request, a_profile(), {})

    assert len(wire.body) > 3_000_000
    assert calls.made < 5 * 2_000


SCHEMA = '{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}'


@pytest.mark.parametrize(
    ("provider", "place", "strict"),
    [
        ("anthropic", ("output_config", "format"), None),
        ("openai", ("text", "format"), True),
        ("groq", ("response_format", "json_schema"), True),
    ],
)
def test_a_schema_is_in_the_field_that_each_protocol_requires(
    provider: str, place: tuple[str, str], strict: bool | None
) -> None:
    profile = a_profile_of(structured=True)

    wanted = body_of(provider, with_parameters(reply_schema=SCHEMA), profile)[place[0]][place[1]]

    assert wanted["schema"] == orjson.loads(SCHEMA)
    assert wanted.get("strict") is strict


def test_an_effort_and_a_schema_share_what_the_messages_protocol_calls_output_config() -> None:
    profile = a_profile_of(ThinkingStyle.ADAPTIVE, structured=True)

    body = body_of("anthropic", with_parameters(reply_schema=SCHEMA, effort=Effort.LOW), profile)

    assert body["output_config"]["effort"] == "low"
    assert body["output_config"]["format"]["type"] == "json_schema"


@pytest.mark.parametrize("provider", NETWORKED)
def test_a_model_that_takes_no_schema_is_refused(provider: str) -> None:
    with pytest.raises(InputError, match="Choose a model that supports it"):
        body_of(provider, with_parameters(reply_schema=SCHEMA))
