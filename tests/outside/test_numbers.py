"""A number of millions of digits in an answer: refused before Python's own reader copies it."""

from __future__ import annotations

import pytest

from app.providers.wire.json_values import MAX_DIGITS, load_json
from tests.outside.memory import Memory

MOST_MB = 16
"""Slightly more than twice the body: two providers at the same time stay far below 64."""


@pytest.mark.parametrize("before", [b'{"n":', b'{"n":-', b'{"n":1e', b"["])
def test_a_number_of_millions_of_digits_is_refused_without_a_copy(before: bytes) -> None:
    body = before + b"1" * 7_000_000 + (b"]" if before == b"[" else b"}")
    memory = Memory.now()
    with pytest.raises(ValueError, match="more than 1,000,000 digits"):
        load_json(body)

    assert memory.growth() <= MOST_MB


def test_a_number_with_fewer_digits_is_still_read() -> None:
    digits = b"1" * MAX_DIGITS

    assert load_json(b'{"n":%b,"t":"%b"}' % (digits, digits * 2)) == {"n": float("inf"), "t": (digits * 2).decode()}
