"""Agents and prompts that are shared within the installation: seen and used by all, changed by few."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path

import pytest

from app.domain.errors import ForbiddenError, NotFoundError
from app.domain.people.people import Role
from app.domain.tools.permissions import AllowedTool
from app.domain.tools.tools import BUILT_IN
from app.runs.library.agent_commands import (
    change_agent,
    create_agent,
    delete_agent,
    list_agents,
    read_agent,
    share_agent,
)
from app.runs.library.prompt_commands import (
    change_prompt,
    create_prompt,
    delete_prompt,
    list_prompts,
    read_prompt,
    share_prompt,
)
from app.runs.send.commands import change_conversation, create_conversation, start_reply
from app.runs.send.intents import NewSend
from app.runs.watch.broadcast import follow
from app.runs.wiring import open_workbench
from app.runs.workbench import Workbench
from app.store.conversation.pairs import load_pair
from tests.runs.people.accounts import a_person
from tests.runs.steps import settings_of

UNASKED = (AllowedTool(BUILT_IN, "*", (), ask=False),)


@pytest.fixture
async def wb(data: Path) -> AsyncGenerator[Workbench]:
    async with open_workbench(replace(settings_of(data), accounts=True)) as opened:
        for name, role in (("ada", Role.ADMIN), ("mia", Role.MEMBER), ("max", Role.MEMBER)):
            await a_person(opened, name, role)
        yield opened


async def an_agent(wb: Workbench) -> str:
    fields = {"name": "Reviewer", "system_prompt": "Find the fault.", "allowed_tools": UNASKED}
    return (await create_agent(wb, "mia", fields)).id  # pyright: ignore[reportArgumentType]


async def a_prompt(wb: Workbench) -> str:
    return (await create_prompt(wb, "mia", {"name": "german", "text": "In German: {{text}}"})).id


async def test_another_persons_agent_is_not_there_until_it_is_shared(wb: Workbench) -> None:
    agent_id = await an_agent(wb)

    for who in ("max", "ada"):
        assert await list_agents(wb, who) == ()
        for attempt in (read_agent(wb, who, agent_id), share_agent(wb, who, agent_id, shared=True)):
            with pytest.raises(NotFoundError):
                await attempt
        with pytest.raises(NotFoundError):
            await create_conversation(wb, who, agent_id=agent_id)


async def test_a_shared_agent_answers_for_others_and_makes_no_call_unasked(wb: Workbench) -> None:
    agent_id = await an_agent(wb)
    await share_agent(wb, "mia", agent_id, shared=True)
    conversation = await create_conversation(wb, "max", agent_id=agent_id, model="offline:demo")
    started = await start_reply(wb, "max", NewSend(conversation.id, "Hello"))
    async for _ in follow(wb, "max", started.run_id):
        pass

    [seen] = await list_agents(wb, "max")
    assert seen.allowed_tools == (AllowedTool(BUILT_IN, "*", (), ask=True),)
    assert (await read_agent(wb, "mia", agent_id)).allowed_tools == UNASKED
    async with wb.store.read() as session:
        assert (await load_pair(session, "max", started.pair_id)).agent == "Reviewer"

    await share_agent(wb, "mia", agent_id, shared=False)
    async with wb.store.read() as session:
        assert (await load_pair(session, "max", started.pair_id)).agent == "Reviewer"
    again = await start_reply(wb, "max", NewSend(conversation.id, "Hello"))
    async for _ in follow(wb, "max", again.run_id):
        pass
    async with wb.store.read() as session:
        assert not (await load_pair(session, "max", again.pair_id)).agent
    with pytest.raises(NotFoundError):
        await change_conversation(wb, "max", conversation.id, agent_id=agent_id)


async def test_only_its_owner_and_admins_change_a_shared_agent(wb: Workbench) -> None:
    agent_id = await an_agent(wb)
    await share_agent(wb, "mia", agent_id, shared=True)

    with pytest.raises(ForbiddenError):
        await change_agent(wb, "max", agent_id, {"name": "Mine"})
    with pytest.raises(ForbiddenError):
        await share_agent(wb, "max", agent_id, shared=False)
    for who in ("max", "ada"):
        with pytest.raises(NotFoundError):
            await delete_agent(wb, who, agent_id)

    await change_agent(wb, "ada", agent_id, {"name": "Better", "allowed_tools": None})
    changed = await read_agent(wb, "mia", agent_id)
    assert (changed.name, changed.owner, changed.allowed_tools) == ("Better", "mia", UNASKED)
    await share_agent(wb, "ada", agent_id, shared=False)
    assert await list_agents(wb, "ada") == ()


async def test_a_deleted_agent_is_gone_for_everybody(wb: Workbench) -> None:
    agent_id = await an_agent(wb)
    await share_agent(wb, "mia", agent_id, shared=True)
    await delete_agent(wb, "mia", agent_id)

    assert await list_agents(wb, "max") == ()


async def test_prompts_are_shared_alike(wb: Workbench) -> None:
    prompt_id = await a_prompt(wb)
    with pytest.raises(NotFoundError):
        await read_prompt(wb, "max", prompt_id)
    await share_prompt(wb, "mia", prompt_id, shared=True)

    assert [one.name for one in await list_prompts(wb, "max")] == ["german"]
    with pytest.raises(ForbiddenError):
        await change_prompt(wb, "max", prompt_id, {"text": "x"})
    with pytest.raises(NotFoundError):
        await delete_prompt(wb, "max", prompt_id)
    changed = await change_prompt(wb, "ada", prompt_id, {"text": "y"})
    assert (changed.owner, changed.text) == ("mia", "y")
    await share_prompt(wb, "ada", prompt_id, shared=False)
    assert await list_prompts(wb, "max") == ()
