from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.conversation.lifecycle import TRANSITIONS, Step
from app.domain.conversation.parts import Part, Text, ToolCall, ToolResult
from app.domain.errors import ErrorClass, failure
from app.domain.retry_policy import MAX_RETRIES
from app.domain.run.rounds import NOT_RUN, UNANSWERED, Round, ToolLimits, list_unanswered
from app.domain.run.run import (
    Action,
    CallTool,
    Canceled,
    CloseStream,
    Failed,
    FinishRun,
    RunState,
    StartAttempt,
    StartRound,
    Succeeded,
    WaitForRetry,
    apply_event,
    is_call_on,
    lifecycle_of,
    sum_usage,
)
from app.domain.run.run_events import (
    AttemptFailed,
    CancelRequested,
    Interrupted,
    RetryDue,
    RunEvent,
    StreamEnded,
    ToolFinished,
)
from app.domain.run.run_log import LogEvent, events_after
from app.domain.stream.stream_events import (
    PartEnded,
    Stopped,
    StopReason,
    TextReceived,
    ToolCallStarted,
    ToolInputReceived,
    UsageReported,
)
from app.domain.usage import Usage
from tests.builders import a_run
from tests.domain.run.test_run import merged

OVERLOADED = failure(ErrorClass.OVERLOADED, "busy")
LIMITS = ToolLimits()


def a_call(call_id: str, name: str = "add") -> tuple[RunEvent, ...]:
    return ToolCallStarted(call_id, name), ToolInputReceived("{}"), PartEnded()


def a_round(*call_ids: str, usage: int = 1, seconds: float = 0.0) -> tuple[RunEvent, ...]:
    """Return the stream of a provider call that ends in these calls."""
    calls = [event for call_id in call_ids for event in a_call(call_id)]
    return *calls, UsageReported(Usage(usage)), Stopped(StopReason.TOOL_CALLS), StreamEnded(seconds)


def answered(call_id: str, words: str = "4", *, is_error: bool = False) -> ToolFinished:
    return ToolFinished(call_id, (Text(words),), is_error, 0.5)


def play(*events: RunEvent, limits: ToolLimits | None = LIMITS) -> tuple[RunState, tuple[Action, ...]]:
    state, actions = a_run(limits), tuple[Action, ...]()
    for event in events:
        state, actions = apply_event(state, event)
    return state, actions


def test_a_stream_that_ends_in_calls_has_them_made_side_by_side() -> None:
    state, actions = play(TextReceived("Let me see"), *a_round("a", "b"))

    assert [action.call.tool_call_id for action in actions if isinstance(action, CallTool)] == ["a", "b"]
    assert (state.phase, state.rounds, is_call_on(state)) == ("calling", (Round(1, Usage(1)),), False)


def test_a_run_without_tools_ends_where_calls_are_wanted() -> None:
    state, actions = play(*a_round("a"), limits=None)

    assert actions == (FinishRun(Succeeded(StopReason.TOOL_CALLS)),)
    assert list_unanswered(state.parts)


def test_a_stop_for_tools_without_a_call_ends_the_reply() -> None:
    assert play(TextReceived("Well."), Stopped(StopReason.TOOL_CALLS), StreamEnded())[1] == (
        FinishRun(Succeeded(StopReason.TOOL_CALLS)),
    )


def test_the_next_round_starts_once_every_call_is_answered_in_whatever_order() -> None:
    first, nothing = play(*a_round("a", "b"), answered("b"))
    state, actions = apply_event(first, answered("a"))

    assert nothing == ()
    assert actions == (StartRound(2, attempt=2),)
    assert [part.tool_call_id for part in state.parts if isinstance(part, ToolResult)] == ["b", "a"]


def test_a_reply_goes_from_round_to_round_and_its_usage_is_the_sum() -> None:
    state, actions = play(
        *a_round("a", usage=10),
        answered("a"),
        *a_round("b", usage=20),
        answered("b"),
        TextReceived("4"),
        UsageReported(Usage(30)),
        Stopped(StopReason.END),
        StreamEnded(),
    )

    assert actions == (FinishRun(Succeeded(StopReason.END)),)
    assert [type(part) for part in state.parts] == [ToolCall, ToolResult, ToolCall, ToolResult, Text]
    assert (state.usage, sum_usage(state), state.attempt) == (Usage(30), Usage(60), 3)


def test_calls_with_one_id_are_distinguished() -> None:
    state, _ = play(*a_round("call_1"), answered("call_1"), *a_round("call_1", "call_1"))

    assert [call.tool_call_id for call in list_unanswered(state.parts)] == ["call_1_2", "call_1_3"]


@pytest.mark.parametrize("late", [answered("a", "again"), answered("x"), TextReceived("late"), StreamEnded()])
def test_a_second_answer_an_answer_to_nothing_and_a_late_stream_are_not_heard(late: RunEvent) -> None:
    waiting, _ = play(*a_round("a", "b"), answered("a"))

    assert apply_event(waiting, late) == (waiting, ())


def test_no_answer_is_heard_before_its_stream_is_over() -> None:
    streaming, _ = play(*a_call("a"))

    assert apply_event(streaming, answered("a")) == (streaming, ())


@pytest.mark.parametrize(
    ("limits", "why"),
    [
        (ToolLimits(rounds=1), "the limit of 1 rounds of tool calls"),
        (ToolLimits(calls=2), "3 tool calls. The limit is 2."),
        (ToolLimits(result_bytes=3), "4 bytes. The limit is 3 bytes."),
        (ToolLimits(seconds=60), "the limit of 60 seconds"),
    ],
)
def test_a_limit_ends_the_reply_and_is_named_in_the_results_of_the_calls_not_made(limits: ToolLimits, why: str) -> None:
    state, actions = play(*a_round("a"), answered("a", "four"), *a_round("b", "c", seconds=61), limits=limits)

    assert actions == (FinishRun(Succeeded(StopReason.TOOL_LIMIT)),)
    *_, b, c = state.parts
    assert isinstance(b, ToolResult)
    assert b.is_error
    assert isinstance(b.content[0], Text)
    assert why in b.content[0].text
    assert isinstance(c, ToolResult)
    assert sum_usage(state) == Usage(2)


def test_a_stopped_run_distinguishes_started_calls_from_others() -> None:
    state, actions = play(*a_round("a", "b", "c"), answered("a"), CancelRequested(begun=frozenset({"a", "b"})))

    assert actions == (CloseStream(), FinishRun(Canceled()))
    assert state.parts[-2:] == (
        ToolResult("b", (Text(UNANSWERED),), is_error=True),
        ToolResult("c", (Text(NOT_RUN),), is_error=True),
    )
    assert list_unanswered(state.parts) == ()


def test_an_interrupted_run_does_so_too() -> None:
    state, _ = play(*a_round("a", "b"), Interrupted(begun=frozenset({"a"})))

    assert isinstance(state.outcome, Failed)
    assert state.parts[-2:] == (
        ToolResult("a", (Text(UNANSWERED),), is_error=True),
        ToolResult("b", (Text(NOT_RUN),), is_error=True),
    )


def test_a_call_cut_by_the_limit_of_tokens_is_neither_complete_nor_made() -> None:
    state, actions = play(
        ToolCallStarted("a", "rm"), ToolInputReceived('{"path": "/'), Stopped(StopReason.MAX_TOKENS), StreamEnded()
    )

    assert actions == (FinishRun(Succeeded(StopReason.MAX_TOKENS)),)
    assert state.parts == (ToolCall("a", "rm", '{"path": "/', complete=False),)


# --- attempts ---


def test_each_round_has_its_own_retries() -> None:
    failed = AttemptFailed(OVERLOADED, jitter=0.0)
    state, actions = play(*(failed, RetryDue()) * MAX_RETRIES, *a_round("a"), answered("a"), failed)

    assert actions == (WaitForRetry(0.5),)
    assert state.retries[-1].attempt == MAX_RETRIES + 2
    assert apply_event(state, RetryDue())[1] == (StartAttempt(MAX_RETRIES + 3),)


def test_nothing_is_retried_once_a_token_of_the_round_came() -> None:
    state, _ = play(*a_round("a"), answered("a"), TextReceived("S"), AttemptFailed(OVERLOADED, jitter=0.0))

    assert state.outcome == Failed(OVERLOADED)


def test_a_retry_is_in_the_log_at_its_place() -> None:
    state, _ = play(*a_round("a"), answered("a"), AttemptFailed(OVERLOADED, jitter=0.0), RetryDue(), TextReceived("4"))

    kinds = [event.kind for event in events_after(state, 0)]

    assert kinds == [
        *("run", "status", "part_started", "tool_input", "tool_call", "tool_result"),
        *("retry", "part_started", "text"),
    ]


# --- properties ---

ids = st.sampled_from("abc")
loop_events: st.SearchStrategy[RunEvent] = st.one_of(
    st.builds(ToolCallStarted, ids, st.just("tool")),
    st.builds(TextReceived, st.text(max_size=3)),
    st.just(PartEnded()),
    st.builds(Stopped, st.sampled_from([StopReason.TOOL_CALLS] * 3 + [StopReason.END, StopReason.MAX_TOKENS])),
    st.builds(StreamEnded, st.floats(0, 100)),
    st.builds(ToolFinished, ids, st.just((Text("4"),)), st.booleans()),
    st.builds(AttemptFailed, st.just(OVERLOADED), st.floats(0, 0.99)),
    st.just(RetryDue()),
    st.just(UsageReported(Usage(1))),
    st.sampled_from([CancelRequested(), Interrupted()]),
)


@st.composite
def walks(draw: st.DrawFn, limits: ToolLimits) -> list[RunEvent]:
    """Draw events of a run, mostly likely ones for its phase: purely random events hardly ever make a round."""
    state, walk = a_run(limits), list[RunEvent]()
    for anything in draw(st.lists(st.sampled_from([False] * 5 + [True]), max_size=12)):
        step: tuple[RunEvent, ...]
        if anything:
            step = (draw(loop_events),)
        elif state.phase == "calling":
            waiting = draw(st.permutations(list_unanswered(state.parts)))
            step = tuple(answered(call.tool_call_id) for call in waiting[draw(st.integers(0, 1)) :])
        else:
            step = a_round(*draw(st.lists(ids, min_size=1, max_size=3)), seconds=draw(st.floats(0, 55)))
        for event in step:
            state, _ = apply_event(state, event)
        walk += step
    return walk


small = st.builds(
    ToolLimits,
    st.sampled_from((9, 4, 2, 0)),
    st.sampled_from((30, 9, 4, 1)),
    st.sampled_from((99, 99, 9, 1)),
    st.floats(50, 90),
)


@given(small, st.data())
def test_whatever_happens_no_call_is_made_twice_or_answered_twice_and_every_attempt_ends_once(
    limits: ToolLimits, data: st.DataObject
) -> None:
    state, called, started = a_run(limits), list[str](), 1
    for event in data.draw(walks(limits)):
        before = state

        state, actions = apply_event(state, event)

        called += [action.call.tool_call_id for action in actions if isinstance(action, CallTool)]
        started += sum(isinstance(action, StartAttempt | StartRound) for action in actions)
        stands, stood = lifecycle_of(state), lifecycle_of(before)
        assert stands is stood or stands in {TRANSITIONS.get((stood, step)) for step in Step}
        assert state.parts[: len(before.parts) - 1] == before.parts[:-1]
        assert state.rounds[: len(before.rounds)] == before.rounds
        assert (state.phase == "calling") <= bool(list_unanswered(state.parts))
        assert started == state.attempt
        assert len(state.retries) + len(state.rounds) + is_call_on(state) in {state.attempt, state.attempt - 1} or (
            state.outcome is not None
        )
    assert len(set(called)) == len(called) <= limits.calls
    assert len(state.rounds) <= limits.rounds
    assert_ids_once(state.parts)
    if state.outcome is not None and not isinstance(state.outcome, Failed):
        assert {part.tool_call_id for part in state.parts if isinstance(part, ToolResult)} >= set(called)


def assert_ids_once(parts: tuple[Part, ...]) -> None:
    for kind in (ToolCall, ToolResult):
        found = [part.tool_call_id for part in parts if isinstance(part, kind)]
        assert len(found) == len(set(found))


@given(small, st.data())
def test_the_log_of_a_loop_is_only_ever_added_to(limits: ToolLimits, data: st.DataObject) -> None:
    state, position, seen = a_run(limits), 0, list[LogEvent]()
    for event in data.draw(walks(limits)):
        state, _ = apply_event(state, event)
        if data.draw(st.booleans()):
            pieces = events_after(state, position)
            seen += pieces
            position = pieces[-1].position if pieces else position
    seen += events_after(state, position)

    assert merged(seen) == merged(list(events_after(state, 0)))
