"""Pairs as shown: the JSON names that programs rely on, and unknown values shown as unknown."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import orjson
import pytest
from hypothesis import given

from app.domain.conversation.lifecycle import RUNNING, Lifecycle
from app.domain.conversation.parts import File, Image, Part, Text, Thinking, ToolCall, ToolResult
from app.domain.errors import ErrorClass, failure
from app.domain.run.growth import describe_growth
from app.domain.run.run import RunState
from app.domain.stream.stream_events import StopReason
from app.domain.usage import Usage
from app.views.conversation.pair import PairFacts, describe_pair
from app.views.encode import to_json
from app.views.reply.pair import ScreenPart, show_grown, show_pair, show_parts
from app.views.reply.tool_card import ToolCardView
from tests.builders import a_pair
from tests.domain.run.test_growth import followed_states

NAMES_CLIENTS_RELY_ON = {
    "id", "conversation_id", "position", "topic", "model", "agent_id", "stars", "flagged", "mark", "lifecycle", "out",
    "error", "user_text", "reply_text", "parts", "tokens", "usage", "cost", "created_at", "updated_at",
}  # fmt: skip


def json_of(view: object) -> dict[str, object]:
    return orjson.loads(to_json(view))


def test_pair_has_the_names_that_programs_rely_on():
    shown = json_of(describe_pair(a_pair("What is 2 + 2?", "4")))

    assert shown.keys() >= NAMES_CLIENTS_RELY_ON
    assert (shown["user_text"], shown["reply_text"]) == ("What is 2 + 2?", "4")
    assert shown["lifecycle"] == "succeeded"
    assert shown["created_at"] == "2026-01-01T00:01:00Z"


def test_reply_text_is_the_words_without_thinking_and_tools():
    parts = (Thinking("hm"), Text("Hello "), ToolCall("t1", "clock", "{}", complete=True), Text("world"))

    assert describe_pair(a_pair(reply=parts)).reply_text == "Hello world"


def test_every_kind_of_part_is_shown_in_its_place():
    parts = (
        Thinking("hm", signature="secret", vendor="anthropic"),
        Thinking("", signature="opaque", vendor="anthropic", redacted=True),
        Text("Look:"),
        Image("ab" * 32, "image/png", 2, 3),
        File("cd" * 32, "application/pdf", "a.pdf"),
        ToolCall("t1", "clock", '{"zone":1}', complete=True),
        ToolResult("t1", (Text("noon"), Image("ef" * 32, "image/png")), is_error=True),
    )

    shown = json_of(describe_pair(a_pair(reply=parts)))["parts"]

    assert shown == [
        {"type": "thinking", "text": "hm", "redacted": False},
        {"type": "thinking", "text": "", "redacted": True},
        {"type": "text", "text": "Look:"},
        {"type": "image", "attachment_id": "ab" * 32, "media_type": "image/png", "width": 2, "height": 3},
        {"type": "file", "attachment_id": "cd" * 32, "media_type": "application/pdf", "name": "a.pdf"},
        {
            "type": "tool_call",
            "tool_call_id": "t1",
            "name": "clock",
            "input_json": '{"zone":1}',
            "state": "output-error",
        },
        {
            "type": "tool_result",
            "tool_call_id": "t1",
            "content": [
                {"type": "text", "text": "noon"},
                {"type": "image", "attachment_id": "ef" * 32, "media_type": "image/png", "width": 0, "height": 0},
            ],
            "is_error": True,
            "seconds": None,
        },
    ]


def test_failed_pair_says_why_and_what_to_do_next():
    reason = failure(ErrorClass.AUTH, 'There is no key for provider "anthropic".')
    pair = a_pair(reply=None, lifecycle=Lifecycle.ERROR, failure=reason)

    shown = json_of(describe_pair(pair))

    assert shown["error"] == {
        "class": "auth",
        "message": 'There is no key for provider "anthropic".',
        "next_step": "Add or correct the key in Settings → Providers.",
    }
    assert shown["out"] == "failed"
    assert (shown["reply_text"], shown["parts"]) == ("", [])


@pytest.mark.parametrize("lifecycle", sorted(RUNNING))
def test_running_pair_is_not_called_failed_though_it_has_no_reply_yet(lifecycle: Lifecycle):
    assert describe_pair(a_pair(reply=None, lifecycle=lifecycle)).out is None


def test_canceled_pair_with_text_is_sent_unchanged():
    assert describe_pair(a_pair(reply="half a", lifecycle=Lifecycle.CANCELED)).out is None


def test_unknown_figures_are_unknown_rather_than_zero():
    shown = json_of(describe_pair(a_pair()))

    assert (shown["usage"], shown["tokens"], shown["cost"]) == (None, None, "unknown")


def test_usage_joins_what_was_written_to_the_cache():
    usage = Usage(10, 5, cache_read_tokens=3, cache_write_tokens=2, cache_write_1h_tokens=4, reasoning_tokens=1)
    pair = replace(a_pair(), usage=usage, stop_reason=StopReason.MAX_TOKENS)

    shown = json_of(describe_pair(pair, PairFacts(tokens=12)))

    assert shown["usage"] == {
        "input_tokens": 10,
        "output_tokens": 5,
        "cache_read_tokens": 3,
        "cache_write_tokens": 6,
        "reasoning_tokens": 1,
    }
    assert (shown["tokens"], shown["stop_reason"]) == (12, "max_tokens")


CALLED = (ToolCall("t1", "clock", "{}", complete=True), ToolResult("t1", (Text("noon"),)))


@pytest.mark.parametrize(
    ("parts", "lifecycle", "told"),
    [
        ((*CALLED, *CALLED, Text("It is noon.")), Lifecycle.SUCCEEDED, True),
        ((Text("It is noon."),), Lifecycle.SUCCEEDED, False),
        ((*CALLED, *CALLED, Text("It is")), Lifecycle.CANCELED, False),
        ((*CALLED, *CALLED), Lifecycle.SUCCEEDED, False),
    ],
    ids=["rounds", "no tools", "stopped", "ended in a result"],
)
def test_sum_of_several_calls_says_how_many(parts: tuple[Part, ...], lifecycle: Lifecycle, *, told: bool):
    pair = replace(a_pair(reply=parts, lifecycle=lifecycle), usage=Usage(300, 5))

    spent = show_pair(pair).spent

    assert spent is not None
    assert ("Input 300 tokens in 3 calls, " in spent.title) is told


@pytest.mark.parametrize(
    ("usage", "saving", "told"),
    [
        (Usage(200, 10, cache_read_tokens=800), Decimal("0.0012"), "80 % from cache, $0.0012 saved"),
        (Usage(200, 10, cache_read_tokens=800), None, "80 % from cache"),
        (Usage(200, 10, cache_read_tokens=800), Decimal(0), "80 % from cache"),
        (Usage(0, 10, cache_read_tokens=1, cache_write_tokens=999), Decimal("-0.002"), "1 % from cache"),
        (Usage(0, 10, cache_read_tokens=800), Decimal("0.00001"), "100 % from cache, < $0.0001 saved"),
        (Usage(200, 10, cache_write_tokens=800), Decimal("-0.002"), ""),
    ],
)
def test_reply_says_which_share_of_its_input_came_from_the_cache_and_what_that_saved(
    usage: Usage, saving: Decimal | None, told: str
):
    spent = show_pair(replace(a_pair(), usage=usage), PairFacts(cache_saving=saving)).spent

    assert spent is not None
    assert spent.cached == told


def test_signatures_of_vendors_never_reach_a_screen():
    parts = (Thinking("hm", signature="secret-signature", vendor="anthropic"),)

    assert b"secret-signature" not in to_json(describe_pair(a_pair(reply=parts)))


# --- a reply that grows ---


@given(followed_states())
def test_a_reply_that_grew_looks_like_one_shown_whole_and_keeps_the_views_of_its_other_parts(
    states: list[RunState],
) -> None:
    shown, before = tuple[ScreenPart, ...](), None
    for state in states:
        unchanged = describe_growth(before, state).unchanged
        earlier, shown = shown, show_grown(shown, state.parts, unchanged)
        before = state

        assert shown == show_parts(state.parts, running=True)
        kept = zip(earlier[:unchanged], shown, strict=False)
        assert all(was is now or isinstance(now, ToolCardView) for was, now in kept)


def test_the_card_of_a_call_changes_with_its_result_and_the_cards_of_other_calls_stay() -> None:
    calls = (ToolCall("a", "clock", "{}", complete=True), ToolCall("b", "clock", "{}", complete=True))
    before = show_parts(calls, running=True)

    shown = show_grown(before, (*calls, ToolResult("b", (Text("noon"),))), 2)

    assert shown[0] is before[0]
    assert shown == show_parts((*calls, ToolResult("b", (Text("noon"),))), running=True)
    assert shown[1] != before[1]


def test_growth_since_views_that_are_no_longer_shown_shows_the_whole_reply() -> None:
    parts = (Thinking("hm"), Text("Hello"), Text("world"))

    assert show_grown((), parts, 2) == show_parts(parts, running=True)
