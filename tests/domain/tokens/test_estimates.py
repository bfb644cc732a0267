"""The sizes of a pair: all its text in a request, including the text with pictures of tools."""

from __future__ import annotations

import pytest

from app.domain.attachments.attachments import Attachment
from app.domain.context.context import View, build_request
from app.domain.conversation.parts import Text, ToolCall, ToolResult
from app.domain.models.model_profile import ModelProfile
from app.domain.tokens.estimates import list_words, measure_pair
from tests.builders import a_pair
from tests.domain.attachments.test_attachments import HEIC, a_png


@pytest.mark.parametrize(
    "pieces",
    [
        (Attachment("image/png", a_png(5, 7)),),
        (Attachment("image/png", HEIC),),
        (Attachment("audio/wav", b"RIFF", "a.wav"),),
        (Attachment("image/png", a_png(5, 7)), Attachment("image/png", a_png(1, 1))),
    ],
    ids=["a picture", "a picture that no model takes", "a file", "two pictures"],
)
def test_words_that_replace_pictures_of_a_tool_are_counted(pieces: tuple[Attachment, ...]) -> None:
    result = ToolResult("t1", tuple(piece.part() for piece in pieces))
    pair = a_pair("Draw", (ToolCall("t1", "plot", "{}", complete=True), result, Text("There.")))

    built = build_request(View((pair,)), ModelProfile("x:blind", "Blind"))

    sent = [len(word.strip()) for message in built.request.messages for word in list_words(message.parts)]
    assert measure_pair(pair, len).text == sum(sent)
