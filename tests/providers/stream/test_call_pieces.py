"""Tool calls in Chat Completions streams, in each format that servers use for them."""

from __future__ import annotations

import json
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.domain.conversation.parts import Text, ToolCall, plain_text
from app.domain.errors import ErrorClass
from app.domain.stream.stream_events import Stopped, StopReason
from app.domain.usage import Usage
from app.providers.stream.call_pieces import CallPieces
from app.providers.stream.tool_calls import ToolCalls
from tests.effort import examples
from tests.providers.playing import Told, a_provider, play
from tests.work import counting

CALLS: dict[str, object] = {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}
USAGE: dict[str, object] = {"choices": [], "usage": {"prompt_tokens": 40, "completion_tokens": 12}}
OSLO, TOKYO = '{"timezone":"Europe/Oslo"}', '{"timezone":"Asia/Tokyo"}'


def function(name: object = None, arguments: object = None, **more: object) -> dict[str, object]:
    return {**more, "function": {"name": name, "arguments": arguments}}


def chunk(*pieces: object, **delta: object) -> dict[str, object]:
    return {"choices": [{"index": 0, "delta": {**delta, "tool_calls": list(pieces)}, "finish_reason": None}]}


async def say(*events: object) -> Told:
    body = b"".join(b"data: " + json.dumps(event).encode() + b"\n\n" for event in (*events, CALLS, USAGE))
    return await play(a_provider("ollama"), [body + b"data: [DONE]\n\n"])


def calls_of(told: Told) -> list[tuple[str, str, str]]:
    assert all(part.complete for part in told.parts if isinstance(part, ToolCall))
    return [(part.tool_call_id, part.name, part.input_json) for part in told.parts if isinstance(part, ToolCall)]


async def test_calls_without_index_and_id_are_distinguished_by_their_names() -> None:
    told = await say(chunk(function("clock", OSLO), function("clock", TOKYO)))

    assert calls_of(told) == [("call_0", "clock", OSLO), ("call_1", "clock", TOKYO)]
    assert told.stopped == Stopped(StopReason.TOOL_CALLS)


async def test_pieces_without_name_index_and_id_belong_to_the_last_call() -> None:
    told = await say(
        chunk(function("clock", OSLO[:5])),
        chunk(function(None, OSLO[5:])),
        chunk(function("clock", TOKYO[:9])),
        chunk(function("", TOKYO[9:])),
    )

    assert calls_of(told) == [("call_0", "clock", OSLO), ("call_1", "clock", TOKYO)]


@pytest.mark.parametrize("first", [None, ""])
async def test_a_name_may_come_late(first: str | None) -> None:
    told = await say(
        chunk(function(first, OSLO[:6], index=0, id="call_7")),
        chunk(function(None, OSLO[6:9], index=0)),
        chunk(function("clock", index=0)),
        chunk(function(None, OSLO[9:], index=0)),
    )

    assert calls_of(told) == [("call_7", "clock", OSLO)]


async def test_a_call_whose_name_comes_late_keeps_its_place_before_the_next() -> None:
    told = await say(
        chunk(function(None, OSLO, index=0, id="a")),
        chunk(function("weather", TOKYO, index=1, id="b")),
        chunk(function("clock", index=0)),
    )

    assert calls_of(told) == [("a", "clock", OSLO), ("b", "weather", TOKYO)]


async def test_a_call_without_any_name_ends_the_reply_and_keeps_its_words_and_its_usage() -> None:
    told = await say(
        chunk(function(None, OSLO, index=0, id="a"), content="Let me see."),
        chunk(content=" One moment."),
    )

    assert told.fault is not None
    assert told.fault.error_class is ErrorClass.STREAM
    assert "called a tool without naming it" in told.fault.message
    assert plain_text(told.parts) == "Let me see. One moment."
    assert calls_of(told) == []
    assert told.usage == Usage(40, 12)


@pytest.mark.parametrize(
    ("arguments", "read"), [({"timezone": "Europe/Oslo"}, OSLO), (None, "{}"), ({}, "{}"), ("", "{}")]
)
async def test_arguments_may_be_an_object_or_missing(arguments: object, read: str) -> None:
    told = await say(chunk(function("clock", arguments, index=0, id="a")))

    assert calls_of(told) == [("a", "clock", read)]


async def test_calls_that_all_have_number_0_and_no_id_are_distinguished() -> None:
    told = await say(
        chunk(function("clock", OSLO, index=0)),
        chunk(function("clock", TOKYO, index=0)),
        chunk(function("now", index=0)),
    )

    assert [call[1:] for call in calls_of(told)] == [("clock", OSLO), ("clock", TOKYO), ("now", "{}")]


async def test_a_name_that_comes_with_each_piece_begins_one_call() -> None:
    told = await say(*(chunk(function("clock", piece, index=0)) for piece in ("", OSLO[:4], OSLO[4:12], OSLO[12:])))

    assert calls_of(told) == [("call_0", "clock", OSLO)]


async def test_an_id_that_changes_with_each_piece_begins_one_call() -> None:
    told = await say(
        chunk(function("clock", OSLO[:4], index=0, id="a")), chunk(function(None, OSLO[4:], index=0, id="b"))
    )

    assert calls_of(told) == [("a", "clock", OSLO)]


@pytest.mark.parametrize("pieces", [(OSLO[:4], OSLO[4:9], OSLO[9:]), (OSLO, OSLO, OSLO)], ids=["pieces", "repetitions"])
async def test_one_id_under_several_numbers_is_one_call(pieces: tuple[str, ...]) -> None:
    told = await say(*(chunk(function("clock", piece, index=at, id="a")) for at, piece in enumerate(pieces)))

    assert calls_of(told) == [("a", "clock", OSLO)]


async def test_a_call_that_is_repeated_as_a_whole_is_read_once() -> None:
    told = await say(
        chunk(function("clock", OSLO[:4], index=0, id="a")),
        chunk(function(None, OSLO[4:], index=0)),
        chunk(function("clock", OSLO, index=0, id="a")),
    )

    assert calls_of(told) == [("a", "clock", OSLO)]


def test_pieces_after_a_whole_call_are_not_each_compared_with_all_that_came_before() -> None:
    """Joining all arguments for each piece takes quadratic time: 50,000 pieces took four seconds."""
    pieces = CallPieces(ToolCalls())
    pieces.take(function("clock", "[]", index=0, id="a"))

    with counting("str.join") as joins:
        for _ in range(1_000):
            pieces.take(function(None, " ", index=0))

    assert joins.made <= 1_000 + 10  # one join of the new piece alone, for each


@pytest.mark.parametrize(
    ("piece", "named"),
    [
        (function("clock", [1], index=0), "tool_calls[].function.arguments is a list"),
        (function("clock", True, index=0), "tool_calls[].function.arguments is true or false"),
        (function(7, "{}", index=0), "tool_calls[].function.name is a number"),
        (function("clock", "{}", index={}), "tool_calls[].index is an object"),
        (function("clock", "{}", id=[]), "tool_calls[].id is a list"),
        (function("weather", ":", index=0), "tool_calls[].function.name changes within a call"),
    ],
)
async def test_what_has_no_meaning_is_an_error_that_names_the_field_and_keeps_the_words(
    piece: object, named: str
) -> None:
    told = await say(chunk(function("clock", '{"a"', index=0)), chunk(content="Words."), chunk(piece))

    assert told.fault is not None
    assert named in told.fault.message
    assert plain_text(told.parts) == "Words."


async def test_words_of_the_event_that_cannot_be_read_are_kept() -> None:
    told = await say(chunk(function(7), content="Words."))

    assert told.fault is not None
    assert told.parts == (Text("Words."),)


# --- any calls in any spelling ---


@dataclass(frozen=True)
class Spelling:
    """A format for calls. `cuts`: the number of pieces of the arguments."""

    index: str
    ids: str
    name: str
    cuts: int
    as_object: bool


SPELLINGS = st.builds(
    Spelling,
    index=st.sampled_from(["each", "first", "zero", "text", "none"]),
    ids=st.sampled_from(["each", "first", "number", "none"]),
    name=st.sampled_from(["first", "each", "empty after"]),
    cuts=st.integers(1, 4),
    as_object=st.booleans(),
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-99, 99) | st.text('ab\\"{}[]: é', max_size=6),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text("ab", max_size=2), inner, max_size=2),
    max_leaves=4,
)
SOME_CALLS = st.lists(
    st.tuples(st.sampled_from(["clock", "weather"]), st.dictionaries(st.sampled_from(["k", "l"]), VALUES, max_size=2)),
    min_size=1,
    max_size=4,
)


def spell(calls: list[tuple[str, dict[str, object]]], spelling: Spelling) -> list[dict[str, object]]:
    pieces: list[dict[str, object]] = []
    for number, (name, arguments) in enumerate(calls):
        text = json.dumps(arguments, separators=(",", ":"), ensure_ascii=False)
        size = -(-len(text) // spelling.cuts)
        texts: list[object] = [text[start : start + size] for start in range(0, len(text), size)]
        if spelling.as_object:
            texts = [arguments]
        for place, written in enumerate(texts):
            piece: dict[str, object] = {}
            said = {"each": number, "text": str(number), "zero": 0, "first": number if place == 0 else None}
            if spelling.index != "none":
                piece["index"] = said[spelling.index]
            if spelling.ids == "each" or (spelling.ids == "first" and place == 0):
                piece["id"] = f"id-{number}"
            if spelling.ids == "number":
                piece["id"] = 100 + number
            named = {"name": name} if place == 0 or spelling.name == "each" else {}
            named |= {"name": ""} if place and spelling.name == "empty after" else {}
            pieces.append({**piece, "function": {**named, "arguments": written}})
    return pieces


@settings(max_examples=examples(300), deadline=None)
@given(calls=SOME_CALLS, spelling=SPELLINGS)
async def test_any_calls_are_read_as_they_were_made_in_each_spelling(
    calls: list[tuple[str, dict[str, object]]], spelling: Spelling
) -> None:
    if spelling.index == "zero" and spelling.ids == "none":  # the same call twice looks like a repetition
        calls = [call for place, call in enumerate(calls) if place == 0 or call != calls[place - 1]]

    told = await say(*(chunk(piece) for piece in spell(calls, spelling)))

    assert told.fault is None
    assert [(name, json.loads(text)) for _, name, text in calls_of(told)] == calls
    assert len({call_id for call_id, _, _ in calls_of(told)}) == len(calls)
