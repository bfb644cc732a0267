from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.conversation.parts import Part, Text, Thinking, ToolCall, ToolResult
from app.domain.run.growth import Growth, apply_growth, describe_growth
from app.domain.run.rounds import ToolLimits
from app.domain.run.run import RunState, apply_event
from app.domain.run.run_events import Interrupted, OutOfOrderError, RunEvent
from app.domain.run.run_log import events_after, events_of
from app.domain.stream.stream_events import TextReceived, TextWasThinking, ThinkingReceived, ToolInputReceived
from tests.builders import a_run
from tests.domain.run.test_rounds import walks
from tests.domain.run.test_run import run_events, stream_events

streamed: st.SearchStrategy[RunEvent] = st.one_of(
    stream_events, st.builds(ToolInputReceived, st.text(max_size=3)), st.just(TextWasThinking())
)
LIMITS = ToolLimits()


@st.composite
def followed_states(draw: st.DrawFn) -> list[RunState]:
    """Draw some states of one run, in order, as a follower of the run sees them. The first has no parts."""
    state = a_run(LIMITS)
    states = [state]
    for event in draw(st.one_of(st.lists(streamed, max_size=30), st.lists(run_events, max_size=20), walks(LIMITS))):
        with suppress(OutOfOrderError):
            state, _ = apply_event(state, event)
        if draw(st.booleans()):
            states.append(state)
    return [*states, state]


@given(followed_states())
def test_the_growths_of_a_reply_make_the_reply(states: list[RunState]) -> None:
    parts, before = tuple[Part, ...](), None
    for state in states:
        growth = describe_growth(before, state)

        assert growth.kept >= len(parts) - 1  # at most the last part is included again
        parts, before = apply_growth(parts, growth), state

        assert parts == state.parts


@given(followed_states())
def test_the_events_of_a_growth_are_those_after_the_log_before(states: list[RunState]) -> None:
    for before, state in pairwise(states):
        end = events_after(before, 0)[-1].position

        assert events_of(describe_growth(before, state), state, end) == events_after(state, end)


def test_the_events_of_a_text_that_grew_include_a_new_part_and_the_end() -> None:
    before, _ = apply_event(a_run(), TextReceived("one"))
    grown, _ = apply_event(before, TextReceived(", two"))
    end = events_after(before, 0)[-1].position

    for state in (apply_event(grown, ThinkingReceived("hm"))[0], apply_event(grown, Interrupted())[0]):
        events = events_of(describe_growth(before, state), state, end)

        assert events == events_after(state, end)
        assert len(events) > 1


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (Text("one"), Text("one, two")),
        (Thinking("one", "s", "v"), Thinking("one, two", "s", "v")),
        (ToolCall("c", "clock", "one"), ToolCall("c", "clock", "one, two")),
    ],
)
def test_a_text_that_grew_is_described_by_its_growth_alone(before: Part, after: Part) -> None:
    state = replace(a_run(), parts=(Thinking("hm"), before))

    growth = describe_growth(state, replace(state, parts=(*state.parts[:1], after)))

    assert growth == Growth(2, ", two", ())
    assert apply_growth(state.parts, growth) == (Thinking("hm"), after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (Text("one"), Thinking("one, two")),
        (Thinking("one"), Thinking("one, two", "s", "v")),
        (ToolCall("c", "clock", "one"), ToolCall("c", "clock", "one, two", complete=True)),
    ],
)
def test_a_part_that_changed_otherwise_is_included_whole(before: Part, after: Part) -> None:
    state = replace(a_run(), parts=(before,))

    assert describe_growth(state, replace(state, parts=(after,))) == Growth(0, "", (after,))


def test_the_growth_to_a_state_that_was_read_is_the_whole_reply() -> None:
    state = replace(a_run(), parts=(Text("a long text"),))
    read = replace(a_run(), parts=(Text("shorter"),))

    assert describe_growth(state, read) == Growth(0, "", read.parts)


@pytest.mark.parametrize("growth", [Growth(2, "", ()), Growth(0, "more", ()), Growth(1, "more", ())])
def test_what_another_reply_gained_is_refused(growth: Growth) -> None:
    with pytest.raises(ValueError, match=r"kept|not text"):
        apply_growth((ToolResult("c", (Text("4"),)),), growth)
