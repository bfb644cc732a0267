"""Tools as a model receives them: valid, unique and stable names; a fixed order."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from app.domain.tools.tools import BUILT_IN, Tool, is_server_name, order_tools, wire_name

A_SERVER = st.from_regex(r"[A-Za-z0-9]+([-_][A-Za-z0-9]+)*", fullmatch=True).filter(is_server_name)


def a_tool(name: str, server: str = "lab", server_id: str = "1") -> Tool:
    told = name if server_id == BUILT_IN else wire_name(server, name)
    return Tool(told, server_id, server, name, name, "", "{}", read_only=False)


def test_valid_name_is_offered_unchanged() -> None:
    assert wire_name("files", "read_file") == "files__read_file"


@given(A_SERVER, st.text(max_size=90))
def test_every_tool_has_a_name_that_vendors_take(server: str, tool: str) -> None:
    assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", wire_name(server, tool))


@given(A_SERVER, st.text(max_size=90), A_SERVER, st.text(max_size=90))
def test_two_tools_never_share_a_name(server: str, tool: str, other_server: str, other_tool: str) -> None:
    same = wire_name(server, tool) == wire_name(other_server, other_tool)

    assert same == ((server, tool) == (other_server, other_tool))


def test_long_or_foreign_names_are_distinguished() -> None:
    long = "a" * 70

    assert wire_name("lab", f"{long}1") != wire_name("lab", f"{long}2")
    assert wire_name("lab", "lesen ä") != wire_name("lab", "lesen ö")


def test_server_names_that_would_confuse_are_refused() -> None:
    assert [is_server_name(name) for name in ("a", "git-2", "my_files", "A1")] == [True] * 4
    assert not any(is_server_name(name) for name in ("", "a__b", "_a", "a-", "ä", "a b", "x" * 33, "a\n"))


@given(st.permutations([("time", "b"), ("git", "log"), ("git", "diff"), ("Inview", "current_time"), ("a", "z")]))
def test_order_does_not_depend_on_the_first_server_to_answer(found: list[tuple[str, str]]) -> None:
    tools = [a_tool(name, server, BUILT_IN if server == "Inview" else server) for server, name in found]

    assert [tool.name for tool in order_tools(tools)] == ["current_time", "a__z", "git__diff", "git__log", "time__b"]


def test_tool_listed_twice_is_offered_once() -> None:
    first, second = a_tool("x"), Tool("lab__x", "1", "lab", "x", "another", "", "{}", read_only=True)

    assert order_tools([first, second]) == (first,)
