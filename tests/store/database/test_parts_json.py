from __future__ import annotations

from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.conversation.parts import Part, Text, ToolResult
from app.domain.errors import StoreError
from app.store.database.parts_json import decode_parts, encode_parts, pack_parts
from tests.store import values


@given(st.lists(values.parts, max_size=6).map(tuple))
def test_parts_are_read_as_they_were_written(parts: tuple[Part, ...]) -> None:
    written = orjson.dumps(encode_parts(parts))

    assert decode_parts(orjson.loads(written)) == parts
    assert pack_parts(parts) == written


def test_every_stored_part_names_its_type() -> None:
    assert encode_parts((ToolResult("t1", (Text("ok"),)),)) == [
        {
            "type": "tool_result",
            "tool_call_id": "t1",
            "content": [{"type": "text", "text": "ok"}],
            "is_error": False,
        }
    ]


def test_call_that_a_person_denied_is_stored_as_denied() -> None:
    (read,) = decode_parts(encode_parts((ToolResult("t1", (Text("No."),), is_error=True, denied=True),)))

    assert isinstance(read, ToolResult)
    assert read.denied


@pytest.mark.parametrize(
    "stored",
    [
        pytest.param({"type": "hologram", "text": "?"}, id="unknown type"),
        pytest.param({"text": "no type"}, id="no type"),
        pytest.param({"type": "text"}, id="field missing"),
        pytest.param({"type": "text", "text": "Hi", "colour": "red"}, id="field unknown"),
        pytest.param({"type": "text", "text": 5}, id="text that is a number"),
        pytest.param({"type": "text_file", "name": "a.txt", "text": 5}, id="file that is a number"),
        pytest.param({"type": "text_file", "name": "a.txt"}, id="file without text"),
        pytest.param({"type": "tool_result", "tool_call_id": "t1", "content": [{"type": "?"}]}, id="within a result"),
        pytest.param(["text", "Hi"], id="no object"),
    ],
)
def test_a_part_this_version_does_not_know_is_an_error_that_says_what_to_do(stored: Any) -> None:
    with pytest.raises(StoreError, match=r"cannot be read by this version of Inview .* restore a backup"):
        decode_parts([stored])
