"""JSON that is still arriving: every beginning can be read, says no more than the whole, and never less than before."""

from __future__ import annotations

import json
from collections.abc import Iterable
from copy import deepcopy
from typing import Any, SupportsIndex, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.structured.partial_json import MAX_DEPTH, JsonChange, JsonReader, PartialJson, read_partial
from tests.work import counting

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
words = st.text(st.characters(exclude_categories=("Cs",)), max_size=8)
values = st.recursive(
    scalars | words,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(words, inner, max_size=4),
    max_leaves=12,
)


def is_beginning(part: Any, whole: Any) -> bool:
    """Return whether a value could be the reading of a beginning of the whole's text."""
    if isinstance(part, dict) and isinstance(whole, dict):
        fields, wanted = cast("dict[str, Any]", part), cast("dict[str, Any]", whole)
        *closed, last = fields or {"": None}
        whole_so_far = fields.keys() <= wanted.keys() and all(fields[key] == wanted[key] for key in closed)
        return whole_so_far and (not fields or is_beginning(fields[last], wanted[last]))
    if isinstance(part, list) and isinstance(whole, list):
        items, all_items = cast("list[Any]", part), cast("list[Any]", whole)
        before = len(items) - 1
        return not items or (items[:before] == all_items[:before] and is_beginning(items[before], all_items[before]))
    if isinstance(part, str) and isinstance(whole, str):
        return whole.startswith(part)
    return part == whole or (isinstance(part, int | float) and json.dumps(whole).startswith(json.dumps(part)[:1]))


@given(values, st.booleans(), st.booleans())
def test_a_whole_text_says_what_it_says(value: Any, ascii_only: bool, spread: bool) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, indent=2 if spread else None)

    assert read_partial(text, final=True) == PartialJson(value, found=True)


@given(values.filter(lambda value: isinstance(value, dict | list)), st.data())
def test_a_beginning_says_a_beginning_and_leads_to_what_is_open(value: Any, data: st.DataObject) -> None:
    text = json.dumps(value, ensure_ascii=data.draw(st.booleans()))
    place = data.draw(st.integers(1, len(text) - 1))

    read = read_partial(text[:place])

    assert read.fault is None
    assert read.open_path is not None
    assert is_beginning(read.value, value)
    reached: Any = read.value
    for step in read.open_path[:-1]:
        reached = reached[step]
    assert read_partial(text[:place], final=True).fault is not None


@given(st.text(max_size=60), st.booleans())
def test_no_text_is_too_broken_to_be_read(text: str, final: bool) -> None:
    read_partial(text, final=final)


@given(st.text('{}[]",:0123456789.eE+-tfn\\u \n`', max_size=40), st.booleans())
def test_nothing_that_looks_like_json_is_too_broken_to_be_read(text: str, final: bool) -> None:
    read = read_partial(text, final=final)
    if final and read.complete and not read.has_other_text and "`" not in text:
        assert json.loads(text) == read.value


@pytest.mark.parametrize(
    ("text", "value", "has_other_text"),
    [
        ('```json\n{"a": 1}\n```', {"a": 1}, False),
        ("```\n[1]```\n", [1], False),
        ('Here it is: {"a": 1}', {"a": 1}, True),
        ('{"a": 1} I hope it helps.', {"a": 1}, True),
        ("[1] [2]", [1], True),
        ('"\\ud83d\\ude00"', "😀", False),
        ('"\\ud83d"', "�", False),
    ],
)
def test_a_fence_is_ignored_and_other_words_are_reported(text: str, value: Any, has_other_text: bool) -> None:
    assert read_partial(text, final=True) == PartialJson(value, found=True, has_other_text=has_other_text)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "The reply has no JSON."),
        ("I cannot do that.", "The reply has no JSON."),
        ('{"a" 1}', "Expected a colon at character 5."),
        ("[1 2]", "Expected a comma or ']' at character 3."),
        ("[01]", "Expected a comma or ']' at character 2."),
        ('["a\nb"]', "A string has a character that must be escaped at character 3."),
        ("[nothing]", "Expected a value at character 1."),
        ("[1e999]", "A number is too large at character 1."),
        (f"[{10**400}]", "A number is too large at character 1."),
        (f"[{'9' * 5000}]", "A number is too large at character 1."),
        ('{"a": [1', "The JSON ends early, inside $.a."),
        ("[" * 5_000, f"It is nested too deeply at character {MAX_DEPTH + 1}."),
    ],
)
def test_what_is_no_json_says_where(text: str, fault: str) -> None:
    assert read_partial(text, final=True).fault == fault


def test_half_an_escape_waits_for_the_rest() -> None:
    assert read_partial('["a\\u00e').value == ["a"]
    assert read_partial('["a\\ud83d').value == ["a"]
    assert read_partial('["a\\ud83d\\ude0').value == ["a"]


def apply_change(value: Any, change: JsonChange) -> Any:
    """Return a value with this change, as a client of the API makes it."""
    root: Any = [value]
    place, last = root, 0
    for step in change.path:
        place, last = place[last], step
    if isinstance(last, int) and last == len(place):
        place.append(change.value)
    else:
        place[last] = place[last] + change.value if change.appended else change.value
    return root[0]


def read_in_pieces(text: str, cuts: Iterable[int]) -> tuple[Any, PartialJson]:
    """Read a text in pieces. Return the value that a client has, and the last result."""
    reader, value = JsonReader(), None
    for end in (*sorted(cuts), len(text)):
        for change in deepcopy(reader.read(text[:end])):
            value = apply_change(value, change)
        at_once = read_partial(text[:end])
        if "too large" in (at_once.fault or ""):  # the value keeps the number that was read before
            assert reader.result.fault == at_once.fault
        else:
            assert reader.result == at_once
        assert json.dumps(value) == json.dumps(reader.result.value)
    return value, reader.result


@given(values, st.booleans(), st.lists(st.integers(0, 120), max_size=12))
def test_the_changes_of_a_growing_text_lead_to_the_same_value(value: Any, ascii_only: bool, cuts: list[int]) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only) + " "

    assert read_in_pieces(text, (cut for cut in cuts if cut < len(text))) == (value, PartialJson(value, found=True))


@given(
    st.text(max_size=40) | st.text('{}[]",:0123456789.eE+-tfn\\u \n`', max_size=60),
    st.lists(st.integers(0, 60), max_size=30),
)
def test_no_text_changes_what_is_read_by_arriving_in_pieces(text: str, cuts: list[int]) -> None:
    read_in_pieces(text, (cut for cut in cuts if cut < len(text)))


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1, "b": [2], "a": {"c": 3}, "a": "x"}',
        '```json\n{"a": "b\\ud83d\\ude00\\ud83dc", "\\ud83d\\ude00": 1.50e2}\n``` that is all',
        "the answer is [true, -0.0, null]",
        '["a\nb"]',
    ],
)
def test_a_text_may_arrive_character_by_character(text: str) -> None:
    read_in_pieces(text, range(len(text)))


def test_a_text_that_is_replaced_is_read_from_the_beginning() -> None:
    reader = JsonReader()
    reader.read("[1, 2]")

    assert reader.read("") == (JsonChange((), None),)
    assert reader.read('{"a') == (JsonChange((), {}),)


@pytest.mark.parametrize("text", ['{"a": "' + "word " * 4_000 + '"}', "[" + '"a b",' * 4_000])
def test_reading_piece_by_piece_takes_work_as_the_text_is_long(text: str) -> None:
    """Each character is read once: reading again from the start for each piece would be hundreds of times the work."""
    with counting() as whole:
        read_partial(text)
    reader, changed = JsonReader(), 0
    with counting() as pieces:
        for end in range(0, len(text), 20):
            changed += len(repr([(each.path, each.value) for each in reader.read(text[:end])]))

    assert pieces.made <= 3 * whole.made + 60 * (len(text) // 20)
    assert changed <= 40 * len(text) // 10


DEEP = ["[" * 100_000, '{"a":' * 100_000, '"' + '\\"' * 100_000, "}}}}", "[" * 102 + "]" * 102]


class CountedText(str):
    """A text that counts the characters that are copied from it or searched."""

    __slots__ = ("seen",)

    def __init__(self, text: str) -> None:
        del text
        self.seen = 0

    def __getitem__(self, key: SupportsIndex | slice) -> str:
        part = super().__getitem__(key)
        self.seen += len(part)
        return part

    def startswith(self, prefix: str | tuple[str, ...], start: Any = None, end: Any = None) -> bool:
        self.seen += len(prefix)
        return super().startswith(prefix, start, end)

    def find(self, sub: str, start: Any = None, end: Any = None) -> int:
        found = super().find(sub, start, end)
        self.seen += (len(self) if found < 0 else found) - (start or 0)
        return found


def work_of_reading(text: str) -> tuple[int, int]:
    """Return the calls that reading a text takes, and the characters that are copied or searched for it."""
    counted = CountedText(text)
    with counting() as calls:
        read_partial(counted)
    return calls.made, counted.seen


@pytest.mark.parametrize("item", ["null,", '"a b",', "12.5,", "[],", '{"a":1},'])
def test_reading_takes_work_as_the_text_is_long(item: str) -> None:
    """Eight times the text is eight times the work. A copy of the rest for each item would be 64 times."""
    calls, seen = work_of_reading("[" + item * 1_000)
    more_calls, more_seen = work_of_reading("[" + item * 8_000)

    assert more_calls <= 8 * calls
    assert more_seen <= 8 * seen


@pytest.mark.parametrize("text", DEEP)
def test_no_text_is_too_deep_or_too_long_to_be_read(text: str) -> None:
    assert not read_partial(text).complete
