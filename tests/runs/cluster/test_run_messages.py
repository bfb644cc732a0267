"""States of a run as messages: what arrives is what was sent, and a missing message is noticed."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.conversation.parts import Text
from app.domain.errors import ErrorClass, failure
from app.domain.run.rounds import Round
from app.domain.run.state import Canceled, Failed, Retry, RunState, Succeeded
from app.domain.stream_events import StopReason
from app.domain.usage import Usage
from app.runs.cluster.run_messages import GapError, Numbered, decode, encode_growth, encode_whole
from tests.builders import a_run
from tests.domain.run.test_growth import replies

BUSY = failure(ErrorClass.OVERLOADED, "busy")
usages = st.none() | st.builds(Usage, st.integers(0, 9), st.integers(0, 9))
outcomes = st.sampled_from([None, Succeeded(StopReason.END), Failed(BUSY), Canceled()])
phases = st.sampled_from(["awaiting", "retrying", "streaming", "calling", "finished"])


@st.composite
def states(draw: st.DrawFn) -> RunState:
    return replace(
        a_run(),
        phase=draw(phases),
        attempt=draw(st.integers(1, 3)),
        retries=draw(st.lists(st.builds(Retry, st.just(1), st.just(0.5), st.just(BUSY)), max_size=2).map(tuple)),
        parts=draw(replies),
        part_open=draw(st.booleans()),
        usage=draw(usages),
        report_fault=draw(st.none() | st.just("it is no number")),
        stop_reason=draw(st.none() | st.sampled_from(StopReason)),
        outcome=draw(outcomes),
        rounds=draw(st.lists(st.builds(Round, st.just(1), usages), max_size=2).map(tuple)),
    )


@given(st.lists(states(), min_size=1, max_size=4))
def test_what_arrives_is_what_was_sent(sent: list[RunState]) -> None:
    first, *others = sent
    arrived = decode(encode_whole(1, first), None)
    assert arrived == Numbered(1, first)

    for number, (before, state) in enumerate(zip(sent, others, strict=False), 2):
        arrived = decode(encode_growth(number, before, state), arrived)
        assert arrived == Numbered(number, state)


def test_a_missing_message_is_noticed() -> None:
    first = a_run()
    later = replace(first, attempt=2)

    for known in (None, Numbered(1, first)):
        with pytest.raises(GapError):
            decode(encode_growth(3, first, later), known)


def test_a_text_that_goes_on_is_sent_by_what_it_gained() -> None:
    before = replace(a_run(), parts=(Text("word " * 10_000),))

    assert len(encode_growth(2, before, replace(before, parts=(Text("word " * 10_001),)))) < 60
