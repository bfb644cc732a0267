"""Special features of one protocol's stream: quirks of vendors, in addition to the contract."""

from __future__ import annotations

import json
import reprlib
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.conversation.parts import Text, Thinking, ToolCall, plain_text
from app.domain.errors import ErrorClass, ProviderError
from app.domain.run.run import Succeeded
from app.domain.stream.stream_events import (
    PartEnded,
    Stopped,
    StopReason,
    StreamEvent,
    ToolCallStarted,
    ToolInputReceived,
    UsageReported,
)
from app.domain.usage import Usage
from app.providers.base import CallTarget
from app.providers.registry import PROVIDERS
from app.providers.vendors import openai_compatible
from app.providers.vendors.openai import parse_usage as parse_responses_usage
from app.providers.vendors.openai_compatible import ChatDecoder
from app.providers.vendors.openai_compatible import parse_usage as parse_chat_usage
from app.providers.vendors.tool_calls import ToolCalls
from app.providers.wire.json_values import MAX_LABEL
from app.providers.wire.sse import SseEvent
from tests.providers.playing import Told, a_provider, play, read_recording

GREETING = "Hello, world. Grüße aus\nOslo 🌍"


async def tell(name: str, story: str) -> Told:
    provider = a_provider(name)
    return await play(provider, [read_recording(provider.row.protocol, story)])


async def say(name: str, *events: object) -> Told:
    body = b"".join(b"data: " + json.dumps(event, ensure_ascii=False).encode() + b"\n\n" for event in events)
    return await play(a_provider(name), [body])


def a_chat_chunk(finish: str | None = None, **delta: object) -> dict[str, object]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


# --- Messages ---


async def test_thinking_keeps_its_signature_and_vendor() -> None:
    told = await tell("anthropic", "thinking")

    assert told.parts[0] == Thinking(
        "Let me see.", "EqQBCgIYAhIM1gbcDa9GJwZA2b3hGgxBdjrkzLoky3dl1pk", vendor="anthropic"
    )


async def test_redacted_thinking_is_kept_as_opaque_data() -> None:
    told = await tell("anthropic", "redacted")

    assert told.parts == (Thinking("", "EmwKAhgBEgy3va3pzix", "anthropic", redacted=True), Text(GREETING))


async def test_thinking_without_words_is_kept_for_its_signature() -> None:
    told = await tell("anthropic", "signature_only")

    assert told.parts == (Thinking("", "EosnCkYICxIMMb3LzNrMu", "anthropic"), Text(GREETING))


async def test_cache_writes_of_five_minutes_and_an_hour_are_counted_separately() -> None:
    told = await tell("anthropic", "cached")

    assert told.usage == Usage(
        input_tokens=10,
        output_tokens=15,
        cache_read_tokens=3000,
        cache_write_tokens=500,
        cache_write_1h_tokens=200,
    )


async def test_usage_of_the_prompt_is_reported_at_once() -> None:
    provider = a_provider("anthropic")
    body = read_recording("anthropic", "text")

    told = await play(provider, [body[: body.index(b"\n\n", body.index(b"message_start")) + 2]])

    assert told.usage == Usage(input_tokens=25, output_tokens=1)


async def test_events_of_server_side_tools_are_ignored_and_a_pause_is_reported() -> None:
    told = await tell("anthropic", "pause")

    assert told.parts == (Text(GREETING),)
    assert told.stopped == Stopped(StopReason.PAUSE)


async def test_a_tool_call_may_come_with_its_whole_input() -> None:
    block = {"type": "tool_use", "id": "t1", "name": "clock", "input": {"zone": "UTC"}}
    told = await say(
        "anthropic",
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 1}},
        {"type": "message_stop"},
    )

    assert told.parts == (ToolCall("t1", "clock", '{"zone":"UTC"}', complete=True),)


@pytest.mark.parametrize("provider", ["anthropic", "openai", "ollama"])
@pytest.mark.parametrize("field", ["name", "id"])
async def test_a_name_and_an_id_of_a_call_have_a_bound(provider: str, field: str) -> None:
    said = {"name": "clock", "id": "t1"} | {field: "n" * (MAX_LABEL + 1)}
    item = {"type": "function_call", "call_id": said["id"], "name": said["name"], "arguments": ""}
    call = {"index": 0, "id": said["id"], "function": {"name": said["name"], "arguments": "{}"}}
    event: dict[str, dict[str, object]] = {
        "anthropic": {"type": "content_block_start", "index": 0, "content_block": {"type": "tool_use", **said}},
        "openai": {"type": "response.output_item.added", "output_index": 0, "item": item},
        "ollama": {"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]},
    }

    told = await say(provider, event[provider])

    assert told.fault is not None
    named = "item.call_id" if (provider, field) == ("openai", "id") else f"the {field} of a tool call"
    assert f"{named} has {MAX_LABEL + 1:,} characters; the maximum is {MAX_LABEL:,}" in told.fault.message


@pytest.mark.parametrize(
    ("details", "named"),
    [
        ({"type": "x"}, "reasoning_details is an object instead of a list"),
        (["x"], "reasoning_details[] is a text instead of"),
    ],
)
async def test_details_of_reasoning_without_a_meaning_are_an_error_that_names_the_field(
    details: object, named: str
) -> None:
    told = await say("ollama", a_chat_chunk(content="Words."), a_chat_chunk(reasoning_details=details))

    assert told.fault is not None
    assert named in told.fault.message
    assert told.parts == (Text("Words."),)


@pytest.mark.parametrize(
    ("event", "error_class", "words"),
    [
        (
            [{"error": {"code": 503, "message": "The model is full.", "status": "UNAVAILABLE"}}],
            "overloaded",
            "is full.",
        ),
        (a_chat_chunk("stop") | {"x_groq": {"id": "req_1", "error": "Stopped early."}}, "unknown", "Stopped early."),
        ({"error": {"message": "Slow down."}, "status_code": 429}, "rate", "Slow down."),
    ],
)
async def test_errors_outside_the_usual_place_keep_their_text(event: object, error_class: str, words: str) -> None:
    told = await say("groq", a_chat_chunk(content="Words."), event)

    assert told.fault is not None
    assert (told.fault.error_class, told.parts) == (error_class, (Text("Words."),))
    assert words in told.fault.message


async def test_numbers_of_sources_between_words_are_passed_over() -> None:
    pieces = [
        {"type": "text", "text": "One"},
        {"type": "reference", "reference_ids": [1]},
        {"type": "text", "text": "."},
    ]
    told = await say("mistral", a_chat_chunk("stop", content=pieces))

    assert told.parts == (Text("One."),)


async def test_a_full_context_window_ends_a_reply_as_its_limit_does() -> None:
    told = await say(
        "anthropic",
        {"type": "message_delta", "delta": {"stop_reason": "model_context_window_exceeded"}},
        {"type": "message_stop"},
    )

    assert told.stopped == Stopped(StopReason.MAX_TOKENS)


async def test_a_message_that_stops_without_a_reason_is_truncated() -> None:
    told = await say("anthropic", {"type": "message_stop"})

    assert told.fault is not None
    assert told.fault.error_class is ErrorClass.STREAM


# --- Responses ---


async def test_reasoning_keeps_its_id_and_encrypted_content() -> None:
    told = await tell("openai", "thinking")

    assert told.parts[0] == Thinking("Let me see.", "rs_0:gAAAAABpExample", "openai")


async def test_summaries_are_paragraphs_of_one_thinking() -> None:
    told = await tell("openai", "two_summaries")

    assert told.parts[0] == Thinking("First.\n\nSecond.")


@pytest.mark.parametrize("name", ["openai", "groq"])
async def test_calls_that_come_in_turns_are_held_in_sequence(name: str) -> None:
    told = await tell(name, "interleaved_tools")

    assert [type(event) for event in told.events[:6]] == [
        *(ToolCallStarted, ToolInputReceived, PartEnded),
        *(ToolCallStarted, ToolInputReceived, PartEnded),
    ]
    assert told.parts == (
        ToolCall("call_1", "clock", '{"zone": "UTC"}', complete=True),
        ToolCall("call_2", "weather", '{"city": "Oslo"}', complete=True),
    )


async def test_a_filtered_response_is_reported_as_such() -> None:
    told = await tell("openai", "filtered")

    assert told.stopped == Stopped(StopReason.CONTENT_FILTER)


async def test_an_error_event_is_typed_by_its_code() -> None:
    told = await tell("openai", "error_event")

    assert told.fault is not None
    assert told.fault.error_class is ErrorClass.RATE
    assert "Rate limit reached" in told.fault.message


async def test_a_whole_call_at_the_end_of_its_item_is_taken() -> None:
    call = {"id": "fc_0", "type": "function_call", "call_id": "c1", "name": "clock", "arguments": ""}
    told = await say(
        "openai",
        {"type": "response.output_item.added", "output_index": 0, "item": call},
        {"type": "response.output_item.done", "output_index": 0, "item": {**call, "arguments": '{"zone":"UTC"}'}},
        {"type": "response.completed", "response": {"usage": None}},
    )

    assert told.parts == (ToolCall("c1", "clock", '{"zone":"UTC"}', complete=True),)


# --- Chat Completions ---


async def test_reasoning_may_be_called_reasoning() -> None:
    told = await tell("groq", "reasoning_field")

    assert told.parts == (Thinking("Let me see."), Text(GREETING))


async def test_reasoning_may_come_in_a_list_of_content() -> None:
    told = await tell("mistral", "mistral_thinking")

    assert told.parts == (Thinking("Let me see."), Text(GREETING))


async def test_reasoning_that_must_be_sent_back_is_marked_with_its_vendor() -> None:
    assert (await tell("deepseek", "thinking")).parts[0] == Thinking("Let me see.", "", "deepseek")
    assert (await tell("groq", "thinking")).parts[0] == Thinking("Let me see.")


def one_of(*values: object) -> st.SearchStrategy[object]:
    return st.sampled_from(values)


A_CALL = {"index": 0, "id": "c1", "function": {"name": "clock", "arguments": "{"}}
A_REPORT = {"prompt_tokens": 5, "completion_tokens": 1}
deltas = st.fixed_dictionaries(
    {"content": one_of("Hi", "there", "", None, [{"type": "text", "text": "Hi"}], 7)},
    optional={
        "role": one_of("assistant"),
        "refusal": one_of(None, "", "No."),
        "reasoning_content": one_of(None, "hm"),
        "reasoning": one_of(None, "hm"),
        "reasoning_details": one_of(None, [], [{"index": 0, "text": "x"}]),
        "extra_content": one_of(None, {"google": {"thought_signature": "c2ln"}}, 7),
        "tool_calls": one_of(None, [], [A_CALL]),
    },
)
choices: st.SearchStrategy[dict[str, object]] = st.fixed_dictionaries(
    {"delta": deltas},
    optional={
        "finish_reason": one_of(None, "", "stop", "content_filter", "abort"),
        "usage": one_of(None, A_REPORT),
    },
)
chat_events: st.SearchStrategy[dict[str, object]] = st.fixed_dictionaries(
    {"choices": st.lists(choices, max_size=2)},
    optional={
        "object": one_of("chat.completion.chunk", "error"),
        "usage": one_of(None, A_REPORT),
        "error": one_of(None, "", {"message": "no"}),
        "x_groq": one_of(None, {"usage": A_REPORT}, {"error": "no"}),
    },
)


def find_no_text(_data: dict[str, object]) -> str:
    return ""


@given(st.lists(chat_events, max_size=6), st.sampled_from([b"", b"message", b"error"]))
def test_an_event_with_only_text_is_read_as_the_whole_reader_reads_it(events: list[object], name: bytes) -> None:
    fast = decode_chat(events, name)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(openai_compatible, "_find_only_text", find_no_text)
        whole = decode_chat(events, name)

    assert fast == whole


def decode_chat(events: Sequence[object], name: bytes) -> tuple[list[StreamEvent], str]:
    decoder, found = ChatDecoder(CallTarget(PROVIDERS["deepseek"], "deepseek:test")), list[StreamEvent]()
    try:
        for event in events:
            found += decoder.feed(SseEvent(name, json.dumps(event).encode()))
        return found + decoder.end(), ""
    except (ProviderError, ValueError) as error:
        return found, repr(error)


async def test_think_tags_in_the_text_stay_text() -> None:
    told = await say("groq", a_chat_chunk(content="<think>hm</think>Yes"), a_chat_chunk("stop"))

    assert told.parts == (Text("<think>hm</think>Yes"),)


async def test_calls_that_all_have_number_0_are_distinguished_by_their_ids() -> None:
    told = await tell("ollama", "unnumbered_tools")

    assert [part.name for part in told.parts if isinstance(part, ToolCall)] == ["clock", "weather"]
    assert told.stopped == Stopped(StopReason.TOOL_CALLS)


async def test_a_call_without_an_id_gets_one() -> None:
    call = {"function": {"name": "clock", "arguments": "{}"}}

    told = await say("ollama", a_chat_chunk(tool_calls=[call]), a_chat_chunk("tool_calls"))

    assert told.parts == (ToolCall("call_0", "clock", "{}", complete=True),)


async def test_words_between_the_pieces_of_a_call_wait_for_its_end() -> None:
    start = {"index": 0, "id": "c1", "function": {"name": "clock", "arguments": "{"}}
    rest = {"index": 0, "function": {"arguments": "}"}}

    told = await say(
        "groq",
        a_chat_chunk(tool_calls=[start]),
        a_chat_chunk(content="meanwhile"),
        a_chat_chunk(tool_calls=[rest]),
        a_chat_chunk("tool_calls"),
    )

    assert told.parts == (ToolCall("c1", "clock", "{}", complete=True), Text("meanwhile"))


async def test_words_that_waited_are_kept_when_the_stream_is_truncated() -> None:
    start = {"index": 0, "id": "c1", "function": {"name": "clock", "arguments": "{"}}

    told = await say("groq", a_chat_chunk(tool_calls=[start]), a_chat_chunk(content="meanwhile"))

    assert plain_text(told.parts) == "meanwhile"
    assert told.fault is not None


@pytest.mark.parametrize("story", ["no_done", "no_usage"])
async def test_a_stop_reason_is_enough_for_a_complete_reply(story: str) -> None:
    told = await tell("llamacpp", story)

    assert told.state.outcome == Succeeded(StopReason.END)
    assert (told.usage is None) == (story == "no_usage")


async def test_done_without_a_stop_reason_is_truncated() -> None:
    told = await tell("openrouter", "done_without_reason")

    assert plain_text(told.parts) == GREETING
    assert told.fault is not None
    assert told.fault.error_class is ErrorClass.STREAM


@pytest.mark.parametrize(
    ("story", "words"), [("openrouter_error", "Provider disconnected"), ("bare_error", "EngineCore died")]
)
async def test_errors_in_the_middle_are_read_in_every_format(story: str, words: str) -> None:
    told = await tell("openrouter", story)

    assert told.fault is not None
    assert told.fault.error_class is ErrorClass.SERVER
    assert words in told.fault.message


@pytest.mark.parametrize(
    ("reason", "error_class"),
    [
        ("error", ErrorClass.SERVER),
        ("abort", ErrorClass.SERVER),
        ("insufficient_system_resource", ErrorClass.OVERLOADED),
        ("recitation", ErrorClass.STREAM),
    ],
)
async def test_finish_reasons_for_an_error_are_errors(reason: str, error_class: ErrorClass) -> None:
    told = await say("deepseek", a_chat_chunk(content="Well"), a_chat_chunk(reason))

    assert told.fault is not None
    assert told.fault.error_class is error_class
    assert plain_text(told.parts) == "Well"


async def test_words_that_come_with_an_error_are_kept() -> None:
    event = {**a_chat_chunk(content="ell."), "error": {"message": "The engine died.", "code": 500}}
    told = await say("vllm", a_chat_chunk(content="W"), event)

    assert plain_text(told.parts) == "Well."
    assert told.fault is not None
    assert "The engine died." in told.fault.message
    unreadable = await say("vllm", {**a_chat_chunk(content=5), "error": {"message": "The engine died.", "code": 500}})
    assert unreadable.fault is not None
    assert "The engine died." in unreadable.fault.message


async def test_a_reply_that_repeated_itself_reports_it() -> None:
    told = await say("vllm", a_chat_chunk(content="Well"), a_chat_chunk("repetition"))

    assert told.fault is None
    assert told.stopped == Stopped(StopReason.REPETITION)


async def test_an_empty_finish_reason_in_each_event_is_no_end() -> None:
    told = await say("ollama", a_chat_chunk("", content="Hel"), a_chat_chunk("", content="lo."), a_chat_chunk("stop"))

    assert told.parts == (Text("Hello."),)
    assert told.stopped == Stopped(StopReason.END)
    cut = await say("ollama", a_chat_chunk("", content="Hel"))
    assert cut.fault is not None
    assert cut.fault.error_class is ErrorClass.STREAM


async def test_an_unknown_stop_reason_is_named() -> None:
    told = await tell("groq", "unknown_reason")

    assert told.fault is not None
    assert "'recitation'" in told.fault.message


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        ({"prompt_tokens": 5, "completion_tokens": 7}, Usage(5, 7)),
        ({"prompt_tokens": 9, "completion_tokens": 1, "prompt_cache_hit_tokens": 4}, Usage(5, 1, 4)),
        ({"prompt_tokens": 9, "completion_tokens": 1, "prompt_tokens_details": {"cached_tokens": 9}}, Usage(0, 1, 9)),
        ({"prompt_tokens": 9, "completion_tokens": 1, "prompt_tokens_details": None}, Usage(9, 1)),
        (
            {
                "prompt_tokens": 50,
                "completion_tokens": 12,
                "total_tokens": 142,
                "prompt_tokens_details": {"cached_tokens": 10},
                "completion_tokens_details": {"reasoning_tokens": 80},
            },
            Usage(40, 92, 10, reasoning_tokens=80),
        ),
        (
            {
                "prompt_tokens": 300,
                "completion_tokens": 120,
                "total_tokens": 420,
                "completion_tokens_details": {"reasoning_tokens": 40},
            },
            Usage(300, 120, reasoning_tokens=40),
        ),
        ({"prompt_tokens": 50, "completion_tokens": 12, "total_tokens": 142}, Usage(50, 92, reasoning_tokens=80)),
        ({"prompt_tokens": 50, "completion_tokens": 12, "total_tokens": 40}, Usage(50, 12)),
        (
            {
                "prompt_tokens": 50,
                "completion_tokens": 12,
                "total_tokens": 100,
                "completion_tokens_details": {"reasoning_tokens": 5},
            },
            Usage(50, 12, reasoning_tokens=5),
        ),
    ],
)
def test_usage_of_chats_is_read_in_every_spelling(usage: dict[str, object], expected: Usage) -> None:
    assert parse_chat_usage(usage) == UsageReported(expected)


async def test_groqs_own_usage_is_read() -> None:
    told = await say(
        "groq",
        a_chat_chunk(content="Hi"),
        {**a_chat_chunk("stop"), "x_groq": {"id": "r", "usage": {"prompt_tokens": 3, "completion_tokens": 1}}},
    )

    assert told.usage == Usage(3, 1)


def test_usage_of_responses_may_lack_its_details() -> None:
    assert parse_responses_usage({"input_tokens": 3, "output_tokens": 1}) == UsageReported(Usage(3, 1))


NAN, INFINITE = float("nan"), float("inf")
PROMPT_LIES = [NAN, INFINITE, 10**400, 1.5, 1e300, 2**63, 2**53, -1, True, "7", [7], {"tokens": 7}, None]


@pytest.mark.parametrize("lie", PROMPT_LIES, ids=reprlib.repr)
def test_an_invalid_count_counts_as_not_reported_and_is_noted(lie: object) -> None:
    chat = parse_chat_usage({"prompt_tokens": lie, "completion_tokens": 1})
    responses = parse_responses_usage({"input_tokens": lie, "output_tokens": 1})

    for reported, field in ((chat, "prompt_tokens"), (responses, "input_tokens")):
        assert reported.usage is None
        assert reported.fault is not None
        assert reported.fault.startswith(f"{field}: ")


@pytest.mark.parametrize("lie", [one for one in PROMPT_LIES if one is not None], ids=reprlib.repr)
async def test_a_message_with_an_unreadable_report_is_whole_all_the_same(lie: object) -> None:
    told = await say(
        "anthropic",
        {"type": "message_start", "message": {"usage": {"input_tokens": lie, "output_tokens": 1}}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": "Hi"}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 2}},
        {"type": "message_stop"},
    )

    assert told.fault is None
    assert isinstance(told.state.outcome, Succeeded)
    assert told.state.usage is None
    assert (told.state.report_fault or "").startswith("input_tokens: ")


@pytest.mark.parametrize("lie", [one for one in PROMPT_LIES if one is not None], ids=reprlib.repr)
async def test_a_chat_with_an_unreadable_report_is_whole_all_the_same(lie: object) -> None:
    for usage in ({"prompt_tokens": lie, "completion_tokens": 1}, lie):
        told = await say("groq", a_chat_chunk("stop", content="Hi"), {"choices": [], "usage": usage})

        assert told.fault is None
        assert isinstance(told.state.outcome, Succeeded)
        assert (told.parts, told.state.usage) == ((Text("Hi"),), None)
        assert told.state.report_fault


@pytest.mark.parametrize("lie", [one for one in PROMPT_LIES if one is not None], ids=reprlib.repr)
async def test_a_response_with_an_unreadable_report_is_whole_all_the_same(lie: object) -> None:
    told = await say(
        "openai",
        {"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": "Hi"},
        {"type": "response.completed", "response": {"usage": {"input_tokens": lie, "output_tokens": 1}}},
    )

    assert told.fault is None
    assert isinstance(told.state.outcome, Succeeded)
    assert (told.parts, told.state.usage) == ((Text("Hi"),), None)
    assert (told.state.report_fault or "").startswith("input_tokens: ")


async def test_arguments_with_a_number_that_json_does_not_have_are_kept_as_said() -> None:
    told = await say(
        "anthropic",
        {"type": "message_start", "message": {"usage": {"input_tokens": 1, "output_tokens": 1}}},
        {
            "type": "content_block_start",
            "index": 0,
            "content_block": {"type": "tool_use", "id": "c", "name": "t", "input": {"a": NAN}},
        },
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 2}},
        {"type": "message_stop"},
    )

    assert told.parts == (ToolCall("c", "t", '{"a":NaN}', complete=True),)


@pytest.mark.parametrize("lie", PROMPT_LIES, ids=reprlib.repr)
def test_prompt_tokens_are_reported_if_the_output_or_a_detail_is_no_count(lie: object) -> None:
    reported = parse_chat_usage(
        {"prompt_tokens": 9, "completion_tokens": lie, "prompt_tokens_details": {"cached_tokens": lie}}
    )

    assert reported.usage == Usage(9, 0)
    assert reported.fault is not None
    assert reported.fault.startswith("completion_tokens: ")


def test_parts_that_are_more_than_the_whole_count_as_not_reported() -> None:
    reported = parse_responses_usage(
        {"input_tokens": 9, "output_tokens": 1, "input_tokens_details": {"cached_tokens": 10}}
    )

    assert reported == UsageReported(Usage(9, 1), "cached_tokens: 10 of 9")


@pytest.mark.parametrize("lie", ["many", [1, 2], 7, True])
def test_a_report_that_is_no_object_is_noted_and_fails_nothing(lie: object) -> None:
    told = f"usage: {lie!r}; prompt_tokens: missing; completion_tokens: missing"
    assert parse_chat_usage(lie) == UsageReported(None, told)


# --- the queue of tool calls ---


def test_three_calls_in_turns_come_out_in_the_order_they_started() -> None:
    calls = ToolCalls()
    events = [
        *calls.start("a", "a", "one"),
        *calls.start("b", "b", "two"),
        *calls.start("c", "c", "three"),
        *calls.add("c", "3"),
        *calls.end("c"),
        *calls.add("a", "1"),
        *calls.add("b", "2"),
        *calls.end("a"),
        *calls.end("b"),
    ]

    assert events == [
        *(ToolCallStarted("a", "one"), ToolInputReceived("1"), PartEnded()),
        *(ToolCallStarted("b", "two"), ToolInputReceived("2"), PartEnded()),
        *(ToolCallStarted("c", "three"), ToolInputReceived("3"), PartEnded()),
    ]
    assert not calls.open
