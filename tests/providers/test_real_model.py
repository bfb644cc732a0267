"""A real model answers through both dialects that llama.cpp serves, streams, counts, stops and overflows."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Generator
from dataclasses import replace

import pytest

from app.domain.conversation.conversation import Parameters
from app.domain.conversation.parts import plain_text
from app.domain.errors import ErrorClass
from app.domain.stream.stream_events import Stopped, StopReason, TextReceived
from app.providers.base import Provider, encode
from app.providers.models.detection import detect_local_servers
from app.providers.models.models import ModelLists
from app.providers.registry import PROVIDERS
from app.providers.wire.transport import Transport
from tests.providers.playing import a_profile, a_provider, a_request, ask
from tests.real_model import MODEL, real_model

pytestmark = [pytest.mark.real_model, pytest.mark.slow]

# A small model on a busy machine may need time for the first token.
PATIENCE = 60.0


@pytest.fixture(scope="module")
def server() -> Generator[str, None, None]:
    with real_model() as base_url:
        yield base_url


@pytest.fixture
async def transport() -> AsyncGenerator[Transport, None]:
    transport = Transport()
    yield transport
    await transport.close()


@pytest.fixture(params=["llamacpp", "anthropic"])
def provider(request: pytest.FixtureRequest, server: str) -> Provider:
    """The same server through OpenAI's dialect and through Anthropic's."""
    return a_provider(request.param, server, key="none" if request.param == "anthropic" else None)


async def test_a_reply_streams_is_counted_and_stops_at_its_limit(transport: Transport, provider: Provider) -> None:
    parameters = Parameters(max_output_tokens=24, temperature=0.0)
    request = a_request("Write a long story about the sea.", model=f"{provider.name}:{MODEL}")

    told = await ask(transport, provider, replace(request, parameters=parameters), read=PATIENCE)

    assert told.fault is None
    assert plain_text(told.parts).strip()
    assert told.stopped == Stopped(StopReason.MAX_TOKENS)
    assert told.usage is not None
    assert told.usage.output_tokens == 24
    assert told.usage.prompt_tokens > 10


async def test_a_reply_comes_in_pieces(transport: Transport, provider: Provider) -> None:
    parameters = Parameters(max_output_tokens=24, temperature=0.0)
    request = a_request("Tell me about the sea.", model=f"{provider.name}:{MODEL}", parameters=parameters)
    wire = encode(provider, request, a_profile(), {})

    batches = [batch async for batch in transport.stream(provider, wire)]

    assert sum(any(isinstance(event, TextReceived) for event in batch) for batch in batches) > 5


async def test_the_same_conversation_gives_the_same_words_in_both_dialects(transport: Transport, server: str) -> None:
    words = [
        plain_text(
            (
                await ask(
                    transport,
                    a_provider(name, server, key="none"),
                    a_request(
                        *("What is the capital of France?", "Paris.", "And of Italy?"),
                        model=f"{name}:{MODEL}",
                        system="Answer briefly.",
                        parameters=Parameters(max_output_tokens=16, temperature=0.0),
                    ),
                    read=PATIENCE,
                )
            ).parts
        )
        for name in ("llamacpp", "anthropic")
    ]

    assert words[0] == words[1]
    assert words[0].strip()


async def test_a_conversation_larger_than_the_window_overflows_with_its_class(
    transport: Transport, provider: Provider
) -> None:
    request = a_request("word " * 12_000, model=f"{provider.name}:{MODEL}")

    told = await ask(transport, provider, request, read=PATIENCE)

    assert told.fault is not None
    assert told.fault.error_class is ErrorClass.CONTEXT_LENGTH


async def test_a_stopped_reply_frees_the_model_for_the_next(transport: Transport, provider: Provider) -> None:
    endless = a_request("Write a very long story.", model=f"{provider.name}:{MODEL}")
    wire = encode(provider, replace(endless, parameters=Parameters(max_output_tokens=4_000)), a_profile(), {})
    batches = transport.stream(provider, wire)
    await anext(batches)
    await batches.aclose()

    brief = replace(a_request("Say yes.", model=f"{provider.name}:{MODEL}"), parameters=Parameters(max_output_tokens=4))
    async with asyncio.timeout(15):
        told = await ask(transport, provider, brief, read=PATIENCE)

    assert told.fault is None


async def test_the_model_is_listed_with_its_window(transport: Transport, server: str) -> None:
    (profile,) = await ModelLists(transport).load(a_provider("llamacpp", server, key=None))

    assert profile.model == f"llamacpp:{MODEL}"
    assert profile.context_window == 4_096  # 8,192 shared by two conversations at a time
    assert profile.local
    assert profile.prices is None


async def test_the_server_is_detected(server: str) -> None:
    row = replace(PROVIDERS["llamacpp"], local_port=int(server.rpartition(":")[2]))

    (found,) = await detect_local_servers([row])

    assert found.base_url == f"{server}/v1"
