from __future__ import annotations

import json

import pytest
from sqlalchemy import text

from app.runs.agents.agent_commands import create_agent, delete_agent, list_agents
from app.runs.app_context import AppContext
from app.runs.runtime.owner import LOCAL_OWNER
from app.state.agents.form import AgentFormState
from app.state.agents.listing import AgentItem, AgentListState
from app.state.messages.toasts import Toast, ToastState
from app.state.sidebar.sidebar import SidebarState
from app.state.undo.undo import UndoState
from tests.state.conftest import Tab


async def an_agent(ctx: AppContext, name: str = "Reviewer", **fields: str) -> str:
    return (await create_agent(ctx, LOCAL_OWNER, {"name": name, **fields})).id  # pyright: ignore[reportArgumentType]


def items(tab: Tab) -> tuple[AgentItem, ...]:
    return tab.shows(AgentListState, "items")


def toast(tab: Tab) -> Toast:
    return tab.shows(ToastState, "toast")


async def names_stored(ctx: AppContext) -> list[str]:
    return [agent.name for agent in await list_agents(ctx, LOCAL_OWNER)]


async def test_agents_are_listed_by_name_with_what_is_known_of_them(ctx: AppContext, tab: Tab) -> None:
    await an_agent(ctx, "écrivain", model="offline:demo")
    await an_agent(ctx, "Critic", icon="🔍", system_prompt="Find the fault.\nAlways.")
    await an_agent(ctx, "Poet", description="Rhymes" * 30, system_prompt="Not shown.")
    await an_agent(ctx, "Nobody")

    await tab.send(AgentListState.load)

    shown = {item.name: (item.icon, item.about) for item in items(tab)}
    assert shown["écrivain"] == ("É", "Offline demo")
    assert shown["Critic"] == ("🔍", "Find the fault.")
    assert shown["Nobody"] == ("N", "No system prompt")
    assert len(shown["Poet"][1]) == 120
    assert shown["Poet"][1].startswith("Rhymes")
    assert tab.shows(AgentListState, "loaded") is True


async def test_the_list_says_what_of_an_agent_cannot_be_read_and_what_mends_it(ctx: AppContext, tab: Tab) -> None:
    for name in ("Poet", "Critic", "Reviewer"):
        await an_agent(ctx, name)
    async with ctx.store.write() as session:
        await session.execute(text("UPDATE agent SET system_prompt = x'00ff' WHERE name = 'Poet'"))
        await session.execute(text("UPDATE agent SET created_at = 'once', server_ids = '[{' WHERE name = 'Critic'"))

    await tab.send(AgentListState.load)

    assert {item.name: item.damage for item in items(tab)} == {
        "Poet": (
            "Part of this agent cannot be read, so nothing is sent under it. "
            "System prompt: This text is not stored as text (2 bytes of binary data). Press Edit."
        ),
        "Critic": (
            "Part of this agent cannot be read, so nothing is sent under it. "
            "Creation time: The stored data is not a time (4 bytes). "
            "Servers: The stored data is garbled or incomplete (2 bytes). "
            "Stop Inview and run `inview doctor --mend`."
        ),
        "Reviewer": "",
    }


async def test_a_deleted_agent_is_restored_by_what_the_toast_offers(ctx: AppContext, tab: Tab) -> None:
    agent = await an_agent(ctx)
    await tab.send(AgentListState.load)

    await tab.send(AgentListState.delete_agent, agent_id=agent)
    assert items(tab) == ()
    assert (toast(tab).message, toast(tab).undo, toast(tab).fault) == ("Deleted the agent “Reviewer”", True, False)
    assert await names_stored(ctx) == []
    await tab.send(ToastState.undo, toast_id=toast(tab).id)

    assert [item.id for item in items(tab)] == [agent]
    assert await names_stored(ctx) == ["Reviewer"]
    assert [one.name for one in tab.shows(SidebarState, "agents")] == ["Reviewer"]


async def test_an_agent_whose_name_was_taken_meanwhile_stays_deleted_and_the_toast_says_why(
    ctx: AppContext, tab: Tab
) -> None:
    agent = await an_agent(ctx)
    await tab.send(AgentListState.delete_agent, agent_id=agent)
    await an_agent(ctx, "reviewer")

    await tab.send(UndoState.undo_last)

    assert toast(tab).fault
    assert "Choose another name" in toast(tab).message
    assert await names_stored(ctx) == ["reviewer"]


@pytest.mark.parametrize("agent_id", ["gone", 7, None, {}])
async def test_deleting_an_agent_that_is_not_there_shows_a_fault_and_the_agents_there_are(
    ctx: AppContext, tab: Tab, agent_id: object
) -> None:
    await an_agent(ctx)
    await tab.send(AgentListState.delete_agent, agent_id=agent_id)

    assert toast(tab).fault
    assert not toast(tab).undo
    assert len(items(tab)) == 1


async def test_an_import_is_reported_with_the_names_and_the_list_is_read_again(ctx: AppContext, tab: Tab) -> None:
    await tab.send(AgentListState.load)
    await an_agent(ctx)
    answer = json.dumps({"items": [{"name": "Reviewer"}, {"name": "Poet 2"}]})

    await tab.send(AgentListState.finish_import, names=["agents.json"], answers=[answer])

    assert toast(tab).message == (
        "Imported “Reviewer”, “Poet 2” from agents.json. The tools ask before each call, even if the file allows them."
    )
    assert not toast(tab).fault
    assert [item.name for item in items(tab)] == ["Reviewer"]


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ({"type": "urn:inview:problem:malformed-body", "detail": "…"}, "The file is not JSON. Choose a file"),
        ({"type": "urn:inview:problem:invalid-input", "detail": "agents: is missing"}, "agents: is missing"),
        ("", "Inview cannot be reached"),
        ("<html>", "Inview cannot be reached"),
        ([1], "Inview cannot be reached"),
        (None, "Inview cannot be reached"),
    ],
)
async def test_a_refused_import_says_which_file_and_why(tab: Tab, answer: object, reason: str) -> None:
    text = json.dumps(answer) if isinstance(answer, (dict, list)) else answer

    await tab.send(AgentListState.finish_import, names=["notes.json"], answers=[text])

    assert toast(tab).fault
    assert toast(tab).message.startswith(f"Nothing was imported from notes.json. {reason}")


async def test_each_of_several_files_has_its_own_answer(tab: Tab) -> None:
    refused = json.dumps({"type": "urn:inview:problem:malformed-body", "detail": "…"})
    taken = json.dumps({"items": [{"name": "Poet"}]})

    await tab.send(AgentListState.finish_import, names=["faulty.json", "good.json"], answers=[refused, taken])

    assert toast(tab).fault
    assert toast(tab).message == (
        "Nothing was imported from faulty.json. The file is not JSON. Choose a file created by “Export”. "
        "Imported “Poet” from good.json. The tools ask before each call, even if the file allows them."
    )


async def test_the_button_that_had_the_focus_is_forgotten_once_it_has_it_again(ctx: AppContext, tab: Tab) -> None:
    agent = await an_agent(ctx)
    tab.path = f"/agents?agent={agent}"
    await tab.send(AgentFormState.load)
    assert tab.shows(AgentListState, "focused") == f"agent {agent}"

    await tab.send(AgentListState.end_focus)

    assert tab.shows(AgentListState, "focused") == ""


async def test_agents_deleted_elsewhere_leave_the_list_when_it_is_loaded(ctx: AppContext, tab: Tab) -> None:
    agent = await an_agent(ctx)
    await tab.send(AgentListState.load)
    await delete_agent(ctx, LOCAL_OWNER, agent)

    await tab.send(AgentListState.load)

    assert items(tab) == ()
