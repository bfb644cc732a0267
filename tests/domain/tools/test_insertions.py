"""Insertions of server content into a text, and the addresses that people fill in (RFC 6570, with its own examples)."""

from __future__ import annotations

import pytest

from app.domain.errors import InputError
from app.domain.tools.insertions import as_typed, join_spoken, quote_resource
from app.domain.tools.uri_templates import fill_template, list_variables

VALUES = {
    "var": "value",
    "hello": "Hello World!",
    "path": "/foo/bar",
    "x": "1024",
    "y": "768",
    "half": "50%",
    "a.b": "c",
}


@pytest.mark.parametrize(
    ("template", "filled"),
    [
        ("{var}", "value"),
        ("{hello}", "Hello%20World%21"),
        ("{half}", "50%25"),
        ("O{+hello}X", "OHello%20World!X"),
        ("{+path}/here", "/foo/bar/here"),
        ("X{#hello}", "X#Hello%20World!"),
        ("map?{x,y}", "map?1024,768"),
        ("{+path,x}/here", "/foo/bar,1024/here"),
        ("X{.x,y}", "X.1024.768"),
        ("{/var,x}/here", "/value/1024/here"),
        ("{;x,y}", ";x=1024;y=768"),
        ("{?x,y}", "?x=1024&y=768"),
        ("?fixed=yes{&x}", "?fixed=yes&x=1024"),
        ("{var:3}", "val"),
        ("{/var:1,var}", "/v/value"),
        ("{+path:6}/here", "/foo/b/here"),
        ("{/path*}", "/%2Ffoo%2Fbar"),
        ("{a.b}", "c"),
    ],
)
def test_template_is_filled_as_its_standard_says(template: str, filled: str) -> None:
    named = {one.name for one in list_variables(template)}

    assert fill_template(template, {name: VALUES[name] for name in named}) == filled


def test_what_was_escaped_before_is_not_escaped_again_where_that_is_allowed() -> None:
    assert fill_template("x:{+var}", {"var": "a%20b c"}) == "x:a%20b%20c"
    assert fill_template("x:{var}", {"var": "a%20b c"}) == "x:a%2520b%20c"


def test_variables_of_a_query_may_be_left_out_and_others_may_not() -> None:
    template = "note://{name}{?page,size}"

    assert fill_template(template, {"name": "tea", "page": "", "size": "5"}) == "note://tea?size=5"
    assert fill_template("note://all", {}) == "note://all"
    for values, field in [({"page": "2"}, "variables.name"), ({"name": "a", "nmae": "b"}, "variables.nmae")]:
        with pytest.raises(InputError) as caught:
            fill_template(template, values)
        assert caught.value.field == field


@pytest.mark.parametrize("broken", ["a:{", "a:}b", "a:{{x}}", "a:{}", "a:{x y}", "a:{=x}", "a:{?}", "a:{x:0}"])
def test_template_that_is_none_is_refused_when_it_is_filled_and_listed_all_the_same(broken: str) -> None:
    values = {one.name: "v" for one in list_variables(broken)}

    with pytest.raises(InputError) as caught:
        fill_template(broken, values)

    assert caught.value.field == "uri"


def test_several_messages_say_whose_each_is_only_where_they_are_not_all_the_persons() -> None:
    assert join_spoken([("user", "a"), ("user", "b")]) == "a\n\nb"
    assert join_spoken([("user", "a"), ("user", "b"), ("assistant", "c")]) == "User:\na\n\nb\n\nAssistant:\nc"
    assert join_spoken([("assistant", "c")]) == "Assistant:\nc"


def test_fence_of_a_resource_is_longer_than_any_in_it() -> None:
    quoted = quote_resource("notes", "note://1\nX", "text/markdown; charset=utf-8", "a\n````\nb")

    assert quoted == 'From the server "notes", note://1 X:\n\n`````markdown\na\n````\nb\n`````'


def test_text_is_as_a_box_holds_it() -> None:
    assert as_typed("a\r\nb\rc\n") == "a\nb\nc\n"
