from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.conversation.parts import Part, Text, ToolCall, ToolResult
from app.domain.errors import InputError
from app.domain.request.exchanges import Exchange, split_messages
from app.domain.request.request import RequestMessage, WireRole

CALL = ToolCall("c1", "look", "{}", complete=True)
RESULT = ToolResult("c1", (Text("seen"),))


def said(role: WireRole, text: str) -> RequestMessage:
    return RequestMessage(role, (Text(text),))


def test_last_words_of_the_user_are_the_draft():
    split = split_messages((said("user", "a"), said("assistant", "b"), said("user", "c")))

    assert split.exchanges == (Exchange((Text("a"),), (Text("b"),)),)
    assert split.draft == (Text("c"),)


def test_results_at_the_end_leave_no_draft():
    split = split_messages((said("user", "a"), RequestMessage("assistant", (CALL,)), RequestMessage("tool", (RESULT,))))

    assert split.exchanges == (Exchange((Text("a"),), (CALL, RESULT)),)
    assert split.draft == ()


@pytest.mark.parametrize("reply", [(CALL,), (RESULT,)])
def test_calls_and_results_must_match(reply: tuple[ToolCall | ToolResult, ...]):
    with pytest.raises(InputError):
        split_messages((said("user", "a"), RequestMessage("assistant", reply)))


@given(st.lists(st.tuples(st.sampled_from(["user", "assistant"]), st.text("ab ", min_size=0, max_size=3)), min_size=1))
def test_no_text_is_lost_or_moved(messages: list[tuple[WireRole, str]]):
    split = split_messages(tuple(said(role, text) for role, text in messages))

    kept: list[Part] = []
    for exchange in split.exchanges:
        kept += (*exchange.request, *exchange.reply)
    texts = [part.text for part in (*kept, *split.draft) if isinstance(part, Text) and part.text.strip()]
    assert texts == [text for _, text in messages if text.strip()]
