from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.domain.errors import InputError
from app.domain.tools.arguments import read_arguments, write_arguments

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@settings(derandomize=True)
@given(st.dictionaries(st.text(), VALUES, max_size=4))
def test_what_is_written_is_read_back(arguments: dict[str, Any]) -> None:
    assert read_arguments(write_arguments(arguments)) == arguments


@settings(derandomize=True)
@given(st.text())
def test_any_text_is_read_as_python_reads_it_or_refused_in_words(text: str) -> None:
    try:
        read = read_arguments(text)
    except InputError:
        return
    assert not text.strip() or read == json.loads(text)


@pytest.mark.parametrize("blank", ["", "  \n"])
def test_a_blank_text_says_that_there_are_no_arguments(blank: str) -> None:
    assert read_arguments(blank) == {}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"path":"/notes","path":"/etc"}', '"path" occurs twice'),
        ('{"a":{"b":1,"b":2}}', '"b" occurs twice'),
        ("[1]", "Arguments must be a JSON object"),
        ("null", "Arguments must be a JSON object"),
        ('{"a":NaN}', "NaN is not a JSON number"),
        ('{"a":-Infinity}', "-Infinity is not a JSON number"),
        ('{"a":1', "at line 1, column 7"),
        ('{"a":' + "[" * 70 + "]" * 70 + "}", "more than 64 levels deep"),
        ('{"a":' + "[" * 200_000 + "]" * 200_000 + "}", "more than 64 levels deep"),
        ('{"a":' + "9" * 5000 + "}", "cannot be shown exactly"),
        ('{"a":9007199254740993}', "cannot be shown exactly"),
        ('{"a":1e400}', "number is too large"),
        ('{"a":"\\ud800"}', "an incomplete character"),
        ('{"\\udc00":1}', "an incomplete character"),
    ],
)
def test_arguments_that_could_be_read_in_two_ways_are_refused(text: str, words: str) -> None:
    with pytest.raises(InputError) as refused:
        read_arguments(text)

    assert words in refused.value.reason


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_what_json_does_not_have_is_not_written(value: float) -> None:
    with pytest.raises(InputError, match="not JSON numbers"):
        write_arguments({"a": value})
