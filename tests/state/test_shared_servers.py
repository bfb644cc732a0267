"""Settings → Tools of several people: sharing a server, and using one that another person shares."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path

import pytest
from reflex_base.event.processor import BaseStateEventProcessor

from app.domain.people.people import Role
from app.runs.library.preference_commands import read_preferences
from app.runs.tools.server_commands import ServerWish, add_server, try_server
from app.runs.wiring import open_workbench
from app.runs.workbench import Workbench
from app.state.agents.form import AgentFormState
from app.state.settings.shared_servers import SharedServersState, ShareServerView
from app.store.people.people import load_people
from tests.runs.people.accounts import a_person, a_session
from tests.runs.steps import settings_of
from tests.state.conftest import SignedInTab
from tests.tools.servers import script

SECRET = "sk-owner-only-93ab"
ACTS = script("greet()\nserve(lambda asked: None)")


@pytest.fixture
async def wb(tmp_path: Path) -> AsyncGenerator[Workbench]:
    async with open_workbench(replace(settings_of(tmp_path), accounts=True)) as opened:
        for name, role in (("ada", Role.OWNER), ("bob", Role.ADMIN), ("max", Role.MEMBER)):
            await a_person(opened, name, role)
        yield opened


@pytest.fixture
async def tabs(wb: Workbench, processor: BaseStateEventProcessor) -> dict[str, SignedInTab]:
    """A tab of each person."""
    async with wb.store.read() as session:
        people = await load_people(session)
    return {one.id: SignedInTab(processor, session_id=await a_session(wb, one)) for one in people}


async def a_program(wb: Workbench) -> str:
    server_id = (await add_server(wb, "ada", ServerWish("lab", ACTS, secrets={"TOKEN": SECRET}))).server.id
    await try_server(wb, "ada", server_id)
    return server_id


async def test_a_server_is_shared_after_a_dialog_and_used(wb: Workbench, tabs: dict[str, SignedInTab]) -> None:
    server_id = await a_program(wb)
    await tabs["max"].send(SharedServersState.load)
    await tabs["max"].send(SharedServersState.ask, server_id=server_id)
    assert (tabs["max"].shows(SharedServersState, "items"), tabs["max"].shows(SharedServersState, "asked")) == (
        (),
        None,
    )

    await tabs["ada"].send(SharedServersState.ask, server_id=server_id)
    assert tabs["ada"].shows(SharedServersState, "asked") == ShareServerView(server_id, "lab", program=True)
    await tabs["ada"].send(SharedServersState.share)
    assert tabs["ada"].shows(SharedServersState, "own") == (server_id,)

    await tabs["max"].send(SharedServersState.load)
    (item,) = tabs["max"].shows(SharedServersState, "items")
    assert (item.name, item.by, item.used, [one.name for one in item.tools]) == ("lab", "ada", False, ["act()"])
    await tabs["max"].send(SharedServersState.use, server_id=server_id, on=True)
    await tabs["max"].send(SharedServersState.use, server_id="another", on=True)
    assert (await read_preferences(wb, "max")).shared_servers == (server_id,)
    tabs["max"].path = "/agents?agent=new"
    await tabs["max"].send(AgentFormState.load)
    assert [(one.id, one.name) for one in tabs["max"].shows(AgentFormState, "servers")] == [(server_id, "lab")]
    assert SECRET not in repr(tabs["max"].vars)
    assert ACTS.command not in repr(tabs["max"].shows(SharedServersState, "items"))


async def test_another_ends_sharing_only_as_an_admin(wb: Workbench, tabs: dict[str, SignedInTab]) -> None:
    server_id = await a_program(wb)
    await tabs["ada"].send(SharedServersState.ask, server_id=server_id)
    await tabs["ada"].send(SharedServersState.share)

    await tabs["max"].send(SharedServersState.end_share, server_id=server_id)
    assert tabs["max"].shows(SharedServersState, "said").startswith("Only its owner can share a tool server")
    assert len(tabs["max"].shows(SharedServersState, "items")) == 1

    await tabs["bob"].send(SharedServersState.end_share, server_id=server_id)
    assert tabs["bob"].shows(SharedServersState, "items") == ()
