from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.conversation.parts import Part, Text, Thinking, ToolCall, ToolResult
from app.domain.errors import ErrorClass
from app.domain.run import recovery
from app.domain.run.recovery import RecoveryRefusedError, ShownPart, recover_parts, recover_reply
from app.domain.run.run import Failed, RunStart, RunState, apply_event, start_run
from app.domain.run.run_events import CancelRequested, Interrupted
from app.domain.stream.stream_events import TextReceived

CALL, ANSWER = ToolCall("c", "clock", "{}", complete=True), ToolResult("c", (Text("noon"),))


def interrupted(text: str) -> RunState:
    state = apply_event(start_run(RunStart("r1", "p1", "c1", "offline:demo", "hash"))[0], TextReceived(text))[0]
    return apply_event(state, Interrupted())[0]


@given(
    text=st.text(st.characters(exclude_categories=("Cs",)), max_size=30),
    cut=st.integers(0, 30),
    less=st.integers(0, 30),
)
def test_what_was_lost_comes_back_and_the_longest_of_two_pages_wins(text: str, cut: int, less: int) -> None:
    stored: tuple[Part, ...] = (Text(text[:cut]),) if text[:cut] else ()

    for shown in (text[:less], text, text[:less], text):
        try:
            stored = recover_parts(stored, (ShownPart("text", shown),))
        except RecoveryRefusedError:
            assert len("".join(part.text for part in stored if isinstance(part, Text))) >= len(shown)

    assert stored == ((Text(text),) if text else ())


@pytest.mark.parametrize(
    ("stored", "shown", "recovered"),
    [
        ((), [ShownPart("thinking", "hm"), ShownPart("text", "one")], (Thinking("hm"), Text("one"))),
        ((Thinking("h"),), [ShownPart("thinking", "hm"), ShownPart("text", "one")], (Thinking("hm"), Text("one"))),
        (
            (Text("o"),),
            [ShownPart("text", "one"), ShownPart("tool_call", ""), ShownPart("text", "two")],
            (Text("one"),),
        ),
        (
            (CALL, ANSWER, Text("o")),
            [ShownPart("tool_call", ""), ShownPart("tool_result", ""), ShownPart("text", "one")],
            (CALL, ANSWER, Text("one")),
        ),
    ],
    ids=["before anything was stored", "in the thinking", "up to a tool call", "after a tool call"],
)
def test_words_are_taken_from_a_page_and_no_tool_calls(
    stored: tuple[Part, ...], shown: list[ShownPart], recovered: tuple[Part, ...]
) -> None:
    assert recover_parts(stored, shown) == recovered


@pytest.mark.parametrize(
    ("stored", "shown"),
    [
        ((Text("one"),), [ShownPart("text", "one")]),
        ((Text("one"),), [ShownPart("text", "on")]),
        ((Text("one"),), []),
        ((Text("one"),), [ShownPart("text", "two and more")]),
        ((Text("one"),), [ShownPart("thinking", "one more")]),
        ((Text("one"), Text("two")), [ShownPart("text", "one more"), ShownPart("text", "two")]),
        ((Thinking("hm", "signed", "anthropic"),), [ShownPart("thinking", "hm, hm")]),
        ((CALL,), [ShownPart("tool_call", ""), ShownPart("text", "invented")]),
        ((CALL, ANSWER), [ShownPart("tool_call", ""), ShownPart("tool_result", ""), ShownPart("text", "?")]),
        ((Text("one"),), [ShownPart("text", "one \ud800")]),
    ],
)
def test_what_is_not_more_of_the_same_words_is_refused(stored: tuple[Part, ...], shown: list[ShownPart]) -> None:
    with pytest.raises(RecoveryRefusedError):
        recover_parts(stored, shown)


def test_more_than_a_reply_may_have_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recovery, "MAX_REPLY_BYTES", 10)

    assert recover_parts((), [ShownPart("text", "x" * 10)]) == (Text("x" * 10),)
    with pytest.raises(RecoveryRefusedError, match="more than the maximum size of a reply"):
        recover_parts((), [ShownPart("text", "x" * 11)])


def test_the_failure_says_how_much_came_from_pages_and_that_more_may_be_missing() -> None:
    once = recover_reply(interrupted("one"), [ShownPart("text", "one, two")])
    twice = recover_reply(once, [ShownPart("text", "one, two, three")])

    assert isinstance(twice.outcome, Failed)
    reason = twice.outcome.reason
    assert (twice.parts, reason.error_class, reason.recovered) == (
        (Text("one, two, three"),),
        ErrorClass.INTERRUPTED,
        12,
    )
    assert reason.next_step.startswith(
        "The last 12 characters were recovered from an open page; what came after may be"
    )


def test_a_reply_that_ended_in_another_way_is_left_alone() -> None:
    running = apply_event(start_run(RunStart("r1", "p1", "c1", "offline:demo", "hash"))[0], TextReceived("one"))[0]
    stopped = apply_event(running, CancelRequested())[0]

    for state in (running, stopped):
        with pytest.raises(RecoveryRefusedError, match="was not interrupted"):
            recover_reply(state, [ShownPart("text", "one, two")])
