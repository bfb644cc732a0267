"""Frames of the live socket: whatever the pieces, a browser that applies them has the reply."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson
from hypothesis import given
from hypothesis import strategies as st

from app.api.live_frames import LONGEST_PIECE, WINDOW_BYTES, ReplyFrames, control, cut_piece, join_sizes, window_frame
from app.domain.errors import ErrorClass, failure
from app.domain.run import AttemptFailed, CancelRequested, RunEvent, apply_event
from app.domain.run_log import events_after
from app.domain.stream_events import (
    PartEnded,
    RedactedThinkingReceived,
    TextReceived,
    ThinkingReceived,
    ThinkingSigned,
    ToolCallStarted,
    ToolInputReceived,
)
from app.views.pair import describe_pair_on_screen
from app.views.parts import describe_parts
from tests.api.browser import Browser
from tests.builders import a_pair, a_run

pieces = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)


def a_signed_thought(text: str) -> list[RunEvent]:
    return [ThinkingReceived(text), ThinkingSigned("sig", "anthropic")]


def a_tool_call(name: str, text: str) -> list[RunEvent]:
    return [ToolCallStarted(f"t-{name}", name), ToolInputReceived(text)]


groups: st.SearchStrategy[Sequence[RunEvent]] = st.one_of(
    st.tuples(st.builds(TextReceived, pieces)),
    st.tuples(st.builds(ThinkingReceived, pieces)),
    st.builds(a_signed_thought, pieces),
    st.tuples(st.just(PartEnded())),
    st.builds(a_tool_call, pieces, pieces),
)


def browser_applies(frames: list[str]) -> list[dict[str, Any]]:
    browser = Browser()
    started: dict[str, Any] = {"id": "p1", "position": 1, "lifecycle": "awaiting", "parts": []}
    for frame in [control("pairs", pairs=[started]), *frames]:
        browser.take(frame)
    return browser.pairs[0]["parts"]


def essence(parts: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(part["type"], part["input_json"] if part["type"] == "tool_call" else part["text"]) for part in parts]


@given(st.lists(groups, max_size=12), st.data())
def test_a_browser_has_the_stored_parts_however_the_log_was_cut(
    received: list[Sequence[RunEvent]], data: st.DataObject
):
    state = a_run()
    writer = ReplyFrames("p1")
    frames: list[str] = []
    position = 0
    for event in (event for group in received for event in group):
        state, _ = apply_event(state, event)
        if data.draw(st.booleans()):
            batch = events_after(state, position)
            frames += writer.write(batch)
            position = batch[-1].position if batch else position
    state, _ = apply_event(state, CancelRequested())
    frames += writer.write(events_after(state, position))

    stored = orjson.loads(orjson.dumps(describe_parts(state.parts)))

    assert essence(browser_applies(frames)) == essence(stored)


def test_a_piece_costs_one_byte_of_protocol():
    assert cut_piece("t", "Hello") == ["tHello"]


def test_no_text_frame_is_longer_than_the_limit_and_nothing_is_lost():
    text = "☃" * (2 * LONGEST_PIECE + 5)

    frames = cut_piece("t", text)

    assert all(len(frame.encode()) <= 256 * 1024 for frame in frames)
    assert "".join(frame[1:] for frame in frames) == text


def test_a_retry_tells_how_long_it_waits():
    state, _ = apply_event(a_run(), AttemptFailed(failure(ErrorClass.RATE, "Slow down.", retry_after=2.0), 0.0))

    (frame,) = ReplyFrames("p1").write(events_after(state, 0))

    assert orjson.loads(frame) == {
        "type": "retry",
        "pair_id": "p1",
        "attempt": 1,
        "seconds": 2.0,
        "class": "rate",
        "message": "Slow down.",
    }


def test_hidden_thinking_begins_a_part_without_words():
    state, _ = apply_event(a_run(), RedactedThinkingReceived("opaque", "anthropic"))

    assert ReplyFrames("p1").write(events_after(state, 0)) == []


def window(*replies: str, older: bool = False) -> dict[str, Any]:
    pairs = [describe_pair_on_screen(a_pair(reply=reply, position=place)) for place, reply in enumerate(replies, 1)]
    frame, kept = window_frame(pairs, older=older)
    shown = orjson.loads(frame)
    assert len(shown["pairs"]) == kept
    return shown


def test_a_window_of_short_pairs_holds_them_all_and_knows_whether_there_are_older_ones():
    whole = window(*["4"] * 30)
    part = window(*["4"] * 30, older=True)

    assert (len(whole["pairs"]), whole["first"], whole["cursor"]) == (30, False, None)
    assert (len(part["pairs"]), part["first"]) == (30, True)
    assert part["cursor"] is not None


def test_a_window_of_long_pairs_holds_the_newest_that_fit_in_order():
    shown = window(*["x" * 60_000] * 8)

    assert [pair["position"] for pair in shown["pairs"]] == [5, 6, 7, 8]
    assert shown["first"]


def test_a_window_holds_its_newest_pair_however_long():
    assert len(window("x" * 2 * WINDOW_BYTES)["pairs"]) == 1
    assert window("4", "x" * 2 * WINDOW_BYTES)["first"]


def test_an_empty_conversation_has_an_empty_window():
    assert window() == {"type": "window", "pairs": [], "first": False, "cursor": None}


@given(st.dictionaries(st.integers(1, 40), st.integers(0, 9)))
def test_sizes_by_position_are_joined_and_none_is_lost(sizes: dict[int, int]):
    joined = join_sizes(sizes)

    assert {int(first) + place: size for first, run in joined.items() for place, size in enumerate(run)} == sizes
    assert all(int(first) - 1 not in sizes for first in joined)
