"""JSON values as readable HTML."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

import pytest

from app.domain.structured.structured_replies import SchemaFault
from app.views.structured.json_tree import MAX_DEPTH, MAX_DRAWN, MAX_ITEMS, draw_json

EVIL = "<img src=x onerror=alert(1)>\"'&</td><script>"


class Reader(HTMLParser):
    """The tags that a browser would see, and the text between them."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.words: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def words(value: Any, *faults: SchemaFault) -> list[str]:
    return Reader(draw_json(value, faults)).words


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("text", ["text"]),
        (None, ["null"]),
        (True, ["true"]),
        (1.5, ["1.5"]),
        ([], ["empty"]),
        ({}, ["empty"]),
        ([1, "two"], ["1", "two"]),
        ({"a": {"b": 2}}, ["a", "b", "2"]),
        ([{"a": 1}, {"a": 2, "b": 3}], ["a", "b", "1", "2", "3"]),
    ],
)
def test_value_is_shown(value: Any, shown: list[str]) -> None:
    assert words(value) == shown


def test_list_of_objects_is_a_table_with_a_cell_for_each_name() -> None:
    html = draw_json([{"a": 1}, {"b": 2}], ())

    assert html.count("<th ") == 2
    assert html.count("<td>") == 4


def test_errors_are_shown_at_their_place_and_those_of_a_row_in_its_first_cell() -> None:
    rows = [{"name": "one", "age": "two"}]
    faults = (SchemaFault(("rows", 0, "age"), "not a number"), SchemaFault(("rows", 0), "no role"))

    assert words({"rows": rows}, *faults) == ["rows", "name", "age", "one", "no role", "two", "not a number"]
    assert words([1], SchemaFault((), "too short")) == ["1"]


@pytest.mark.parametrize("value", [EVIL, [EVIL], {EVIL: EVIL}, [{EVIL: EVIL}], [[{EVIL: [EVIL]}]]])
def test_no_text_of_a_model_becomes_a_tag(value: Any) -> None:
    read = Reader(draw_json(value, [SchemaFault((0,), EVIL)]))

    assert not read.tags & {"img", "script"}
    assert EVIL in read.words


def test_deeply_nested_values_are_shown_as_written() -> None:
    value: Any = {"<b>": 1}
    for _ in range(MAX_DEPTH + 2):
        value = [value]

    assert draw_json(value, ()).endswith("<code>[{&quot;&lt;b&gt;&quot;:1}]")


@pytest.mark.parametrize("item", ["x", {"a": 1}])
def test_long_lists_say_how_much_is_left_out(item: Any) -> None:
    assert words([item] * (MAX_ITEMS + 1_234))[-1] == "and 1,234 more: see the source"
    assert words({str(at): item for at in range(MAX_ITEMS + 1)})[-1] == "and 1 more: see the source"


def test_value_that_grows_at_its_end_continues_what_was_drawn() -> None:
    grown = [[{"a": "on"}], [{"a": "one"}], [{"a": "one", "b": [1]}], [{"a": "one", "b": [1, 2]}]]
    drawn = [draw_json({"rows": rows}, ()) for rows in grown]

    assert drawn[1].startswith(drawn[0])
    assert drawn[3].startswith(drawn[2])


def test_list_of_objects_that_share_no_names_is_no_table() -> None:
    html = draw_json([{f"name {at}": at} for at in range(150)], ())

    assert "<table>" not in html
    assert html.count("<dt>") == 150


@pytest.mark.parametrize(
    "value",
    [
        [[[{f"{row} {column}": 1 for column in range(200)} for row in range(200)] for _ in range(10)]],
        [{str(name): 1 for name in range(row, row + 150)} for row in range(200)],
        [[["x" * 10_000] * 200] * 200],
        {"x" * 1_000_000: "y"},
        ["<" * 1_000_000],
        [[[[[[[[[["x"] * 100_000]]]]]]]]],
    ],
)
def test_html_of_any_value_is_limited_and_says_where_the_rest_is(value: Any) -> None:
    html = draw_json(value, ())

    assert len(html) < 8 * MAX_DRAWN
    assert "see the source" in html
