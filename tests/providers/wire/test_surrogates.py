from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from app.domain.conversation.parts import plain_text
from app.domain.stream.stream_events import PartEnded, TextReceived, ThinkingReceived
from app.providers.wire.surrogates import Mender
from tests.providers.playing import a_provider, play


def halves(text: str) -> list[str]:
    """Split a text as JavaScript counts it: the two surrogates of a character are separate."""
    units = text.encode("utf-16-le", "surrogatepass")
    return [units[place : place + 2].decode("utf-16-le", "surrogatepass") for place in range(0, len(units), 2)]


@given(text=st.text(st.sampled_from("aé€😀🌍"), min_size=1))
async def test_characters_sent_in_halves_arrive_whole(text: str) -> None:
    chunks = [
        b'data: {"choices":[{"delta":{"content":' + json.dumps(piece).encode() + b"}}]}\n\n" for piece in halves(text)
    ]

    told = await play(a_provider("groq"), [*chunks, b'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\n'])

    assert plain_text(told.parts) == text


@given(pieces=st.lists(st.text(st.characters(categories=["Cs", "Ll"])), max_size=5))
async def test_no_half_character_ever_gets_into_a_text(pieces: list[str]) -> None:
    chunks = [b'data: {"choices":[{"delta":{"content":' + json.dumps(piece).encode() + b"}}]}\n\n" for piece in pieces]

    told = await play(a_provider("groq"), chunks)

    plain_text(told.parts).encode()  # raises for a lone surrogate


def test_a_lone_surrogate_is_replaced_at_its_position() -> None:
    mender = Mender()

    events = [*mender.mend([TextReceived("a\ud83d")]), *mender.mend([PartEnded()]), *mender.end()]

    assert events == [TextReceived("a"), TextReceived("\ufffd"), PartEnded()]


def test_halves_of_different_kinds_are_not_joined() -> None:
    mender = Mender()

    assert mender.mend([ThinkingReceived("\ud83d"), TextReceived("\ude00")]) == [
        ThinkingReceived("\ufffd"),
        TextReceived("\ufffd"),
    ]
