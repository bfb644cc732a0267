from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.conversation.parts import Part, Text, Thinking, ToolCall, ToolResult
from app.domain.run.growth import Growth, apply_growth, describe_growth

words = st.text("ab", max_size=3)
parts: st.SearchStrategy[Part] = st.one_of(
    st.builds(Text, words),
    st.builds(Thinking, words, st.sampled_from([None, "s"])),
    st.builds(ToolCall, words, words, words, st.booleans()),
    st.builds(ToolResult, words, st.tuples(st.builds(Text, words))),
)
replies = st.lists(parts, max_size=4).map(tuple)


@given(replies, replies)
def test_what_was_stored_and_what_it_gained_make_the_reply(before: tuple[Part, ...], after: tuple[Part, ...]) -> None:
    assert apply_growth(before, describe_growth(before, after)) == after


def test_a_text_that_grew_is_described_by_its_growth_alone() -> None:
    long = "word " * 10_000
    before = (Thinking("hm"), Text(long))

    assert describe_growth(before, (Thinking("hm"), Text(long + "end"))) == Growth(2, "end", ())


@pytest.mark.parametrize("growth", [Growth(2, "", ()), Growth(0, "more", ()), Growth(1, "more", ())])
def test_what_another_reply_gained_is_refused(growth: Growth) -> None:
    with pytest.raises(ValueError, match=r"kept|not text"):
        apply_growth((ToolCall("c", "clock"),), growth)
