"""Pieces of bodies: joined they are the body, and a request that goes on from another one has the same ones."""

from __future__ import annotations

import orjson
from hypothesis import given
from hypothesis import strategies as st

from app.domain.request.body_pieces import LARGE, MAX_SMALL, split_body

Messages = list[dict[str, str]]
MESSAGES = st.lists(
    st.fixed_dictionaries({"role": st.sampled_from(["user", "assistant"]), "content": st.text(max_size=6000)}),
    max_size=8,
)


def body_of(messages: Messages) -> bytes:
    return orjson.dumps({"model": "m", "messages": messages})


@given(body=st.one_of(st.binary(max_size=20_000), MESSAGES.map(body_of)))
def test_pieces_are_the_body_and_none_is_empty(body: bytes) -> None:
    pieces = split_body(body)

    assert b"".join(pieces) == body
    assert all(pieces)


@given(messages=MESSAGES, more=MESSAGES)
def test_a_longer_request_has_all_pieces_but_the_last_one(messages: Messages, more: Messages) -> None:
    pieces, longer = split_body(body_of(messages)), split_body(body_of(messages + more))

    assert longer[: len(pieces) - 1] == pieces[:-1]


def test_a_request_that_begins_some_messages_later_has_nearly_all_of_the_pieces() -> None:
    messages = [{"role": "user", "content": f"{number} " + "word " * (number % 40)} for number in range(1000)]
    pieces = set(split_body(body_of(messages)))

    for first in range(1, 60):
        others = split_body(body_of(messages[first:]))
        assert len(pieces.intersection(others)) >= len(others) - 2, (
            "only what the first message is in, and the next, are new"
        )
        assert len(others) > 50


@given(size=st.integers(0, 300))
def test_messages_that_are_all_alike_make_pieces_of_bounded_size(size: int) -> None:
    pieces = split_body(body_of([{"role": "user", "content": "a" * size}] * 2000))

    assert max(map(len, pieces)) < MAX_SMALL + LARGE


def test_what_looks_like_an_end_within_a_text_is_no_cut() -> None:
    text = "a" * 5000 + '},{"role":"user"' + "b" * 5000

    assert len(split_body(body_of([{"role": "user", "content": text}]))) == 1
