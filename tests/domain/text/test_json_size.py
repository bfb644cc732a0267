"""Values of JSON are counted correctly in every piecewise reading of a text, before any of them is built."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.text.json_size import ValueCount, has_more_values

JSON = st.recursive(
    st.none() | st.integers(-5, 5) | st.text('a"\\[]{},:é\n', max_size=6),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text('a"\\,[', max_size=3), inner, max_size=4),
    max_leaves=20,
)


def count_marks(value: Any) -> int:
    """Return the number of opening brackets and commas of a value, found by building it."""
    if not isinstance(value, dict | list):
        return 0
    inner: list[Any] = list(value.values()) if isinstance(value, dict) else value  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    return 1 + max(len(inner) - 1, 0) + sum(map(count_marks, inner))


@given(JSON, st.booleans(), st.integers(1, 9))
def test_pieces_of_a_text_have_the_number_of_values_of_the_text(value: Any, indented: bool, size: int) -> None:
    text = orjson.dumps(value, option=orjson.OPT_INDENT_2 if indented else None)
    count = ValueCount()
    for start in range(0, len(text), size):
        count.feed(text[start : start + size])

    assert count.values == count_marks(value)


@pytest.mark.parametrize("text", [b'["a",{"b":[1]}]', b'["\\"[[[,,,"]'])
def test_a_text_has_more_values_than_one_less(text: bytes) -> None:
    values = ValueCount().feed(text)

    assert has_more_values(text, values - 1)
    assert not has_more_values(text, values)


@pytest.mark.parametrize("coding", ["utf-16-le", "utf-16-be"])
def test_values_in_other_codings_are_counted_as_well(coding: str) -> None:
    """In this coding the character contains the byte of a quote."""
    assert has_more_values(('["∀",' + "[]," * 1_000 + "[]]").encode(coding), 1_000)


def test_quotes_in_lines_that_are_no_json_hide_no_values_of_the_next_line() -> None:
    assert ValueCount().feed(b': a " quote\ndata: [1,2,3]\n') == 3
    count = ValueCount()
    count.feed(b': a " quo')
    assert count.feed(b"te\ndata: [1,2,3]\n") == 3
