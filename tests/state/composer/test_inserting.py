"""Insertions from running MCP servers: listed for the answering agent, filled in, fetched, put into the text area."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from app.domain.tools.tool_servers import OverStdio
from app.runs.agents.agent_commands import create_agent, delete_agent
from app.runs.app_context import AppContext
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.tools.server_commands import ServerSettings, add_server, delete_server, try_server
from app.state.agents.choice import AgentState
from app.state.composer.inserting import MAX_VALUE, FieldView, InsertingState, OfferView
from app.state.composer.state import ComposerState
from app.state.composer.views import OrderKind, PromptRow
from app.views.composer.options import OptionRow
from tests.state.conftest import Tab
from tests.tools.servers import LIBRARY
from tests.waiting import until

WEATHER = "lab Prompt weather"
NOTES = "lab Resource note://{name}{?page}"
CITY = FieldView("city", required=True, description="Where")


async def add(ctx: AppContext, name: str = "lab", arguments: tuple[str, ...] = LIBRARY.arguments) -> str:
    settings = ServerSettings(name, OverStdio(LIBRARY.command, arguments), timeout=1.0)
    made = await add_server(ctx, LOCAL_OWNER, settings)
    await try_server(ctx, LOCAL_OWNER, made.server.id)
    return made.server.id


async def choose(tab: Tab, offer_id: str) -> None:
    await tab.send(InsertingState.ask)
    await tab.send(InsertingState.choose, offer_id=offer_id)


async def insert(tab: Tab, *values: str) -> None:
    await tab.send(InsertingState.insert, form={f"field-{place}": value for place, value in enumerate(values)})


def offer(tab: Tab) -> OfferView:
    shown = tab.shows(InsertingState, "offer")
    assert isinstance(shown, OfferView)
    return shown


def ordered(tab: Tab) -> tuple[OrderKind, str] | None:
    order = tab.shows(ComposerState, "order")
    return None if order is None else (order.kind, order.text)


async def test_all_that_servers_offer_can_be_chosen(ctx: AppContext, tab: Tab) -> None:
    await add(ctx)

    await tab.send(InsertingState.ask)

    assert tab.shows(InsertingState, "opened") is True
    assert tab.shows(InsertingState, "said") == ""
    assert tab.shows(InsertingState, "rows") == (
        OptionRow(WEATHER, "Weather", group="lab · Prompts"),
        OptionRow("lab Prompt hangs", "hangs", group="lab · Prompts"),
        OptionRow("lab Resource note://tea", "Tea", "note://tea", group="lab · Resources"),
        OptionRow("lab Resource odd://{a}/b", "Odd", "odd://{a}/b", group="lab · Resources"),
        OptionRow(NOTES, "Notes", "note://{name}{?page}", group="lab · Resources"),
    )


async def test_prompt_is_filled_in_and_inserted_where_the_caret_is(ctx: AppContext, tab: Tab) -> None:
    await add(ctx)
    await choose(tab, WEATHER)

    assert offer(tab) == OfferView(
        "Weather",
        "Prompt of “lab”.",
        "",
        "lab",
        (CITY, FieldView("day", required=False, description="")),
        goes_back=True,
    )
    await insert(tab, "Ulm", "")

    assert ordered(tab) == (OrderKind.INSERT, '{"city": "Ulm"}')
    assert tab.shows(InsertingState, "opened") is False
    assert tab.shows(InsertingState, "offer") is None


async def test_resource_without_variables_is_read_at_once(ctx: AppContext, tab: Tab) -> None:
    await add(ctx)

    await choose(tab, "lab Resource note://tea")

    assert ordered(tab) == (OrderKind.INSERT, 'From the server "lab", note://tea:\n\n```\ngreen\n```')


async def test_prompt_chosen_after_a_slash_replaces_its_name(ctx: AppContext, tab: Tab) -> None:
    await add(ctx)
    await tab.send(InsertingState.find_prompts)

    assert tab.shows(InsertingState, "prompts") == (
        PromptRow(WEATHER, "/weather", "Weather", "lab", "weather weather"),
        PromptRow("lab Prompt hangs", "/hangs", "hangs", "lab", "hangs hangs"),
    )
    await tab.send(InsertingState.choose_prompt, offer_id=WEATHER)
    assert offer(tab).goes_back is False
    await insert(tab, "Ulm", "")
    assert ordered(tab) == (OrderKind.REPLACE, '{"city": "Ulm"}')


async def test_missing_value_is_reported_at_its_field_until_it_changes(ctx: AppContext, tab: Tab) -> None:
    await add(ctx)
    await choose(tab, WEATHER)

    await insert(tab, " ", "today")
    first, day = offer(tab).fields
    assert (first.fault, first.turn, day.fault, day.value, day.turn) == ("Fill in this field.", 1, "", "today", 0)
    assert offer(tab).refused
    await tab.send(InsertingState.clear_faults)
    assert [field.fault for field in offer(tab).fields] == ["", ""]
    assert not offer(tab).refused
    await insert(tab, "x" * (MAX_VALUE + 1), "")
    assert offer(tab).fields[0].fault == "Fill in this field."
    assert ordered(tab) is None


async def test_refusal_of_a_server_is_shown_next_to_the_fields_and_can_be_retried(ctx: AppContext, tab: Tab) -> None:
    await add(ctx)

    await choose(tab, "lab Prompt hangs")

    assert offer(tab).fault.startswith('The prompt "hangs" of "lab" did not respond within 1 seconds.')
    assert (offer(tab).refused, offer(tab).asking) == (True, False)
    await insert(tab)
    assert offer(tab).fault
    assert ordered(tab) is None


@pytest.mark.parametrize(("value", "fault"), [("a\nb" * 5000, "Write an address"), ("tea", "")])
async def test_address_that_cannot_be_is_refused_as_a_whole(ctx: AppContext, tab: Tab, value: str, fault: str) -> None:
    await add(ctx)
    await choose(tab, NOTES)

    await insert(tab, value, "")

    assert (ordered(tab) is None) is bool(fault)
    if fault:
        assert offer(tab).fault.startswith(fault)


async def test_answer_to_what_was_left_meanwhile_is_dropped(ctx: AppContext, tab: Tab) -> None:
    await add(ctx)
    await tab.send(InsertingState.ask)

    asked = asyncio.create_task(tab.send(InsertingState.choose, offer_id="lab Prompt hangs"))
    await until(lambda: tab.shows(InsertingState, "offer") is not None)
    assert offer(tab).asking
    await insert(tab)  # it is fetched already
    await tab.send(InsertingState.go_back)
    await tab.send(InsertingState.choose, offer_id=WEATHER)
    await asked

    assert offer(tab).name == "Weather"
    await tab.send(InsertingState.fetch)  # no field was filled in
    assert offer(tab).fields[0].fault == "A value is required."
    await tab.send(InsertingState.close)
    assert (tab.shows(InsertingState, "opened"), tab.shows(InsertingState, "offer")) == (False, None)
    assert ordered(tab) is None


async def test_only_servers_of_the_agent_that_answers_are_offered(ctx: AppContext, tab: Tab) -> None:
    lab = await add(ctx)
    await add(ctx, "gone", ("-c", "pass"))
    agents = [
        await create_agent(ctx, LOCAL_OWNER, {"name": name, "server_ids": ids})
        for name, ids in (("Ann", (lab,)), ("Bob", ()), ("Cy", None))
    ]
    said: dict[str, Any] = {}
    for agent in agents:
        await tab.send(AgentState.choose, agent_id=agent.id)
        await tab.send(InsertingState.ask)
        said[agent.name] = len(tab.shows(InsertingState, "rows")), tab.shows(InsertingState, "said")

    assert said["Ann"] == (5, "")
    assert said["Bob"] == (0, "No MCP server is on for this conversation. Add one in Settings → Tools.")
    assert said["Cy"][0] == 5
    assert said["Cy"][1].startswith("“gone” is not connected: ")
    await delete_server(ctx, LOCAL_OWNER, lab)
    await tab.send(InsertingState.ask)
    assert tab.shows(InsertingState, "said").startswith(
        "“gone” offers no prompts and no resources. “gone” is not connected: "
    )


async def test_agent_that_was_deleted_is_a_fault_of_the_dialog_and_offers_no_prompts(ctx: AppContext, tab: Tab) -> None:
    await add(ctx)
    agent = await create_agent(ctx, LOCAL_OWNER, {"name": "Ann"})
    await tab.send(AgentState.choose, agent_id=agent.id)
    await tab.send(InsertingState.find_prompts)
    assert len(tab.shows(InsertingState, "prompts")) == 2
    await delete_agent(ctx, LOCAL_OWNER, agent.id)

    await tab.send(InsertingState.ask)
    await tab.send(InsertingState.find_prompts)

    assert tab.shows(InsertingState, "failed") is True
    assert "There is no such agent" in tab.shows(InsertingState, "said")
    assert tab.shows(InsertingState, "prompts") == ()


async def test_events_about_nothing_change_nothing(ctx: AppContext, tab: Tab) -> None:
    await add(ctx)
    for offer_id in ("lab Prompt none", 7, None):
        await tab.send(InsertingState.ask)
        await tab.send(InsertingState.choose, offer_id=offer_id)
        await tab.send(InsertingState.choose_prompt, offer_id=offer_id)
    await tab.send(InsertingState.clear_faults)
    await tab.send(InsertingState.insert, form=None)
    await tab.send(InsertingState.fetch)

    assert tab.shows(InsertingState, "offer") is None
    assert ordered(tab) is None
    await tab.send(InsertingState.choose, offer_id=WEATHER)
    await tab.send(InsertingState.insert, form=None)
    assert offer(tab).fields[0].fault == "Fill in this field."
