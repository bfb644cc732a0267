from __future__ import annotations

from dataclasses import replace

import pytest

from app.domain.conversation.conversation import Effort, Parameters
from app.domain.conversation.parts import (
    File,
    Image,
    SentTextFile,
    Text,
    TextFile,
    Thinking,
    ToolCall,
    ToolResult,
    write_text_file,
)
from app.domain.request.request import Request, RequestMessage, ToolDefinition
from app.domain.request.sent_pieces import check_text, read_pieces, write_pieces

REQUEST = Request(
    "offline:demo",
    "Be brief.",
    (
        RequestMessage("user", (Text("Look:"), Image("ab" * 32, "image/png"), File("cd" * 32, "application/pdf", "a"))),
        RequestMessage(
            "assistant",
            (Thinking("Hm.", "signed", "anthropic"), ToolCall("t1", "clock", '{"zone":"UTC"}', complete=True)),
            "p1",
        ),
        RequestMessage("tool", (ToolResult("t1", (Text("noon"), Image("ef" * 32, "image/png")), is_error=True),), "p1"),
        RequestMessage("user", (Text("“Why?”\n😀"),), "p2"),
    ),
    Parameters(temperature=0.5, effort=Effort.LOW),
    (ToolDefinition("clock", "Tells the time.", '{"type":"object"}'),),
)


def test_pieces_have_everything_that_a_model_receives() -> None:
    written = list(write_pieces(REQUEST))
    pieces = tuple(one.piece for one in written)

    content = read_pieces(pieces, {one.piece.hash: one.text.decode() for one in written})

    assert [piece.role for piece in pieces] == ["parameters", "system", "tools", "user", "assistant", "tool", "user"]
    assert (content.parameters, content.system) == ({"temperature": 0.5, "effort": "low"}, "Be brief.")
    assert (content.tools, content.messages) == (REQUEST.tools, REQUEST.messages)
    assert [one.pair_id for one in written[3:]] == [None, "p1", "p1", "p2"]
    assert [piece.has_tool_calls for piece in pieces[3:]] == [False, True, False, False]
    assert pieces[-1].length == len("“Why?”\n😀")


def test_equal_messages_have_equal_hashes_wherever_they_are() -> None:
    first, second = (list(write_pieces(replace(REQUEST, system=system)))[-1].piece for system in ("", "Be long."))

    assert first == second
    assert [one.piece for one in write_pieces(REQUEST, 3)] == [first]


def test_text_file_is_recorded_as_the_text_that_was_sent() -> None:
    file = TextFile("a.csv", "x,y")
    (written,) = write_pieces(Request("offline:demo", "", (RequestMessage("user", (SentTextFile(file),)),)))

    (message,) = read_pieces((written.piece,), {written.piece.hash: written.text.decode()}).messages

    assert message is not None
    assert message.parts == (Text(write_text_file(file)),)


def test_texts_that_are_gone_are_none() -> None:
    pieces = tuple(one.piece for one in write_pieces(REQUEST))

    content = read_pieces(pieces, {})

    assert (content.parameters, content.system, content.tools) == (None, None, None)
    assert content.messages == (None,) * 4


@pytest.mark.parametrize("text", ["", "[]", '{"role":"user"}', '{"role":"user","parts":[{"type":"song"}]}'])
def test_text_of_another_form_is_refused(text: str) -> None:
    with pytest.raises((ValueError, KeyError, TypeError)):
        check_text("user", text)
