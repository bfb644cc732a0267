"""Tool servers that are shared within the installation: used by all, each over a connection and with permissions of
their own, and seen by none but their owner."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path

import pytest

from app.domain.errors import ConflictError, ForbiddenError, NotFoundError
from app.domain.people.audit_actions import AuditAction
from app.domain.people.people import Role
from app.domain.tools.permission_requests import Ending, describe_standing
from app.domain.tools.permissions import AllowedTool
from app.domain.tools.tool_records import CallFault, ToolCallRecord
from app.domain.tools.tool_servers import OverHttp, OverStdio
from app.domain.tools.tools import Caller, Tool, ToolFailedError, ToolFault
from app.runs.library.agent_commands import create_agent, read_agent, share_agent
from app.runs.library.preference_commands import change_preferences, read_preferences
from app.runs.people import administration
from app.runs.send.commands import StartedRun, create_conversation, start_reply
from app.runs.send.intents import NewSend
from app.runs.send.offered_tools import list_offered
from app.runs.tools.insertions import fill_prompt, read_resource
from app.runs.tools.lent_servers import list_lent, share_server
from app.runs.tools.permission_commands import Answer, answer_permission, list_pending, list_rules, read_request
from app.runs.tools.server_commands import (
    ServerWish,
    add_server,
    change_server,
    connect_servers_of,
    delete_server,
    list_servers,
    read_server,
    try_server,
)
from app.runs.tools.sign_in_commands import begin_sign_in, end_sign_in
from app.runs.watch.broadcast import follow
from app.runs.wiring import open_workbench
from app.runs.workbench import Workbench
from app.store.audit.entries import AuditFilter, list_entries
from app.store.conversation.pairs import load_pair
from app.store.tools.tool_calls import load_pair_tool_calls
from app.tools import sessions
from tests.runs.people.accounts import a_person
from tests.runs.steps import settings_of
from tests.tools.servers import LIBRARY, ignore, script

SECRET = "sk-owner-only-93ab"
COUNTS = script(
    """
import os
count = 0
def act(asked):
    global count
    count += 1
    if asked["params"].get("arguments", {}).get("wait"):
        open(os.environ["NOTES"], "a").write("waits")
        time.sleep(60)
    words = f"pid {os.getpid()} call {count} key {os.environ['TOKEN'][:2]}"
    write({"id": asked["id"], "result": {"content": [{"type": "text", "text": words}]}})
greet()
serve(act)
"""
)


@pytest.fixture
async def wb(data: Path) -> AsyncGenerator[Workbench]:
    async with open_workbench(replace(settings_of(data), accounts=True)) as opened:
        people = (("ada", Role.ADMIN), ("bob", Role.ADMIN), ("mia", Role.MEMBER), ("max", Role.MEMBER))
        for name, role in (("eve", Role.OWNER), *people):
            await a_person(opened, name, role)
        yield opened


async def a_program(wb: Workbench, notes: str = "", way: OverStdio = COUNTS, name: str = "lab") -> str:
    wish = ServerWish(name, way, secrets={"TOKEN": SECRET, "NOTES": notes or "/dev/null"})
    server_id = (await add_server(wb, "ada", wish)).server.id
    await try_server(wb, "ada", server_id)
    return server_id


async def a_shared_program(wb: Workbench, notes: str = "", way: OverStdio = COUNTS) -> str:
    server_id = await a_program(wb, notes, way)
    await share_server(wb, "ada", server_id, shared=True)
    return server_id


async def use(wb: Workbench, person: str, server_id: str) -> None:
    await change_preferences(wb, person, lambda known: replace(known, shared_servers=(server_id,)))


async def offered(wb: Workbench, person: str, agent_id: str = "") -> list[str]:
    agent = await read_agent(wb, person, agent_id) if agent_id else None
    return [tool.name for tool in list_offered(wb, person, await read_preferences(wb, person), agent)]


def tool_of(wb: Workbench, person: str, name: str = "lab__act") -> Tool:
    found = wb.toolbox.find(person, name)
    assert found is not None
    return found


async def call(wb: Workbench, person: str, **arguments: object) -> str:
    tool = tool_of(wb, person)
    outcome = await wb.toolbox.call(tool, arguments, caller=Caller(person), progress=ignore, timeout=30)
    return str(outcome.content[0].text)  # pyright: ignore[reportUnknownMemberType, reportAttributeAccessIssue, reportUnknownArgumentType]


async def send(wb: Workbench, person: str, text: str, agent_id: str | None = None) -> StartedRun:
    conversation = await create_conversation(wb, person, model="offline:demo", agent_id=agent_id)
    return await start_reply(wb, person, NewSend(conversation.id, text))


async def read_waiting(wb: Workbench, person: str, started: StartedRun) -> str:
    async with wb.store.read() as session:
        conversation_id = (await load_pair(session, person, started.pair_id)).conversation_id
    return next((one.id for one in await list_pending(wb, person, conversation_id)), "")


async def ask_of(wb: Workbench, person: str, started: StartedRun) -> str:
    """The id of the permission request that a reply waits for."""
    async with asyncio.timeout(30):
        while not (waiting := await read_waiting(wb, person, started)):  # noqa: ASYNC110 - as a page would
            await asyncio.sleep(0.005)
    return waiting


async def end(wb: Workbench, person: str, started: StartedRun) -> ToolCallRecord:
    async with asyncio.timeout(30):
        async for _ in follow(wb, person, started.run_id):
            pass
    async with wb.store.read() as session:
        (record,) = await load_pair_tool_calls(session, started.pair_id)
    return record


async def actions_of(wb: Workbench, person: str) -> list[AuditAction]:
    await wb.trail.enter(wb.store)
    async with wb.store.read() as session:
        return [one.entry.action for one in await list_entries(session, AuditFilter(person), limit=50)]


async def test_another_persons_server_is_not_there_until_it_is_shared(wb: Workbench) -> None:
    server_id = await a_program(wb)
    await use(wb, "max", server_id)
    agent = await create_agent(wb, "max", {"name": "Mine", "server_ids": (server_id,)})

    for who in ("max", "bob"):
        assert (await list_servers(wb, who), list_lent(wb, who)) == ((), ())
        assert wb.toolbox.find(who, "lab__act") is None
        for attempt in (
            share_server(wb, who, server_id, shared=True),
            share_server(wb, who, server_id, shared=False),
            fill_prompt(wb, who, server_id, "p", {}),
            read_resource(wb, who, server_id, "note://tea", {}),
        ):
            with pytest.raises(NotFoundError):
                await attempt
    assert (await offered(wb, "max"), await offered(wb, "max", agent.id)) == ([], [])


async def test_a_shared_server_is_seen_without_where_it_is_and_changed_by_its_owner_alone(wb: Workbench) -> None:
    server_id = await a_shared_program(wb)

    for who in ("max", "bob"):
        (lent,) = list_lent(wb, who)
        assert (lent.id, lent.owner, lent.name) == (server_id, "ada", "lab")
        assert lent.known is not None
        assert [tool.name for tool in lent.known.tools] == ["act"]
        assert SECRET not in repr(lent)
        assert COUNTS.command not in repr(lent)
        wish = ServerWish("mine", OverHttp("https://example.org/mcp"))
        for attempt in (
            read_server(wb, who, server_id),
            change_server(wb, who, server_id, wish),
            try_server(wb, who, server_id),
            begin_sign_in(wb, who, server_id, "http://127.0.0.1"),
            end_sign_in(wb, who, server_id),
            delete_server(wb, who, server_id),
        ):
            with pytest.raises(NotFoundError):
                await attempt
        with pytest.raises(ForbiddenError):
            await share_server(wb, who, server_id, shared=True)
    with pytest.raises(ForbiddenError):
        await share_server(wb, "max", server_id, shared=False)


async def test_models_are_told_of_its_tools_once_a_person_or_an_agent_chose_it(wb: Workbench) -> None:
    server_id = await a_shared_program(wb)
    named = await create_agent(wb, "ada", {"name": "Lab", "server_ids": (server_id,)})
    await share_agent(wb, "ada", named.id, shared=True)
    any_server = await create_agent(wb, "max", {"name": "All"})

    assert (await offered(wb, "max"), await offered(wb, "max", any_server.id)) == ([], [])
    assert await offered(wb, "max", named.id) == ["lab__act"]
    assert await offered(wb, "ada") == ["lab__act"]

    await use(wb, "max", server_id)
    assert await offered(wb, "max") == await offered(wb, "max", any_server.id) == ["lab__act"]


async def test_each_person_has_a_connection_of_their_own_which_opens_with_the_first_call(wb: Workbench) -> None:
    await a_shared_program(wb)
    list_lent(wb, "max")
    assert [one.health for one in wb.toolbox.borrow("max").values()] == [sessions.Health.OFF]

    first, second, of_mia, of_ada = [await call(wb, who) for who in ("max", "max", "mia", "ada")]

    assert [said.split()[3] for said in (first, second, of_mia, of_ada)] == ["1", "2", "1", "1"]
    assert first.split()[1] == second.split()[1]
    assert len({said.split()[1] for said in (first, of_mia, of_ada)}) == 3
    assert first.endswith("key sk")


async def test_a_connection_that_nobody_uses_ends_and_the_next_call_opens_another(
    wb: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions, "IDLE_SECONDS", 0.2)
    await a_shared_program(wb)

    first = await call(wb, "max")
    (session,) = wb.toolbox.borrow("max").values()
    async with asyncio.timeout(10):
        while session.health is not sessions.Health.OFF:  # noqa: ASYNC110 - it says so nowhere
            await asyncio.sleep(0.01)
    second = await call(wb, "max")

    assert first.split()[1] != second.split()[1]
    assert second.split()[3] == "1"


async def test_what_its_owner_allowed_is_asked_of_others_and_the_entries_name_who_called(wb: Workbench) -> None:
    server_id = await a_shared_program(wb)
    unasked = (AllowedTool(server_id, "*", (), ask=False),)
    agent = await create_agent(wb, "ada", {"name": "Lab", "server_ids": (server_id,), "allowed_tools": unasked})
    await share_agent(wb, "ada", agent.id, shared=True)

    of_ada = await send(wb, "ada", "/tool lab__act {}", agent.id)
    assert (await end(wb, "ada", of_ada)).fault is None
    of_max = await send(wb, "max", "/tool lab__act {}", agent.id)
    await answer_permission(wb, "max", await ask_of(wb, "max", of_max), Answer.ALWAYS_ALLOW)
    assert (await end(wb, "max", of_max)).fault is None

    actions = await actions_of(wb, "max")
    assert AuditAction.PERMISSION_ASKED in actions
    assert AuditAction.PERMISSION_ALLOWED in actions
    assert await list_rules(wb, "ada") == ()
    assert len(await list_rules(wb, "max")) == 1


async def test_sharing_and_its_end_have_entries_and_an_admin_can_end_it(wb: Workbench) -> None:
    server_id = await a_shared_program(wb)

    await share_server(wb, "bob", server_id, shared=False)

    assert list_lent(wb, "max") == ()
    assert (await read_server(wb, "ada", server_id)).server.shared_at is None
    assert AuditAction.SERVER_SHARED in await actions_of(wb, "ada")
    assert AuditAction.SERVER_UNSHARED in await actions_of(wb, "bob")


@pytest.mark.parametrize("way", ["unshared", "deleted", "switched off", "owner disabled"])
async def test_the_end_of_sharing_ends_a_call_that_is_on_and_says_so(wb: Workbench, tmp_path: Path, way: str) -> None:
    notes = tmp_path / "notes"
    server_id = await a_shared_program(wb, str(notes))
    await use(wb, "max", server_id)
    started = await send(wb, "max", '/tool lab__act {"wait": true}')
    await answer_permission(wb, "max", await ask_of(wb, "max", started), Answer.ALWAYS_ALLOW)
    async with asyncio.timeout(30):
        while not notes.exists():  # noqa: ASYNC110 - the program writes it
            await asyncio.sleep(0.01)

    async with asyncio.timeout(10):
        match way:
            case "unshared":
                await share_server(wb, "ada", server_id, shared=False)
            case "deleted":
                await delete_server(wb, "ada", server_id)
            case "switched off":
                await change_server(wb, "ada", server_id, ServerWish("lab", COUNTS, enabled=False))
            case _:
                await administration.set_disabled(wb.store, "eve", "ada", disabled=True)
                await connect_servers_of(wb, "ada")
        record = await end(wb, "max", started)

    assert record.fault is CallFault.GONE
    assert list_lent(wb, "max") == ()
    assert wb.toolbox.find("max", "lab__act") is None
    if way in {"unshared", "deleted"}:
        assert await list_rules(wb, "max") == ()


async def test_a_call_that_waits_for_permission_is_not_made_once_its_server_is_not_shared(wb: Workbench) -> None:
    server_id = await a_shared_program(wb)
    await use(wb, "max", server_id)
    started = await send(wb, "max", "/tool lab__act {}")
    request_id = await ask_of(wb, "max", started)

    await share_server(wb, "ada", server_id, shared=False)

    assert (await end(wb, "max", started)).fault is CallFault.DENIED
    expired = await read_request(wb, "max", request_id)
    assert expired.ending is Ending.UNSHARED
    assert describe_standing(expired) == "The server of this tool is not shared any more, so this call was not made."


async def test_what_another_process_ended_is_refused_at_the_next_call(wb: Workbench) -> None:
    server_id = await a_shared_program(wb)
    await use(wb, "max", server_id)
    await administration.set_disabled(wb.store, None, "ada", disabled=True)  # as the command line does
    started = await send(wb, "max", "/tool lab__act {}")
    await answer_permission(wb, "max", await ask_of(wb, "max", started), Answer.ALLOW)

    assert (await end(wb, "max", started)).fault is CallFault.GONE
    assert list_lent(wb, "max") == ()


async def test_another_program_is_asked_about_again_by_everybody(wb: Workbench) -> None:
    server_id = await a_shared_program(wb)
    await use(wb, "max", server_id)
    started = await send(wb, "max", "/tool lab__act {}")
    await answer_permission(wb, "max", await ask_of(wb, "max", started), Answer.ALWAYS_ALLOW)
    await end(wb, "max", started)

    other = replace(COUNTS, arguments=(*COUNTS.arguments, "more"))
    await change_server(wb, "ada", server_id, ServerWish("lab", other))

    assert await list_rules(wb, "max") == ()
    assert [one.name for one in list_lent(wb, "max")] == ["lab"]


async def test_a_shared_server_with_a_name_of_ones_own_has_a_number_behind_it(wb: Workbench) -> None:
    await a_shared_program(wb)
    own = await add_server(wb, "bob", ServerWish("Lab", COUNTS, secrets={"TOKEN": "xy", "NOTES": "/dev/null"}))
    await try_server(wb, "bob", own.server.id)

    assert [one.name for one in list_lent(wb, "bob")] == ["lab-2"]
    assert tool_of(wb, "bob", "lab-2__act").server_id != own.server.id
    assert tool_of(wb, "bob", "Lab__act").server_id == own.server.id


async def test_faults_do_not_say_where_a_shared_server_is(wb: Workbench, tmp_path: Path) -> None:
    server_id = await a_shared_program(wb)
    gone = OverStdio(str(tmp_path / "no-such-program"), ("--key", SECRET))
    tool = tool_of(wb, "max")
    (session,) = wb.toolbox.borrow("max").values()
    session.server = replace(session.server, way=gone)

    with pytest.raises(ToolFailedError) as failed:
        await wb.toolbox.call(tool, {}, caller=Caller("max"), progress=ignore, timeout=10)

    assert failed.value.fault is ToolFault.UNAVAILABLE
    assert str(tmp_path) not in str(failed.value)
    assert SECRET not in str(failed.value)
    assert server_id not in str(failed.value)


async def test_prompts_and_resources_of_a_shared_server_are_read_over_ones_own_connection(wb: Workbench) -> None:
    server_id = await a_shared_program(wb, way=LIBRARY)

    assert "green" in await read_resource(wb, "max", server_id, "note://tea", {})
    assert "Rome" in await fill_prompt(wb, "max", server_id, "weather", {"city": "Rome"})
    assert wb.toolbox.borrow("max")[server_id] is not wb.toolbox.sessions["ada"][server_id]


async def test_sharing_outlives_a_restart(data: Path) -> None:
    settings = replace(settings_of(data), accounts=True)
    async with open_workbench(settings) as wb:
        await a_person(wb, "ada", Role.ADMIN)
        server_id = await a_shared_program(wb)

    async with open_workbench(settings) as again:
        assert [one.id for one in list_lent(again, "max")] == [server_id]


async def test_one_person_alone_has_nobody_to_share_with(data: Path) -> None:
    async with open_workbench(settings_of(data)) as alone:
        with pytest.raises(ConflictError):
            await share_server(alone, "local", "s1", shared=True)
