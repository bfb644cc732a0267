"""The promises of every adapter, tested for each: with recorded streams, and with the offline provider itself.

A story is a case that every protocol can express; `recordings/<protocol>/<story>.sse` names the source of its shape.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.domain.conversation.conversation import Parameters
from app.domain.conversation.parts import Text, Thinking, ToolCall, plain_text
from app.domain.errors import ErrorClass
from app.domain.run.run import Failed, Succeeded
from app.domain.stream.stream_events import Stopped, StopReason, TextReceived
from app.domain.usage import Usage
from app.providers.base import CallTarget, Provider, load_adapter
from app.providers.wire.transport import PIECE_BYTES, Transport, decode
from tests.effort import examples
from tests.providers.peer import Answer, a_peer
from tests.providers.playing import (
    RECORDINGS,
    Played,
    Told,
    a_provider,
    a_request,
    ask,
    play,
    read_recording,
)

GREETING = "Hello, world. Grüße aus\nOslo 🌍"
OFFLINE_STORIES = {
    "text": f"/rate 0\n/echo {GREETING}",
    "thinking": f"/rate 0\n/think 3\n/echo {GREETING}",
    "tools": '/rate 0\n/tool clock {"zone": "UTC"}\n/tool weather {"city": "Oslo"}',
    "tool_without_input": "/rate 0\n/tool clock",
    "limit": f"/rate 0\n/echo {GREETING} and more that does not fit",
    "declined": "/rate 0 /stop refusal",
    "error": "/rate 0 /long 50\n/fail overloaded after 3",
    "truncated": "/rate 0 /long 50\n/cut after 3",
}


@dataclass(frozen=True)
class Teller:
    """One protocol and its representative provider."""

    provider: Provider

    @property
    def protocol(self) -> str:
        return self.provider.row.protocol

    async def tell(self, story: str) -> Told:
        if self.protocol != "offline":
            return await play(self.provider, [read_recording(self.protocol, story)])
        transport = Transport()
        limit = Parameters(max_output_tokens=8) if story == "limit" else None
        return await ask(transport, self.provider, a_request(OFFLINE_STORIES[story], parameters=limit))


TELLERS = [Teller(a_provider(name)) for name in ("anthropic", "openai", "groq", "offline")]
RECORDED = [teller for teller in TELLERS if teller.protocol != "offline"]


@pytest.fixture(params=TELLERS, ids=lambda teller: teller.protocol)
def teller(request: pytest.FixtureRequest) -> Teller:
    return request.param


@pytest.fixture(params=RECORDED, ids=lambda teller: teller.protocol)
def recorded(request: pytest.FixtureRequest) -> Teller:
    return request.param


# --- what a reply says ---


async def test_text_arrives_whole_and_the_reply_ends(teller: Teller) -> None:
    told = await teller.tell("text")

    assert told.parts == (Text(GREETING),)
    assert told.events[-1] == Stopped(StopReason.END)
    assert told.state.outcome == Succeeded(StopReason.END)


async def test_thinking_is_a_part_before_the_text(teller: Teller) -> None:
    told = await teller.tell("thinking")

    thinking, text = told.parts
    assert isinstance(thinking, Thinking)
    assert thinking.text == "Let me see." or teller.protocol == "offline"
    assert text == Text(GREETING)


async def test_reasoning_tokens_are_counted_separately(teller: Teller) -> None:
    told = await teller.tell("thinking")

    assert told.usage is not None
    assert told.usage.reasoning_tokens == (3 if teller.protocol == "offline" else 12)
    assert told.usage.reasoning_tokens <= told.usage.output_tokens


async def test_tool_calls_are_complete_one_after_the_other(teller: Teller) -> None:
    told = await teller.tell("tools")

    clock, weather = [part for part in told.parts if isinstance(part, ToolCall)]
    assert (clock.name, clock.input_json, clock.complete) == ("clock", '{"zone": "UTC"}', True)
    assert (weather.name, weather.input_json, weather.complete) == ("weather", '{"city": "Oslo"}', True)
    assert clock.tool_call_id != weather.tool_call_id
    assert told.stopped == Stopped(StopReason.TOOL_CALLS)


async def test_words_before_tool_calls_are_kept(recorded: Teller) -> None:
    told = await recorded.tell("tools")

    assert told.parts[0] == Text("Okay.")


async def test_a_tool_call_without_arguments_has_an_empty_object(teller: Teller) -> None:
    told = await teller.tell("tool_without_input")

    (call,) = told.parts
    assert isinstance(call, ToolCall)
    assert (call.input_json, call.complete) == ("{}", True)


async def test_usage_is_reported(teller: Teller) -> None:
    told = await teller.tell("text")

    assert told.usage is not None
    if teller.protocol == "offline":
        assert told.usage.input_tokens > 0
        assert told.usage.output_tokens == 8
    else:
        assert told.usage == Usage(input_tokens=25, output_tokens=15)


async def test_kinds_of_prompt_tokens_are_disjoint(recorded: Teller) -> None:
    told = await recorded.tell("cached")

    assert told.usage is not None
    assert (told.usage.input_tokens, told.usage.cache_read_tokens) == (10, 3000)
    assert told.usage.cache_write_tokens + told.usage.cache_write_1h_tokens == 700
    assert told.usage.prompt_tokens == 3710


async def test_a_reply_cut_by_its_limit_reports_the_limit(teller: Teller) -> None:
    told = await teller.tell("limit")

    assert told.stopped == Stopped(StopReason.MAX_TOKENS)
    assert plain_text(told.parts) == GREETING


async def test_declined_content_fails_and_keeps_what_was_said(teller: Teller) -> None:
    told = await teller.tell("declined")

    assert told.stopped is not None
    assert told.stopped.reason in {StopReason.REFUSAL, StopReason.CONTENT_FILTER}
    assert isinstance(told.state.outcome, Failed)
    assert told.state.outcome.reason.error_class is ErrorClass.CONTENT_FILTER
    assert plain_text(told.parts)


async def test_stopped_is_reported_once_and_last(teller: Teller) -> None:
    for story in ("text", "thinking", "tools", "limit"):
        told = await teller.tell(story)

        assert [isinstance(event, Stopped) for event in told.events].count(True) == 1
        assert isinstance(told.events[-1], Stopped)


@pytest.mark.parametrize(
    ("story", "words"),
    [("aimock_thinking", "Four."), ("aimock_tools", "Okay."), ("llmock_tools", "Okay, let me look.")],
)
async def test_streams_recorded_from_other_sources_are_read(recorded: Teller, story: str, words: str) -> None:
    told = await recorded.tell(story)

    assert plain_text(told.parts) == words
    assert told.fault is None
    assert any(isinstance(part, Thinking if "thinking" in story else ToolCall) for part in told.parts)


# --- faults in a stream ---


async def test_an_error_in_the_stream_is_typed_and_earlier_text_is_kept(teller: Teller) -> None:
    told = await teller.tell("error")

    assert told.fault is not None
    assert told.fault.error_class is ErrorClass.OVERLOADED
    assert plain_text(told.parts)
    assert told.stopped is None


async def test_a_cleanly_truncated_stream_is_an_error_and_its_text_is_kept(teller: Teller) -> None:
    told = await teller.tell("truncated")

    assert told.fault is not None
    assert told.fault.error_class is ErrorClass.STREAM
    assert "before the reply was complete" in told.fault.message
    assert plain_text(told.parts) == (GREETING if teller.protocol != "offline" else plain_text(told.parts))
    assert plain_text(told.parts)


async def test_faults_name_the_provider_and_the_model(teller: Teller) -> None:
    for story in ("error", "truncated"):
        told = await teller.tell(story)

        assert told.fault is not None
        assert teller.provider.row.label in told.fault.message
        assert f"{teller.provider.name}:" in told.fault.message
        assert told.fault.next_step


async def test_what_may_come_one_day_is_passed_over(recorded: Teller) -> None:
    told = await recorded.tell("unknown")

    assert told.parts == (Text(GREETING),)
    assert told.stopped == Stopped(StopReason.END)


@pytest.mark.parametrize("junk", [b"data: {not json}\n\n", b"data: [1]\n\n", b'data: "x"\n\n', b"data: \xff\xfe\n\n"])
async def test_an_event_that_cannot_be_read_is_a_stream_fault(recorded: Teller, junk: bytes) -> None:
    body = read_recording(recorded.protocol, "text")
    middle = body.index(b"world")
    start = body.rindex(b"\n\n", 0, middle) + 2

    told = await play(recorded.provider, [body[:start], junk, body[start:]])

    assert told.fault is not None
    assert told.fault.error_class is ErrorClass.STREAM
    assert plain_text(told.parts) == "Hello"


# --- properties ---


@st.composite
def chunkings(draw: st.DrawFn, body: bytes) -> list[bytes]:
    """Draw a body cut into pieces anywhere, also within characters and line ends."""
    cuts = sorted(draw(st.lists(st.integers(0, len(body)), max_size=30)))
    return [body[start:end] for start, end in zip([0, *cuts], [*cuts, len(body)], strict=True)]


ALL_RECORDINGS = [
    (teller, path.stem) for teller in RECORDED for path in sorted((RECORDINGS / teller.protocol).glob("*.sse"))
]


@pytest.mark.parametrize(("teller", "story"), ALL_RECORDINGS, ids=lambda value: getattr(value, "protocol", value))
@settings(max_examples=examples(15), deadline=None)
@given(data=st.data(), newline=st.sampled_from([b"\n", b"\r\n", b"\r"]))
async def test_any_chunking_gives_the_same_message(
    teller: Teller, story: str, data: st.DataObject, newline: bytes
) -> None:
    body = read_recording(teller.protocol, story)
    whole = await play(teller.provider, [body])

    told = await play(teller.provider, data.draw(chunkings(body.replace(b"\n", newline))))

    assert told.parts == whole.parts
    assert told.state == whole.state
    assert told.fault == whole.fault


@pytest.mark.parametrize(("teller", "story"), ALL_RECORDINGS, ids=lambda value: getattr(value, "protocol", value))
async def test_byte_by_byte_gives_the_same_message(teller: Teller, story: str) -> None:
    body = read_recording(teller.protocol, story)

    told = await play(teller.provider, [body[place : place + 1] for place in range(len(body))])

    assert told.state == (await play(teller.provider, [body])).state


@pytest.mark.parametrize("teller", RECORDED, ids=lambda teller: teller.protocol)
@settings(max_examples=examples(300), deadline=None)
@given(data=st.data())
async def test_damaged_bytes_give_events_or_a_provider_error_and_nothing_else(
    teller: Teller, data: st.DataObject
) -> None:
    story = data.draw(st.sampled_from([story for other, story in ALL_RECORDINGS if other is teller]))
    body = bytearray(read_recording(teller.protocol, story))
    for place in data.draw(st.lists(st.integers(0, len(body) - 1), min_size=1, max_size=8)):
        body[place] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(body)))

    told = await play(teller.provider, [bytes(body[:cut])])

    assert (told.fault is None) == (told.stopped is not None)
    assert told.state.parts is not None  # the core accepted every event


KEYS = (
    *("type", "choices", "delta", "content", "tool_calls", "index", "id", "function", "name", "arguments"),
    *("finish_reason", "usage", "error", "item", "content_block", "message", "output_index", "response"),
    *("partial_json", "thinking", "signature", "summary_index", "text", "data", "call_id", "input", "reasoning"),
)


TYPES = (
    *("message_start", "content_block_start", "content_block_delta", "content_block_stop", "message_delta"),
    *("message_stop", "error", "response.output_text.delta", "response.output_item.added", "response.completed"),
    *("response.output_item.done", "response.incomplete", "response.failed"),
    *("response.function_call_arguments.delta", "text_delta", "thinking_delta", "input_json_delta", "tool_use"),
    *("signature_delta", "text", "thinking", "redacted_thinking", "function_call", "reasoning"),
)


def typed(said: Mapping[str, object]) -> st.SearchStrategy[Mapping[str, object]]:
    return st.sampled_from(TYPES).map(lambda kind: {**said, "type": kind})


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5).flatmap(typed)
    ),
    max_leaves=25,
)


@pytest.mark.parametrize("teller", RECORDED, ids=lambda teller: teller.protocol)
@settings(max_examples=examples(300), deadline=None)
@given(events=st.lists(JSON, max_size=5))
async def test_any_json_gives_events_or_a_provider_error_and_nothing_else(teller: Teller, events: list[object]) -> None:
    told = await play(teller.provider, [b"data: " + orjson.dumps(event) + b"\n\n" for event in events])

    assert (told.fault is None) == (told.stopped is not None)
    assert told.state.parts is not None  # the core accepted every event


async def test_one_read_gives_at_most_one_text_event(recorded: Teller) -> None:
    body = read_recording(recorded.protocol, "text")
    asked = CallTarget(recorded.provider.row, "test")

    batches = [batch async for batch in decode(Played([body]), load_adapter(recorded.protocol), asked)]

    assert [sum(isinstance(event, TextReceived) for event in batch) for batch in batches] == [1]


async def test_others_have_their_turn_while_a_large_read_is_decoded(recorded: Teller) -> None:
    body = read_recording(recorded.protocol, "text")
    asked = CallTarget(recorded.provider.row, "test")
    turns = 0

    async def count_turns() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    counting = asyncio.create_task(count_turns())
    comments = b": still there\n\n" * (20 * PIECE_BYTES // 15)
    batches = [batch async for batch in decode(Played([comments + body]), load_adapter(recorded.protocol), asked)]
    counting.cancel()

    assert turns >= 20
    assert isinstance(batches[-1][-1], Stopped)


async def test_what_comes_after_the_end_is_of_no_interest(recorded: Teller) -> None:
    body = read_recording(recorded.protocol, "text")

    for more in (b"data: {not json}\n\n", body[: body.rindex(b"world")]):
        told = await play(recorded.provider, [body + more])

        assert told.fault is None
        assert told.state.outcome == Succeeded(StopReason.END)
        assert told.parts == (Text(GREETING),)


# --- over a real connection, through the official SDK ---


async def test_a_recorded_stream_has_the_same_result_over_http(recorded: Teller) -> None:
    body = read_recording(recorded.protocol, "thinking")
    chunks = tuple(body[place : place + 100] for place in range(0, len(body), 100))
    transport = Transport()

    async with a_peer(Answer(chunks)) as peer:
        provider = a_provider(recorded.provider.name, peer.url)
        told = await ask(transport, provider, a_request(model=f"{provider.name}:test"))
    await transport.close()

    assert told.state == (await recorded.tell("thinking")).state
