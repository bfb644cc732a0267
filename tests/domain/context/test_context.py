from __future__ import annotations

import itertools
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.context.context import (
    SUMMARY_HEADING,
    BuiltRequest,
    OutReason,
    View,
    build_cards,
    build_request,
    list_unsupported,
)
from app.domain.conversation.conversation import Checkpoint, Pair
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.conversation.parts import File, Image, Part, Text, Thinking, ToolCall, ToolResult, plain_text
from app.domain.errors import ErrorClass, failure
from app.domain.models.model_profile import ModelProfile
from app.domain.request.hashing import Hashed, content_hashes
from tests.builders import a_pair

PLAIN = ModelProfile("offline:demo", "Demo")
ABLE = ModelProfile("anthropic:claude", "Claude", images=True, files=True, tools=True)
IMAGE = Image("ab" * 32, "image/png")


def sent(built: BuiltRequest) -> list[tuple[str, tuple[Part, ...]]]:
    return [(message.role, message.parts) for message in built.request.messages]


def test_visible_pairs_then_the_draft_are_sent_in_order() -> None:
    pairs = (a_pair("one", "1", position=1), a_pair("two", "2", position=2))

    built = build_request(View(pairs, draft=(Text("three"),)), PLAIN)

    assert sent(built) == [
        ("user", (Text("one"),)),
        ("assistant", (Text("1"),)),
        ("user", (Text("two"),)),
        ("assistant", (Text("2"),)),
        ("user", (Text("three"),)),
    ]
    assert built.out == built.unsupported == ()


def test_system_prompt_prelude_and_summary_are_cards_and_the_system_text_in_that_order() -> None:
    view = View(system_prompt="Be brief.", prelude="Use tables.", checkpoint=Checkpoint("We met.", 1))

    cards = [card.text for card in build_cards(view)]

    assert cards == ["Be brief.", "Use tables.", f"{SUMMARY_HEADING}\nWe met."]
    assert build_request(view, PLAIN).request.system == "\n\n".join(cards)


def test_blank_cards_are_neither_shown_nor_sent() -> None:
    view = View(system_prompt="  \n", prelude="", checkpoint=Checkpoint(" ", 1))

    assert build_cards(view) == ()
    assert build_request(view, PLAIN).request.system == ""


@pytest.mark.parametrize(
    ("pair", "reason"),
    [
        (a_pair(lifecycle=Lifecycle.ERROR, failure=failure(ErrorClass.SERVER, "down")), OutReason.FAILED),
        (a_pair(reply=None, lifecycle=Lifecycle.CANCELED), OutReason.FAILED),
        (a_pair(reply=" \n", lifecycle=Lifecycle.SUCCEEDED), OutReason.FAILED),
        (a_pair(reply=(Thinking(" "),)), OutReason.FAILED),
        (a_pair(reply=(Thinking("Hm."),), lifecycle=Lifecycle.CANCELED), OutReason.FAILED),
        (a_pair(reply=(Thinking("Hm.", "c2ln", "offline"),), lifecycle=Lifecycle.CANCELED), OutReason.FAILED),
        (a_pair(reply=(ToolCall("c1", "rm", "{"),), lifecycle=Lifecycle.CANCELED), OutReason.FAILED),
    ],
)
def test_failed_pairs_and_pairs_without_reply_are_out(pair: Pair, reason: OutReason) -> None:
    built = build_request(View((pair,), draft=(Text("next"),)), PLAIN)

    assert [(out.pair_id, out.reason) for out in built.out] == [(pair.id, reason)]
    assert sent(built) == [("user", (Text("next"),))]


PIECES = st.sampled_from(
    [
        (Text("words"),),
        (Text(" "),),
        (Thinking("Hm."),),
        (Thinking("Hm.", "c2ln", "anthropic"),),
        (Thinking("", "c2ln", "openai"),),
        (ToolCall("a", "clock", "{}", complete=True), ToolResult("a", (Text("noon"),))),
        (ToolCall("b", "rm", "{"),),
        (ToolCall("c", "rm", "{}", complete=True),),
    ]
)


@given(st.lists(st.lists(PIECES, max_size=4), max_size=4))
def test_user_and_assistant_alternate_whatever_there_is_of_the_replies(replies: list[list[tuple[Part, ...]]]) -> None:
    visible = tuple(
        a_pair("asked", tuple(itertools.chain(*reply)), position=place, lifecycle=Lifecycle.CANCELED)
        for place, reply in enumerate(replies, 1)
    )

    built = build_request(View(visible, draft=(Text("next"),)), ABLE)

    roles = [message.role for message in built.request.messages]
    assert set(itertools.pairwise(roles)) <= {
        ("user", "assistant"),
        ("assistant", "user"),
        ("assistant", "tool"),
        ("tool", "assistant"),
        ("tool", "user"),
    }
    assert roles[-1] == "user"


def test_a_canceled_pair_with_text_is_sent_with_its_text() -> None:
    built = build_request(View((a_pair("go", "half a rep", lifecycle=Lifecycle.CANCELED),)), PLAIN)

    assert sent(built) == [("user", (Text("go"),)), ("assistant", (Text("half a rep"),))]


def test_pairs_before_the_checkpoint_are_out() -> None:
    pairs = tuple(a_pair(position=position) for position in (1, 2, 3))

    built = build_request(View(pairs, checkpoint=Checkpoint("Sums.", position=3)), PLAIN)

    assert [(out.pair_id, out.reason) for out in built.out] == [
        ("p1", OutReason.BEFORE_CHECKPOINT),
        ("p2", OutReason.BEFORE_CHECKPOINT),
    ]
    assert {message.pair_id for message in built.request.messages} == {"p3"}


def test_a_blank_request_is_left_out_unless_it_has_attachments() -> None:
    blank = a_pair(" ", "unasked")
    pictured = a_pair((Text(""), IMAGE), "a cat", position=2)

    built = build_request(View((blank, pictured)), ABLE)

    assert sent(built) == [
        ("assistant", (Text("unasked"),)),
        ("user", (IMAGE,)),
        ("assistant", (Text("a cat"),)),
    ]


def test_tool_calls_are_followed_by_their_results_round_by_round() -> None:
    call_1, call_2 = ToolCall("t1", "add", "{}", complete=True), ToolCall("t2", "mul", "{}", complete=True)
    result_1, result_2 = ToolResult("t1", (Text("4"),)), ToolResult("t2", (Text("8"),))

    built = build_request(View((a_pair("?", (Text("hm"), call_1, result_1, call_2, result_2, Text("8!"))),)), ABLE)

    assert sent(built)[1:] == [
        ("assistant", (Text("hm"), call_1)),
        ("tool", (result_1,)),
        ("assistant", (call_2,)),
        ("tool", (result_2,)),
        ("assistant", (Text("8!"),)),
    ]


def test_a_call_without_result_is_on_record_and_not_sent() -> None:
    built = build_request(View((a_pair("?", (Text("hm"), ToolCall("t1", "add"))),)), ABLE)

    assert sent(built)[1:] == [("assistant", (Text("hm"),))]
    assert [(item.kind, item.pair_id) for item in built.unsupported] == [("toolcall", "p1")]


def test_what_the_model_cannot_take_is_on_record_never_dropped_silently() -> None:
    pair = a_pair((Text("look"), IMAGE, File("cd" * 32, "application/pdf", "a.pdf")), "ok")

    built = build_request(View((pair,), draft=(IMAGE,)), PLAIN)

    assert [(item.pair_id, item.kind, item.reason) for item in built.unsupported] == [
        ("p1", "image", "Demo does not support images."),
        ("p1", "file", "Demo does not support files."),
        (None, "image", "Demo does not support images."),
    ]


def test_thinking_goes_back_to_the_vendor_that_signed_it_and_to_no_other() -> None:
    signed, foreign, bare = Thinking("a", "s", "anthropic"), Thinking("b", "s", "openai"), Thinking("c")

    built = build_request(View((a_pair("?", (signed, foreign, bare, Text("so"))),)), ABLE)

    assert sent(built)[1] == ("assistant", (signed, Text("so")))
    assert [item.kind for item in built.unsupported] == ["thinking"]


texts = st.text(max_size=20)
pairs = st.lists(
    st.builds(
        a_pair,
        texts,
        st.none() | texts,
        lifecycle=st.sampled_from([Lifecycle.SUCCEEDED, Lifecycle.ERROR, Lifecycle.CANCELED]),
    ),
    max_size=8,
).map(tuple)


@given(pairs, texts)
def test_every_visible_pair_is_either_sent_or_out_with_a_reason(visible: tuple[Pair, ...], draft: str) -> None:
    built = build_request(View(visible, draft=(Text(draft),)), PLAIN)

    said = [plain_text(message.parts) for message in built.request.messages]
    sendable = [
        (plain_text(pair.request.parts), plain_text(pair.reply.parts))
        for pair in visible
        if pair.reply and pair.lifecycle is not Lifecycle.ERROR and plain_text(pair.reply.parts).strip()
    ]
    assert said == [text for text in (*itertools.chain(*sendable), draft) if text.strip()]
    assert len(built.out) == len(visible) - len(sendable)


@given(pairs, pairs, texts)
def test_equal_prefixes_have_equal_hashes_and_any_difference_changes_all_later_ones(
    shared: tuple[Pair, ...], rest: tuple[Pair, ...], draft: str
) -> None:
    short = build_request(View(shared), PLAIN).request
    long = build_request(View(shared + rest, draft=(Text(draft),)), PLAIN).request

    hashes = content_hashes(long)

    assert hashes[: len(short.messages) + 1] == content_hashes(short)
    changed = build_request(View(shared + rest, draft=(Text(draft),), system_prompt="Other."), PLAIN).request
    assert not set(hashes) & set(content_hashes(changed))


@given(pairs, pairs, pairs)
def test_hashes_are_the_same_whatever_was_known_before(
    shared: tuple[Pair, ...], one: tuple[Pair, ...], other: tuple[Pair, ...]
) -> None:
    request = build_request(View(shared + one), PLAIN).request
    for known in (View(shared + other), View(shared), View(other, system_prompt="Other.")):
        before = build_request(known, PLAIN).request

        assert content_hashes(request, Hashed(before, content_hashes(before))) == content_hashes(request)


def test_a_hash_does_not_depend_on_ids_or_times() -> None:
    pair = a_pair()
    other = replace(pair, id="p9", position=9, created_at=datetime(2030, 1, 1, tzinfo=UTC))

    hashes = [content_hashes(build_request(View((each,)), PLAIN).request) for each in (pair, other)]

    assert hashes[0] == hashes[1]


@pytest.mark.parametrize(("lifecycle", "told"), [(Lifecycle.AWAITING, 1), (Lifecycle.CANCELED, 2)])
def test_a_call_that_waits_for_its_result_lacks_none_while_the_reply_is_on(lifecycle: Lifecycle, told: int) -> None:
    call = ToolCall("c1", "clock", "{}", complete=True)
    pair = a_pair((Text("Look"), Image("a" * 64, "image/png", 1, 1)), (call,), lifecycle=lifecycle)

    reasons = [one.reason for one in list_unsupported(pair, ModelProfile("offline:demo", "Demo"))]

    assert len(reasons) == told
    assert "does not support images" in reasons[0]
