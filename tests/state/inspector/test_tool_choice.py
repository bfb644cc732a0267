"""The choice of tools in state: the tools of a send, modes, ticks."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from app.domain.conversation.parts import plain_text
from app.runs.app_context import AppContext
from app.runs.conversation.conversation_commands import create_conversation, delete_conversation
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.settings.preference_commands import read_preferences, set_preferences
from app.runs.watch.watcher import Watcher
from app.state.composer.state import ComposerState
from app.state.inspector.tools import ToolChoiceState
from app.store.conversation.conversations import load_conversation
from app.store.conversation.pairs import load_pairs
from app.views.composer.context import ToolCountView
from app.views.inspector.tool_choice import ToolPanelView
from tests.runs.steps import collect
from tests.state.conftest import Tab
from tests.state.watched import watching
from tests.waiting import until


async def a_conversation(ctx: AppContext) -> str:
    preferences = await read_preferences(ctx, LOCAL_OWNER)
    await set_preferences(ctx, LOCAL_OWNER, replace(preferences, built_in_tools=("current_time", "fetch_page")))
    return (await create_conversation(ctx, LOCAL_OWNER, model="offline:demo")).id


async def stored(ctx: AppContext, conversation_id: str) -> tuple[str, tuple[str, ...]]:
    async with ctx.store.read() as session:
        found = await load_conversation(session, LOCAL_OWNER, conversation_id)
    return found.tool_mode.value, found.ticked_tools


def panel(tab: Tab) -> ToolPanelView:
    shown = tab.shows(ToolChoiceState, "panel")
    assert shown is not None
    return shown


def sent_by(watcher: Watcher) -> ToolCountView:
    assert watcher.screen.context is not None
    assert watcher.screen.context.tools is not None
    return watcher.screen.context.tools


def chosen(tab: Tab) -> list[str]:
    return [tool.name for server in panel(tab).servers for tool in server.tools if tool.chosen]


async def test_panel_shows_the_tools_of_a_send(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await a_conversation(ctx)
    async with watching(ctx, tab, conversation_id):
        await tab.send(ToolChoiceState.keep_current)

    assert panel(tab).count == "2 of 2 tools"
    assert [(mode.name, mode.chosen) for mode in panel(tab).modes] == [
        ("All, cached", True), ("Automatic", False), ("All", False), ("Manual", False), ("None", False),
    ]  # fmt: skip
    assert chosen(tab) == ["current_time", "fetch_page"]
    assert panel(tab).unable == ""
    assert panel(tab).manual is False
    assert tab.shows(ToolChoiceState, "conversation") == conversation_id


async def test_mode_is_stored_and_shown(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await a_conversation(ctx)
    async with watching(ctx, tab, conversation_id):
        await tab.send(ToolChoiceState.choose_mode, mode="all-off")

    assert (await stored(ctx, conversation_id))[0] == "all-off"
    assert panel(tab).count == "0 of 2 tools"


async def test_ticks_choose_tools_by_hand(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await a_conversation(ctx)
    async with watching(ctx, tab, conversation_id):
        await tab.send(ToolChoiceState.choose_mode, mode="manual")
        assert (panel(tab).manual, chosen(tab)) == (True, [])
        await tab.send(ToolChoiceState.tick, name="current_time")
        assert chosen(tab) == ["current_time"]
        (server,) = panel(tab).servers
        assert (server.all_ticked, server.some_ticked) == (False, True)

        await tab.send(ToolChoiceState.tick_server, server_id=server.id)
        assert chosen(tab) == ["current_time", "fetch_page"]
        await tab.send(ToolChoiceState.tick_server, server_id=server.id)
        assert chosen(tab) == []
        await tab.send(ToolChoiceState.tick, name="fetch_page")
        await tab.send(ToolChoiceState.tick, name="fetch_page")

    assert await stored(ctx, conversation_id) == ("manual", ())


async def test_tick_of_an_unavailable_tool_stays_and_is_shown(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await a_conversation(ctx)
    async with watching(ctx, tab, conversation_id):
        await tab.send(ToolChoiceState.tick, name="gone__tool")

    assert await stored(ctx, conversation_id) == ("cached", ("gone__tool",))
    assert panel(tab).missing.startswith("Ticked, but not available: gone__tool.")


async def test_tools_that_are_not_sent_are_named_with_the_reason(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await a_conversation(ctx)
    async with watching(ctx, tab, conversation_id) as watcher:
        assert sent_by(watcher).omitted == ()

        await tab.send(ToolChoiceState.choose_mode, mode="manual")
        await tab.send(ToolChoiceState.tick, name="current_time")
        await tab.send(ToolChoiceState.tick, name="gone__tool")
        await until(lambda: sent_by(watcher).count == 1 and sent_by(watcher).of == 3)

        omitted = sent_by(watcher).omitted
    assert [(tool.name, tool.why) for tool in omitted] == [
        ("fetch_page", "not ticked"),
        ("gone__tool", "ticked, but its server is off"),
    ]


async def test_ticked_tools_are_named_even_if_no_tool_is_available(ctx: AppContext, tab: Tab) -> None:
    preferences = await read_preferences(ctx, LOCAL_OWNER)
    await set_preferences(ctx, LOCAL_OWNER, replace(preferences, built_in_tools=()))
    conversation_id = (await create_conversation(ctx, LOCAL_OWNER, model="offline:demo")).id
    async with watching(ctx, tab, conversation_id) as watcher:
        await tab.send(ToolChoiceState.choose_mode, mode="manual")
        await tab.send(ToolChoiceState.tick, name="gone__tool")
        await until(lambda: watcher.screen.context is not None and watcher.screen.context.tools is not None)

        sent = sent_by(watcher)
    assert [(tool.name, tool.why) for tool in sent.omitted] == [("gone__tool", "ticked, but its server is off")]
    assert (sent.count, sent.of) == (0, 1)


@pytest.mark.parametrize("value", ["everything", 7, None, ["manual"], ""])
async def test_what_is_no_mode_tool_or_server_changes_nothing(ctx: AppContext, tab: Tab, value: object) -> None:
    conversation_id = await a_conversation(ctx)
    async with watching(ctx, tab, conversation_id):
        await tab.send(ToolChoiceState.choose_mode, mode=value)
        await tab.send(ToolChoiceState.tick_server, server_id=value)
        if not isinstance(value, str) or not value:
            await tab.send(ToolChoiceState.tick, name=value)

    assert await stored(ctx, conversation_id) == ("cached", ())


async def test_choice_for_a_missing_conversation_is_reported(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await a_conversation(ctx)
    async with watching(ctx, tab, conversation_id):
        await tab.send(ToolChoiceState.keep_current)
    await delete_conversation(ctx, LOCAL_OWNER, conversation_id)

    await tab.send(ToolChoiceState.choose_mode, mode="all-off")
    assert "conversation" in tab.shows(ToolChoiceState, "fault")
    await tab.send(ToolChoiceState.tick, name="current_time")
    assert "conversation" in tab.shows(ToolChoiceState, "fault")


async def test_what_is_chosen_before_a_send_holds_for_it(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await a_conversation(ctx)
    async with watching(ctx, tab, conversation_id):
        await asyncio.gather(
            tab.send(ToolChoiceState.choose_mode, mode="all-off"),
            tab.send(ComposerState.send, send_id="1", text="/rate 0\n/tool current_time {}", order_id=""),
        )
        for run in ctx.engine.runs_of(conversation_id):
            await collect(ctx, run.run_id)

    async with ctx.store.read() as session:
        (pair,) = await load_pairs(session, LOCAL_OWNER, conversation_id)
    assert pair.reply is not None
    assert "This conversation has no tools." in plain_text(pair.reply.parts)


async def test_composer_counts_and_lists_the_tools_of_the_next_send(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await a_conversation(ctx)
    async with watching(ctx, tab, conversation_id) as watcher:
        await tab.send(ToolChoiceState.keep_current)
        told = sent_by(watcher)
        (server,) = panel(tab).servers
        assert (told.count, told.of, told.able) == (2, 2, True)
        assert [(one.name, one.title, one.server, one.tokens) for one in told.sent] == [
            (one.name, one.title, server.name, one.figure) for one in server.tools
        ]
        assert told.sum.split(" in each")[0] in panel(tab).size

        await tab.send(ToolChoiceState.choose_mode, mode="all-off")
    async with watching(ctx, tab, conversation_id) as watcher:
        told = sent_by(watcher)
    assert (told.count, told.of, told.sum, told.sent) == (0, 2, "", ())


async def test_start_page_lists_the_tools_of_a_first_message_and_none_without_tools(ctx: AppContext, tab: Tab) -> None:
    await tab.send(ComposerState.estimate_first)
    assert tab.shows(ComposerState, "estimate") is not None
    assert tab.shows(ComposerState, "tools") is None

    await a_conversation(ctx)  # switches the tools on
    await tab.send(ComposerState.estimate_first)

    assert [one.name for one in tab.shows(ComposerState, "tools").sent] == ["current_time", "fetch_page"]
