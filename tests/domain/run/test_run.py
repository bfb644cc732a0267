from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.conversation.lifecycle import FINAL, Lifecycle, Step, apply_step
from app.domain.conversation.parts import Text, Thinking, ToolCall
from app.domain.errors import RETRYABLE, ErrorClass, failure
from app.domain.retry_policy import MAX_BACKOFF, MAX_RETRIES, RetryLimits, RetryPolicy
from app.domain.run.run import (
    MAX_RETRY_AFTER,
    Canceled,
    CloseStream,
    Failed,
    FinishRun,
    RunState,
    StartAttempt,
    Succeeded,
    WaitForRetry,
    apply_event,
    lifecycle_of,
)
from app.domain.run.run_events import (
    AttemptFailed,
    CancelRequested,
    Interrupted,
    OutOfOrderError,
    RetryDue,
    RunEvent,
    StreamEnded,
)
from app.domain.run.run_log import LogEvent, events_after
from app.domain.stream.stream_events import (
    PartEnded,
    RedactedThinkingReceived,
    Stopped,
    StopReason,
    StreamEvent,
    TextReceived,
    ThinkingReceived,
    ThinkingSigned,
    ToolCallStarted,
    ToolInputReceived,
    UsageReported,
    join_text,
)
from app.domain.usage import Usage
from tests.builders import a_run

OVERLOADED = failure(ErrorClass.OVERLOADED, "busy")


def after(*events: RunEvent) -> RunState:
    state = a_run()
    for event in events:
        state, _ = apply_event(state, event)
    return state


def test_text_grows_the_open_part() -> None:
    state = after(TextReceived("Hel"), TextReceived("lo"))

    assert state.parts == (Text("Hello"),)
    assert lifecycle_of(state) is Lifecycle.AWAITING


def test_thinking_text_and_tool_calls_are_parts_in_the_order_received() -> None:
    state = after(
        ThinkingReceived("let me see"),
        ThinkingSigned("sig", "anthropic"),
        TextReceived("Well: "),
        ToolCallStarted("t1", "add"),
        ToolInputReceived('{"a":'),
        ToolInputReceived("1}"),
        PartEnded(),
        Stopped(StopReason.TOOL_CALLS),
        StreamEnded(),
    )

    assert state.parts == (
        Thinking("let me see", "sig", "anthropic"),
        Text("Well: "),
        ToolCall("t1", "add", '{"a":1}', complete=True),
    )
    assert state.outcome == Succeeded(StopReason.TOOL_CALLS)


def test_a_part_that_ended_is_not_grown() -> None:
    assert after(TextReceived("a"), PartEnded(), TextReceived("b")).parts == (Text("a"), Text("b"))


def test_redacted_thinking_keeps_the_vendors_data() -> None:
    assert after(RedactedThinkingReceived("xyz", "anthropic")).parts == (
        Thinking("", "xyz", "anthropic", redacted=True),
    )


def test_a_stream_that_ends_without_a_stop_reason_is_a_failure_and_keeps_the_text() -> None:
    state = after(TextReceived("half a"), StreamEnded())

    assert isinstance(state.outcome, Failed)
    assert state.outcome.reason.error_class is ErrorClass.STREAM
    assert state.parts == (Text("half a"),)


@pytest.mark.parametrize("reason", [StopReason.CONTENT_FILTER, StopReason.REFUSAL])
def test_a_reply_stopped_for_its_content_is_a_failure_of_that_class(reason: StopReason) -> None:
    state = after(TextReceived("I"), Stopped(reason), StreamEnded())

    assert isinstance(state.outcome, Failed)
    assert state.outcome.reason.error_class is ErrorClass.CONTENT_FILTER


def test_stopped_run_keeps_the_text_received_and_closes_the_stream_first() -> None:
    state, actions = apply_event(after(TextReceived("half a")), CancelRequested())

    assert actions == (CloseStream(), FinishRun(Canceled()))
    assert (state.parts, lifecycle_of(state)) == ((Text("half a"),), Lifecycle.CANCELED)


def test_interrupted_run_is_an_error_that_keeps_the_text_received() -> None:
    state = after(TextReceived("half a"), Interrupted())

    assert isinstance(state.outcome, Failed)
    assert state.outcome.reason.error_class is ErrorClass.INTERRUPTED
    assert state.parts == (Text("half a"),)


def test_a_tool_call_cut_in_its_input_never_counts_as_complete() -> None:
    state = after(ToolCallStarted("t1", "rm"), ToolInputReceived('{"path": "/'), Interrupted())

    assert state.parts == (ToolCall("t1", "rm", '{"path": "/', complete=False),)


def test_tool_input_without_a_call_is_a_fault_of_the_adapter() -> None:
    with pytest.raises(OutOfOrderError, match="without an open tool call"):
        apply_event(a_run(), ToolInputReceived("{}"))


@pytest.mark.parametrize("error_class", sorted(RETRYABLE))
def test_retryable_failures_before_the_first_token_wait_and_try_again(error_class: ErrorClass) -> None:
    state, actions = apply_event(a_run(), AttemptFailed(failure(error_class, "no"), jitter=0.0))

    assert actions == (WaitForRetry(0.5),)
    assert apply_event(state, RetryDue())[1] == (StartAttempt(2),)


@pytest.mark.parametrize("error_class", sorted(set(ErrorClass) - RETRYABLE))
def test_other_failures_end_the_run_at_once(error_class: ErrorClass) -> None:
    state, _ = apply_event(a_run(), AttemptFailed(failure(error_class, "no"), jitter=0.0))

    assert state.outcome == Failed(failure(error_class, "no"))


def test_nothing_is_retried_once_a_token_came() -> None:
    state = after(ThinkingReceived("h"), AttemptFailed(OVERLOADED, jitter=0.0))

    assert state.outcome == Failed(OVERLOADED)


def test_retries_back_off_and_end_after_the_last() -> None:
    state, waits = a_run(), list[float]()
    for _ in range(MAX_RETRIES):
        state, actions = apply_event(state, AttemptFailed(OVERLOADED, jitter=0.999))
        assert isinstance(actions[0], WaitForRetry)
        waits.append(actions[0].seconds)
        state, _ = apply_event(state, RetryDue())

    state, actions = apply_event(state, AttemptFailed(OVERLOADED, jitter=0.0))

    assert waits == sorted(waits)
    assert max(waits) <= MAX_BACKOFF
    assert actions == (FinishRun(Failed(OVERLOADED)),)


def test_a_policy_of_no_retries_ends_at_the_first_failure_also_where_the_provider_names_a_time() -> None:
    state = replace(a_run(), start=replace(a_run().start, retry_policy=RetryPolicy.NONE))
    limited = failure(ErrorClass.RATE, "slow down", retry_after=1.0)

    for reason in (OVERLOADED, limited):
        assert apply_event(state, AttemptFailed(reason, jitter=0.5))[1] == (FinishRun(Failed(reason)),)


def test_linear_retries_wait_equally_long_and_end_after_the_last() -> None:
    state, waits = replace(a_run(), start=replace(a_run().start, retry_policy=RetryPolicy.LINEAR)), list[float]()
    for _ in range(MAX_RETRIES):
        state, actions = apply_event(state, AttemptFailed(OVERLOADED, jitter=0.5))
        assert isinstance(actions[0], WaitForRetry)
        waits.append(actions[0].seconds)
        state, _ = apply_event(state, RetryDue())

    assert waits == [1.5] * MAX_RETRIES
    assert apply_event(state, AttemptFailed(OVERLOADED, jitter=0.5))[1] == (FinishRun(Failed(OVERLOADED)),)


def test_a_conversation_can_have_more_retries_and_a_shorter_longest_wait() -> None:
    limits = RetryLimits(max_retries=5, max_backoff_seconds=3.0)
    state, waits = replace(a_run(), start=replace(a_run().start, retry_limits=limits)), list[float]()
    for _ in range(5):
        state, actions = apply_event(state, AttemptFailed(OVERLOADED, jitter=1.0))
        assert isinstance(actions[0], WaitForRetry)
        waits.append(actions[0].seconds)
        state, _ = apply_event(state, RetryDue())

    assert waits == [1.0, 2.0, 3.0, 3.0, 3.0]
    assert apply_event(state, AttemptFailed(OVERLOADED, jitter=0.5))[1] == (FinishRun(Failed(OVERLOADED)),)


@pytest.mark.parametrize(("wish", "waited"), [(7.0, 7.0), (MAX_RETRY_AFTER + 1, None)])
def test_retry_after_is_obeyed_up_to_a_limit(wish: float, waited: float | None) -> None:
    limited = failure(ErrorClass.RATE, "slow down", retry_after=wish)

    _, actions = apply_event(a_run(), AttemptFailed(limited, jitter=0.5))

    assert actions == ((WaitForRetry(waited),) if waited else (FinishRun(Failed(limited)),))


@pytest.mark.parametrize("late", [TextReceived("late"), StreamEnded(), AttemptFailed(OVERLOADED, jitter=0.0)])
def test_a_run_that_waits_for_its_next_attempt_ignores_events_of_the_last(late: RunEvent) -> None:
    waiting = after(AttemptFailed(OVERLOADED, jitter=0.0))

    assert apply_event(waiting, late) == (waiting, ())


def test_a_failed_attempts_usage_is_not_the_replys() -> None:
    state = after(UsageReported(Usage(input_tokens=9)), AttemptFailed(OVERLOADED, jitter=0.0))

    assert state.usage is None


# --- properties ---

stream_events: st.SearchStrategy[StreamEvent] = st.one_of(
    st.builds(TextReceived, st.text(max_size=5)),
    st.builds(ThinkingReceived, st.text(max_size=5)),
    st.builds(ThinkingSigned, st.just("sig"), st.just("anthropic")),
    st.builds(ToolCallStarted, st.just("t"), st.just("tool")),
    st.builds(RedactedThinkingReceived, st.just("data"), st.just("anthropic")),
    st.builds(UsageReported, st.builds(Usage, st.integers(0, 9))),
    st.builds(Stopped, st.sampled_from(StopReason)),
    st.just(PartEnded()),
)
run_events: st.SearchStrategy[RunEvent] = st.one_of(
    stream_events,
    st.builds(AttemptFailed, st.builds(failure, st.sampled_from(ErrorClass), st.just("no")), st.floats(0, 0.99)),
    st.just(StreamEnded()),
    st.just(RetryDue()),
    st.just(CancelRequested()),
    st.just(Interrupted()),
)


@given(st.lists(run_events, max_size=30))
def test_random_events_never_leave_the_lifecycle_and_never_lose_text(events: list[RunEvent]) -> None:
    state = a_run()
    for event in events:
        before = state

        state, actions = apply_event(state, event)

        assert sum(isinstance(action, FinishRun) for action in actions) == (
            before.outcome is None and state.outcome is not None
        )
        if before.outcome is not None:
            assert state == before
        if lifecycle_of(before) is not lifecycle_of(state):
            legal = {apply_step(Lifecycle.AWAITING, step) for step in (Step.SUCCEED, Step.FAIL, Step.CANCEL)}
            assert lifecycle_of(state) in legal <= FINAL
        assert words(state).startswith(words(before))


@given(st.lists(run_events, max_size=30), st.data())
def test_a_log_followed_in_any_pieces_is_the_whole_log(events: list[RunEvent], data: st.DataObject) -> None:
    state, position, seen = a_run(), 0, list[LogEvent]()
    for event in events:
        state, _ = apply_event(state, event)
        if data.draw(st.booleans()):
            pieces = events_after(state, position)
            seen += pieces
            position = pieces[-1].position if pieces else position
    seen += events_after(state, position)

    assert merged(seen) == merged(list(events_after(state, 0)))
    assert [event.kind in {"done", "error", "cancelled"} for event in seen].count(True) == (state.outcome is not None)


@given(st.lists(run_events, max_size=20), st.integers(0, 60))
def test_a_follower_may_resume_at_any_position(events: list[RunEvent], position: int) -> None:
    state = after(*events)
    whole = events_after(state, 0)
    end = whole[-1].position

    rest = events_after(state, position)

    if position < end:
        assert rest[-1] == replace(whole[-1], data=rest[-1].data)
        skipped = "".join(event.data.get("text", "") for event in whole)
        assert skipped.endswith("".join(event.data.get("text", "") for event in rest))
    elif state.outcome is not None and position > end:
        assert [event.kind for event in rest] == [whole[-1].kind]
    else:
        assert rest == ()


@given(st.lists(stream_events, max_size=20), st.data())
def test_any_joining_of_adjacent_text_gives_the_same_message(events: list[StreamEvent], data: st.DataObject) -> None:
    cut = data.draw(st.integers(0, len(events)))

    batched = after(*join_text(events[:cut]), *join_text(events[cut:]))

    assert batched == after(*events)


def words(state: RunState) -> str:
    return "".join(part.text for part in state.parts if isinstance(part, Text | Thinking))


def merged(events: list[LogEvent]) -> list[tuple[str, Any]]:
    """Return events without positions, with adjacent text of one part joined."""
    found: list[tuple[str, Any]] = []
    for event in events:
        if found and found[-1][0] == event.kind and event.kind in {"text", "thinking", "tool_input"}:
            kind, last = found[-1]
            if last["index"] == event.data["index"]:
                found[-1] = (kind, {**last, "text": last["text"] + event.data["text"]})
                continue
        found.append((event.kind, event.data))
    return found
