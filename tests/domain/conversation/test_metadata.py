from __future__ import annotations

from typing import Any

import pytest

from app.domain.conversation.metadata import decode_metadata, encode_metadata
from app.domain.errors import InputError, StoreError


def nested(depth: int) -> Any:
    return [nested(depth - 1)] if depth else []


@pytest.mark.parametrize(
    "value", [{}, {"a": None, "b": [True, 1.5, -7, "ü"], "c": {"d": {}}}, {"most": 2**53}, {"deep": nested(6)}]
)
def test_metadata_is_read_as_it_was_written(value: dict[str, Any]) -> None:
    assert decode_metadata(encode_metadata("metadata", value)) == value


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ({"text": "x" * 16_400}, "The maximum is 16,384"),
        ({"deep": nested(8)}, "more than 8 levels"),
        ({"number": 2**53 + 1}, "Write it as a text"),
        ({"number": float("inf")}, "not JSON"),
        ({"text": "\ud800"}, "lone surrogate"),
        ({"time": object()}, "not JSON"),
    ],
)
def test_what_another_program_could_not_read_is_refused(value: dict[str, Any], reason: str) -> None:
    with pytest.raises(InputError, match=reason) as refused:
        encode_metadata("reply_metadata", value)

    assert refused.value.field == "reply_metadata"


@pytest.mark.parametrize("text", ["[1]", "{", "7"])
def test_stored_text_that_is_no_object_is_damage(text: str) -> None:
    with pytest.raises(StoreError):
        decode_metadata(text)
