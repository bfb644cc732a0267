"""The palette: conversations by their words, commands, agents and settings by their names."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from app.domain.people.people import Role
from app.domain.preferences import Theme
from app.language.translation import translate
from app.runs.library.agent_commands import create_agent
from app.runs.library.preference_commands import read_preferences
from app.runs.send.commands import LOCAL_OWNER, create_conversation, start_reply
from app.runs.send.intents import NewSend
from app.runs.wiring import open_workbench
from app.runs.workbench import Workbench
from app.state.agents.choice import AgentState
from app.state.inspector.frame import InspectorState
from app.state.shell.keyboard import KeyboardState
from app.state.shell.palette import PaletteState
from app.state.shell.palette_commands import COMMANDS, PageKind, find_commands
from app.views.screen.options import ExcerptPiece, OptionRow
from tests.runs.people.accounts import a_person, a_session
from tests.runs.steps import collect, settings_of
from tests.state.conftest import SignedInTab, Tab


async def search(tab: Tab, text: object) -> None:
    await tab.send(PaletteState.search, text=text)


def rows(tab: Tab, group: str = "") -> list[OptionRow]:
    return [row for row in tab.shows(PaletteState, "rows") if group in ("", row.group)]


async def say(wb: Workbench, text: str, title: str = "") -> str:
    """A conversation with this request; its id."""
    conversation = await create_conversation(wb, LOCAL_OWNER, title=title)
    await collect(wb, (await start_reply(wb, LOCAL_OWNER, NewSend(conversation.id, text))).run_id)
    return conversation.id


async def test_it_opens_by_key_with_the_newest_conversations_and_all_commands(wb: Workbench, tab: Tab) -> None:
    one = await say(wb, "Why is the sky blue?")

    await tab.send(KeyboardState.perform, action="palette", pair_id="")

    assert tab.shows(PaletteState, "open") is True
    recent = rows(tab, "Recent conversations")
    assert [(row.name, row.to) for row in recent] == [("Why is the sky blue?", f"/c/{one}")]
    assert {row.value for row in rows(tab)} >= {"new", "model", "keys", "settings_privacy"}


async def test_words_lead_to_the_pair_that_has_them(wb: Workbench, tab: Tab) -> None:
    one = await say(wb, "Bread from the garden oven", title="Baking")
    await tab.send(PaletteState.show)

    await search(tab, "the gard")

    (row,) = rows(tab, "Conversations")
    assert (row.name, row.to) == ("Baking", f"/c/{one}?at=1")
    assert ExcerptPiece("garden", found=True) in row.excerpt
    assert tab.shows(PaletteState, "answers") == "the gard"
    assert tab.shows(PaletteState, "said") == "Conversations: 1. Commands: 0."


async def test_a_title_leads_to_its_conversation(wb: Workbench, tab: Tab) -> None:
    one = await say(wb, "Hello", title="The Lighthouse")
    await tab.send(PaletteState.show)

    await search(tab, "lighth")

    assert [row.to for row in rows(tab, "Conversations")] == [f"/c/{one}"]


async def test_a_command_whose_name_begins_so_comes_first(wb: Workbench, tab: Tab) -> None:
    await say(wb, "What are good settings?")
    await tab.send(PaletteState.show)

    await search(tab, "settings")

    assert [row.group for row in rows(tab)][:2] == ["Best match", "Conversations"]
    assert rows(tab, "Best match")[0].to == "/settings"
    assert "/settings#privacy" in [row.to for row in rows(tab, "Settings")]


async def test_commands_are_found_by_words_that_are_not_shown(tab: Tab) -> None:
    await tab.send(PaletteState.show)

    await search(tab, "temper")

    assert [row.value for row in rows(tab)] == ["parameters"]


async def test_pages_of_owners_and_admins_are_offered_to_them_alone(tmp_path: Path, tab: Tab) -> None:
    async with open_workbench(replace(settings_of(tmp_path / "accounts"), accounts=True)) as wb:
        offered: dict[Role, set[str]] = {}
        for role in (Role.ADMIN, Role.MEMBER):
            page = SignedInTab(tab.processor, session_id=await a_session(wb, await a_person(wb, str(role), role)))
            await page.send(PaletteState.show)
            await search(page, "Pages")
            offered[role] = {row.value for row in rows(page)}

    assert offered[Role.ADMIN] - offered[Role.MEMBER] == {"status", "audit"}
    assert "usage" in offered[Role.MEMBER]


async def test_commands_of_a_conversation_are_not_offered_elsewhere(tab: Tab) -> None:
    tab.path = "/settings"
    await tab.send(PaletteState.show)

    assert not {"summarise", "model"} & {row.value for row in rows(tab)}
    await tab.send(PaletteState.choose, value="preview")
    assert not tab.shows(InspectorState, "section")


async def test_a_command_is_carried_out(wb: Workbench, tab: Tab) -> None:
    tab.path = f"/c/{await say(wb, 'Hello')}"
    await tab.send(PaletteState.show)

    await tab.send(PaletteState.choose, value="lineage")
    await tab.send(PaletteState.choose, value="dark")

    assert tab.shows(InspectorState, "section") == "lineage"
    assert (await read_preferences(wb, LOCAL_OWNER)).theme is Theme.DARK


async def test_an_agent_answers_from_now_on_where_something_can_be_written(wb: Workbench, tab: Tab) -> None:
    scout = await create_agent(wb, LOCAL_OWNER, {"name": "Scout"})
    await tab.send(PaletteState.show)
    await search(tab, "scout")
    (row,) = rows(tab)

    await tab.send(PaletteState.choose, value=row.value)

    assert tab.shows(AgentState, "chosen") == scout.id


async def test_elsewhere_an_agent_leads_to_its_form(wb: Workbench, tab: Tab) -> None:
    scout = await create_agent(wb, LOCAL_OWNER, {"name": "Scout"})
    tab.path = "/usage"
    await tab.send(PaletteState.show)

    await search(tab, "scout")

    assert [row.to for row in rows(tab)] == [f"/agents?agent={scout.id}"]


async def test_closed_it_forgets_what_was_found(wb: Workbench, tab: Tab) -> None:
    await say(wb, "Hello")
    await tab.send(PaletteState.show)
    await tab.send(PaletteState.close)

    await search(tab, "hello")

    assert tab.shows(PaletteState, "open") is False
    assert not rows(tab)


@pytest.mark.parametrize("text", [None, 7, "x" * 1_001])
async def test_what_is_no_text_is_not_searched_for(tab: Tab, text: object) -> None:
    await tab.send(PaletteState.show)
    before = rows(tab)

    await search(tab, text)

    assert rows(tab) == before


def test_every_command_is_found_by_its_name_and_called_once() -> None:
    assert len({command.id for command in COMMANDS}) == len(COMMANDS)
    for command in COMMANDS:
        found = find_commands(translate(command.name), PageKind.CONVERSATION)
        assert command.id in {each.id for each in found}
    assert all((command.call is None) == bool(command.to) for command in COMMANDS)
