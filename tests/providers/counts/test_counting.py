"""Exact counts on demand: the send's own body, reduced to the fields of the count, through the official SDKs."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from typing import Any

import pytest

from app.domain.conversation.conversation import Effort, Parameters
from app.domain.errors import ErrorClass, InputError, ProviderError
from app.domain.models.model_profile import ModelProfile, ThinkingStyle
from app.domain.request.request import Request, ToolDefinition
from app.providers.base import Provider, Timeouts, WireRequest, encode
from app.providers.counts.counting import count_tokens, encode_count
from app.providers.vendors import anthropic, openai
from app.providers.wire.transport import MAX_COUNT_BYTES, Transport
from tests.providers.peer import Answer, a_peer
from tests.providers.playing import a_provider, a_request

COUNTERS = ["anthropic", "openai", "llamacpp"]
PATHS = {
    "anthropic": "/v1/messages/count_tokens",
    "openai": "/v1/responses/input_tokens",
    "llamacpp": "/v1/chat/completions/input_tokens",
}
JSON = (("Content-Type", "application/json"),)
TOOL = ToolDefinition("clock", "Tells the time.", '{"type":"object","properties":{"zone":{"type":"string"}}}')
PARAMETERS = Parameters(max_output_tokens=100, thinking=True, effort=Effort.LOW)


@pytest.fixture
async def transport() -> AsyncGenerator[Transport, None]:
    transport = Transport()
    yield transport
    await transport.close()


def a_send(provider: Provider) -> WireRequest:
    request: Request = a_request(
        "Hello", "Hi.", "Why?", model=f"{provider.name}:m", system="Be brief.", parameters=PARAMETERS, tools=(TOOL,)
    )
    return encode(provider, request, ModelProfile(request.model, "M", thinking=ThinkingStyle.ADAPTIVE), {})


@pytest.mark.parametrize("name", COUNTERS)
async def test_the_provider_is_asked_about_the_very_body_of_the_send(transport: Transport, name: str) -> None:
    async with a_peer(Answer((b'{"input_tokens": 4321}',), headers=JSON)) as peer:
        provider = a_provider(name, f"{peer.url}/v1")
        wire = a_send(provider)

        tokens = await count_tokens(transport, provider, wire)

    (heard,) = peer.heard
    sent: dict[str, Any] = json.loads(wire.body)
    asked: dict[str, Any] = json.loads(heard.body)
    assert tokens == 4_321
    assert (heard.method, heard.path) == ("POST", PATHS[name])
    assert heard.headers["accept"] == "application/json"
    assert heard.headers["authorization"] == "Bearer sk-test-1234567890"
    assert asked == {key: sent[key] for key in asked}
    assert {"model", "tools"} < asked.keys()
    assert {"stream", "max_tokens", "max_output_tokens", "store", "include", "stream_options"}.isdisjoint(asked)
    words = json.dumps(asked)
    assert all(word in words for word in ("Hello", "Hi.", "Why?", "Be brief.", "clock"))


def test_what_is_asked_is_what_the_official_sdks_would_take() -> None:
    # Only the process that runs this test needs the SDKs, which take a second to import.
    from anthropic.types import MessageCountTokensParams  # noqa: PLC0415
    from openai.types.responses import InputTokenCountParams  # noqa: PLC0415

    assert MessageCountTokensParams.__annotations__.keys() >= anthropic.COUNTED_FIELDS
    assert InputTokenCountParams.__annotations__.keys() >= openai.COUNTED_FIELDS


@pytest.mark.parametrize("name", ["groq", "google", "ollama", "openrouter", "offline"])
def test_a_provider_that_cannot_count_is_reported(name: str) -> None:
    provider = a_provider(name)

    with pytest.raises(InputError, match="has no endpoint for this") as raised:
        encode_count(provider, a_send(a_provider("openai")))

    assert raised.value.field == "model"
    assert provider.row.label in raised.value.reason


@pytest.mark.parametrize("name", COUNTERS)
@pytest.mark.parametrize("body", [b"{}", b"[]", b"no", b'{"input_tokens": "many"}', b'{"input_tokens": null}', b""])
async def test_an_answer_that_is_no_count_is_a_fault(transport: Transport, name: str, body: bytes) -> None:
    async with a_peer(Answer((body,), headers=JSON)) as peer:
        provider = a_provider(name, f"{peer.url}/v1")

        with pytest.raises(ProviderError, match="invalid response"):
            await count_tokens(transport, provider, a_send(provider))


@pytest.mark.parametrize("name", COUNTERS)
@pytest.mark.parametrize(
    ("status", "error_class"), [(401, ErrorClass.AUTH), (500, ErrorClass.SERVER), (429, ErrorClass.RATE)]
)
async def test_a_refusal_keeps_its_class(transport: Transport, name: str, status: int, error_class: ErrorClass) -> None:
    async with a_peer(Answer((b'{"error": {"message": "No."}}',), status, headers=JSON)) as peer:
        provider = a_provider(name, f"{peer.url}/v1")

        with pytest.raises(ProviderError) as raised:
            await count_tokens(transport, provider, a_send(provider))

    assert raised.value.failure.error_class is error_class


async def test_long_answer_to_a_count_is_left(transport: Transport) -> None:
    long = json.dumps({"input_tokens": 7, **{f"f{number}": 1 for number in range(MAX_COUNT_BYTES // 8)}}).encode()
    async with a_peer(Answer((long,), headers=JSON)) as peer:
        provider = a_provider("anthropic", f"{peer.url}/v1")

        with pytest.raises(ProviderError, match="more than 65,536 bytes"):
            await count_tokens(transport, provider, a_send(provider))


async def test_a_provider_that_does_not_answer_is_given_up(transport: Transport) -> None:
    async with a_peer(Answer(then="silent")) as peer:
        provider = a_provider("anthropic", f"{peer.url}/v1")

        with pytest.raises(ProviderError, match="sent nothing") as raised:
            await count_tokens(transport, provider, a_send(provider), Timeouts(read=0.3))

    assert raised.value.failure.error_class is ErrorClass.NETWORK
