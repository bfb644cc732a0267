"""Middleware: a stream has the same result however it is cut into pieces."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.context.middleware import StreamContext, new_receivers, receive, receive_end
from app.domain.conversation.parts import Part, Text, Thinking
from app.domain.run.run import RunStart, apply_event, start_run
from app.domain.stream.stream_events import (
    Stopped,
    StopReason,
    StreamEvent,
    TextReceived,
    ThinkingReceived,
    ToolCallStarted,
    UsageReported,
    join_text,
)
from app.domain.usage import Usage

TAGGED = StreamContext(reasoning_tags=True)


def read(pieces: Sequence[str], *after: StreamEvent) -> list[StreamEvent]:
    receivers = new_receivers(TAGGED)
    given: list[StreamEvent] = []
    for piece in pieces:
        given += receive(receivers, [TextReceived(piece)])
    given += receive(receivers, after) if after else []
    return join_text([*given, *receive_end(receivers)])


def parts_of(events: Sequence[StreamEvent]) -> tuple[Part, ...]:
    """Return the parts of the reply that these events make."""
    state = start_run(RunStart("r1", "p1", "c1", "offline:demo", "hash"))[0]
    for event in events:
        state, _ = apply_event(state, event)
    return state.parts


@pytest.mark.parametrize(
    ("text", "thinking", "words"),
    [
        ("<think>\nHm.\n</think>\n\nYes.", "\nHm.\n", "Yes."),
        ("\n <think>Hm.</think>Yes. <think>no tag</think>", "Hm.", "Yes. <think>no tag</think>"),
        ("<think></think>\n\nYes.", "", "Yes."),
        ("[THINK]Hm.[/THINK]Yes.", "Hm.", "Yes."),
        ("<think>never closed", "never closed", ""),
        ("<think>almost </thin", "almost </thin", ""),
        ("<thinner>Yes.", "", "<thinner>Yes."),
        ("<thi", "", "<thi"),
        ("Yes, <think> is a tag.", "", "Yes, <think> is a tag."),
        ("  Yes.", "", "  Yes."),
    ],
)
def test_reasoning_between_tags_is_thinking_wherever_the_stream_is_cut(text: str, thinking: str, words: str) -> None:
    whole = [ThinkingReceived(thinking)] if thinking else []
    whole = [*whole, *([TextReceived(words)] if words else [])]

    assert read([text]) == whole
    assert read(list(text)) == whole
    for place in range(len(text)):
        assert read([text[:place], text[place:]]) == whole


@given(st.text("<think/>x \n", max_size=40), st.lists(st.integers(0, 40), max_size=4))
def test_any_text_says_the_same_however_it_is_cut_and_loses_nothing_but_tags_and_blanks(
    text: str, cuts: list[int]
) -> None:
    places = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})

    given = read([text[start:end] for start, end in pairwise(places)])

    assert given == read([text])
    said = "".join(event.text for event in given if isinstance(event, TextReceived | ThinkingReceived))
    assert said == text or ("think>" in text and len(said) < len(text))


@pytest.mark.parametrize(
    ("text", "thinking", "words"),
    [
        ("The user greets me. Short is best.\n</think>\n\nHello!", "The user greets me. Short is best.\n", "Hello!"),
        ("Hm.</think> \r\n\nYes.</think>\nNo.", "Hm.", "Yes.</think>\nNo."),
        ("Hm.[/THINK]\nYes.", "Hm.", "Yes."),
        ("</think>\nYes.", "", "Yes."),
        ("The tag </think> ends it.", "", "The tag </think> ends it."),
        ("It ends with </think>", "", "It ends with </think>"),
        ("It ends with </think>   ", "", "It ends with </think>   "),
    ],
)
def test_all_before_a_closing_tag_at_the_end_of_a_line_was_thinking(text: str, thinking: str, words: str) -> None:
    parts = (*((Thinking(thinking),) if thinking else ()), Text(words))

    for place in range(len(text)):
        assert parts_of(read([text[:place], text[place:]])) == parts
    assert parts_of(read(list(text))) == parts


def test_a_reply_whose_reasoning_came_apart_may_have_a_closing_tag_at_the_end_of_a_line() -> None:
    receivers = new_receivers(TAGGED)

    given = receive(receivers, [ThinkingReceived("Hm."), TextReceived("The tag:\n</think>\nends it.")])

    assert parts_of(given) == (Thinking("Hm."), Text("The tag:\n</think>\nends it."))


def test_what_is_held_back_comes_before_whatever_follows_it() -> None:
    end = Stopped(StopReason.END)

    assert read(["<thi"], end) == [TextReceived("<thi"), end]
    assert read(["<think>a</thi"], ToolCallStarted("c", "clock")) == [
        ThinkingReceived("a</thi"),
        ToolCallStarted("c", "clock"),
    ]
    assert read(["<think>a</think>\n"], end) == [ThinkingReceived("a"), end]


def test_usage_in_the_middle_of_a_tag_breaks_nothing() -> None:
    receivers = new_receivers(TAGGED)
    usage = UsageReported(Usage(1, 1))

    given = [*receive(receivers, [TextReceived("<think>a</th"), usage]), *receive(receivers, [TextReceived("ink>b")])]

    assert given == [ThinkingReceived("a"), usage, TextReceived("b")]


def test_a_stream_of_another_model_goes_through_nothing() -> None:
    assert new_receivers(StreamContext()) == ()
