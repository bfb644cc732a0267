"""The promise on the network: whatever is in view, the peer receives the previewed request, byte for byte."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.domain.context.context import View, build_request
from app.domain.conversation.conversation import Parameters
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.conversation.parts import Image, Part, Text, Thinking, ToolCall, ToolResult
from app.domain.models.model_profile import ModelProfile
from app.domain.request.request import ToolDefinition
from app.providers.base import encode
from app.providers.wire.transport import Transport
from tests.builders import a_pair
from tests.effort import examples
from tests.providers.peer import Answer, Peer, a_peer
from tests.providers.playing import a_provider, read_recording

NAMES = ["anthropic", "openai", "groq", "deepseek"]
TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60)
IMAGE = Image("i" * 64, "image/png", 2, 2)
ATTACHMENTS = {IMAGE.attachment_id: b"\x89PNG\r\n"}


@st.composite
def replies(draw: st.DrawFn, vendor: str) -> tuple[Part, ...]:
    parts: list[Part] = []
    if draw(st.booleans()):
        parts.append(Thinking(draw(TEXT), f"id:{draw(st.integers())}", vendor))
    parts.append(Text(draw(TEXT)))
    for number in range(draw(st.integers(0, 2))):
        parts.append(ToolCall(f"call_{number}", "clock", '{"zone": "UTC"}', complete=True))
        parts.append(ToolResult(f"call_{number}", (Text(draw(TEXT)),), is_error=draw(st.booleans())))
    return tuple(parts)


def has_thinking_switch(vendor: str) -> bool:
    row = a_provider(vendor).row
    return row.protocol != "openai_compatible" or row.dialect.thinking_switch is not None


@st.composite
def views(draw: st.DrawFn, vendor: str) -> View:
    requests = st.tuples(TEXT.map(Text), st.just(IMAGE)) | st.tuples(TEXT.map(Text))
    lifecycles = st.sampled_from([Lifecycle.SUCCEEDED, Lifecycle.CANCELED, Lifecycle.ERROR])
    pairs = tuple(
        a_pair(draw(requests), draw(replies(vendor)), position=position, lifecycle=draw(lifecycles))
        for position in range(1, draw(st.integers(0, 4)) + 1)
    )
    parameters = Parameters(
        temperature=draw(st.none() | st.floats(0, 1)),
        max_output_tokens=draw(st.none() | st.integers(1, 9_999)),
        thinking=draw(st.none() | st.booleans()) if has_thinking_switch(vendor) else None,
    )
    clock = ToolDefinition("clock", draw(TEXT), '{"type":"object"}')
    return View(
        pairs=pairs,
        draft=draw(requests),
        system_prompt=draw(st.just("") | TEXT),
        parameters=parameters,
        tools=(clock,) if draw(st.booleans()) else (),
    )


@pytest.fixture
async def transport() -> AsyncGenerator[Transport, None]:
    transport = Transport()
    yield transport
    await transport.close()


@pytest.fixture(params=NAMES)
async def peer(request: pytest.FixtureRequest) -> AsyncGenerator[tuple[str, Peer], None]:
    body = read_recording(a_provider(request.param).row.protocol, "text")
    async with a_peer(Answer((body,))) as peer:
        yield request.param, peer


@settings(max_examples=examples(250), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
async def test_the_peer_receives_the_preview_byte_for_byte(
    transport: Transport, peer: tuple[str, Peer], data: st.DataObject
) -> None:
    name, listener = peer
    profile = replace(ModelProfile(f"{name}:test", "Test"), images=True, tools=True)
    provider = a_provider(name, listener.url)
    request = replace(build_request(data.draw(views(name)), profile).request, model=f"{name}:test")

    preview = encode(provider, request, profile, ATTACHMENTS)
    async for _ in transport.stream(provider, preview):
        pass

    assert listener.heard[-1].body == preview.body
    assert listener.url + listener.heard[-1].path == preview.url
