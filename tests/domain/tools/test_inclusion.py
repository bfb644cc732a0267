from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.conversation.conversation import ToolMode
from app.domain.tools.inclusion import NOTHING_CHOSEN, Choice, OfferedTools, SizedTool, Why, choose_tools, words_of
from app.domain.tools.tools import Tool, order_tools

SERVERS = st.sampled_from(["files", "git", "weather"])
WORDS = st.lists(st.sampled_from(["read", "file", "commit", "rain", "the", "list", "Berlin"]), max_size=4).map(" ".join)


def a_tool(name: str, description: str = "", server: str = "files") -> Tool:
    return Tool(f"{server}__{name}", server, server, name, "", description, '{"type":"object"}', read_only=False)


def number(drawn: list[tuple[str, str, int]]) -> tuple[SizedTool, ...]:
    tools = order_tools(a_tool(f"t{place}", words, server) for place, (server, words, _) in enumerate(drawn))
    return tuple(SizedTool(tool, size) for tool, (_, _, size) in zip(tools, drawn, strict=True))


TOOLS = st.lists(st.tuples(SERVERS, WORDS, st.integers(1, 500)), max_size=12).map(number)
FLAGS = st.lists(st.booleans(), max_size=12)


def some_of(tools: tuple[SizedTool, ...], flags: list[bool]) -> frozenset[str]:
    return frozenset(one.tool.name for one, flag in zip(tools, flags, strict=False) if flag)


@st.composite
def offers(draw: st.DrawFn) -> OfferedTools:
    tools = draw(TOOLS)
    ticked, called = some_of(tools, draw(FLAGS)), some_of(tools, draw(FLAGS))
    return OfferedTools(
        draw(st.sampled_from(ToolMode)), tools, ticked, called, draw(st.integers(0, 500)), draw(st.booleans())
    )


OFFERS = offers()


@given(offer=OFFERS, draft=WORDS, budget=st.integers(0, 40_000))
def test_every_tool_is_decided_once_in_its_order_and_the_sum_is_that_of_the_chosen(
    offer: OfferedTools, draft: str, budget: int
) -> None:
    choice = choose_tools(offer, draft, budget)

    assert tuple(one.sized for one in choice.decided) == offer.tools
    assert choice.tools == tuple(one.sized.tool for one in choice.decided if one.why.chosen)
    chosen = [one.sized.tokens for one in choice.decided if one.why.chosen]
    assert choice.tokens == (sum(chosen) + offer.overhead if chosen else 0)
    assert len(choice.definitions) == len(chosen)
    assert choice == choose_tools(offer, draft, budget)


@given(offer=OFFERS, draft=WORDS, budget=st.integers(0, 40_000))
def test_each_mode_takes_what_it_says(offer: OfferedTools, draft: str, budget: int) -> None:
    names = [tool.name for tool in choose_tools(offer, draft, budget).tools]
    every = [one.tool.name for one in offer.tools]

    match offer.mode:
        case _ if not offer.able:
            assert names == []
        case ToolMode.CACHED | ToolMode.ALL_ON:
            assert names == every
        case ToolMode.ALL_OFF:
            assert names == []
        case ToolMode.MANUAL:
            assert names == [name for name in every if name in offer.ticked]
        case ToolMode.AUTO if offer.tokens * 10 <= budget:
            assert names == every
        case ToolMode.AUTO:
            assert set(names) >= offer.called & set(every)


@given(offer=OFFERS, draft=WORDS, more=WORDS)
def test_a_longer_draft_never_takes_a_tool_away_that_auto_had_chosen(
    offer: OfferedTools, draft: str, more: str
) -> None:
    before = choose_tools(offer, draft)
    after = choose_tools(offer, f"{draft} {more}")

    assert set(before.tools) <= set(after.tools)


def test_auto_above_a_tenth_of_the_budget_offers_tools_that_the_draft_names_or_that_were_called() -> None:
    commit = SizedTool(a_tool("commit", "Records changes to the repository", "git"), 400)
    rain = SizedTool(a_tool("forecast", "Tells whether it will rain", "weather"), 300)
    files = SizedTool(a_tool("read_file", "Reads a file"), 300)
    offer = OfferedTools(ToolMode.AUTO, (files, commit, rain), called=frozenset({"git__commit"}), overhead=50)

    some = choose_tools(offer, "Will it rain tomorrow?", budget=10_499)
    every = choose_tools(offer, "Will it rain tomorrow?", budget=10_500)

    assert [one.why for one in some.decided] == [Why.NOTHING_SHARED, Why.CALLED_BEFORE, Why.SHARES_WORDS]
    assert some.decided[2].words == ("rain",)
    assert some.tokens == 750
    assert {one.why for one in every.decided} == {Why.ALL_FIT}


def test_a_model_without_tools_is_offered_none_in_any_mode() -> None:
    for mode in ToolMode:
        choice = choose_tools(OfferedTools(mode, (SizedTool(a_tool("read"), 100),), able=False), "read", 1_000_000)
        assert choice.definitions == ()
        assert [one.why for one in choice.decided] == [Why.MODEL_CANNOT]


def test_without_tools_nothing_is_decided() -> None:
    offer = OfferedTools(ToolMode.MANUAL, ticked=frozenset({"gone__tool"}))

    assert choose_tools(offer, "anything") == Choice(offer)
    assert NOTHING_CHOSEN.tokens == 0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Please use the tool", set[str]()),
        ("listAllCommits since 2024", {"commit", "since"}),
        ("Über die Wälder", {"über", "die", "wälder"}),
        ("天気予報", {"天気", "気予", "予報"}),
        ("HTTPServer", {"http", "server"}),
    ],
)
def test_words_are_what_a_text_is_about(text: str, words: set[str]) -> None:
    assert words_of(text) == words
