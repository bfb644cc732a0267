"""MCP servers that one process adds, changes, shares or deletes: the other one follows, by connections of its own."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, Callable
from dataclasses import replace
from pathlib import Path

import pytest

from app.domain.people.people import Role
from app.domain.tools.tool_records import CallFault
from app.domain.tools.tools import ToolFailedError
from app.runs.people.administration import change_role
from app.runs.tools.lent_servers import list_lent, share_server
from app.runs.tools.permission_commands import Answer, answer_permission
from app.runs.tools.server_commands import ServerWish, change_server, connect_servers_of, delete_server, session_of
from app.runs.wiring import open_workbench
from app.runs.workbench import Workbench
from tests.redis_server import RedisServer
from tests.runs.cluster.test_shared_turns import eventually
from tests.runs.people.accounts import a_person
from tests.runs.steps import settings_of
from tests.runs.tools.test_shared_servers import COUNTS, a_program, ask_of, call, end, read_waiting, send, use

CALL = "/tool lab__act {}"


@pytest.fixture
async def wb(data: Path, redis: RedisServer) -> AsyncGenerator[Workbench]:
    settings = replace(settings_of(data, INVIEW_REDIS_URL=redis.url), accounts=True)
    async with open_workbench(settings) as opened:
        for name, role in (("eve", Role.OWNER), ("ada", Role.ADMIN), ("max", Role.MEMBER)):
            await a_person(opened, name, role)
        yield opened


@pytest.fixture
async def far(data: Path, wb: Workbench, redis: RedisServer) -> AsyncGenerator[Workbench]:
    settings = replace(settings_of(data, INVIEW_REDIS_URL=redis.url), accounts=True)
    async with open_workbench(settings) as opened:
        yield opened


def knows(wb: Workbench, person: str) -> Callable[[], bool]:
    return lambda: wb.toolbox.find(person, "lab__act") is not None


async def pid_of(wb: Workbench, person: str) -> int:
    return int((await call(wb, person)).split()[1])


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def test_a_server_that_one_process_added_is_used_through_the_other(wb: Workbench, far: Workbench) -> None:
    await a_program(wb)

    await eventually(knows(far, "ada"), 15)

    assert await pid_of(far, "ada") != await pid_of(wb, "ada")


async def test_a_server_that_was_changed_is_connected_anew_in_the_other_process(wb: Workbench, far: Workbench) -> None:
    server_id = await a_program(wb)
    await eventually(knows(far, "ada"), 15)
    before = await pid_of(far, "ada")

    await change_server(wb, "ada", server_id, ServerWish("lab", COUNTS, secrets={"TOKEN": "zz-another"}))

    await eventually(lambda: not is_alive(before), 15)
    await eventually(knows(far, "ada"), 15)
    assert (await call(far, "ada")).endswith("key zz")

    await change_server(wb, "ada", server_id, ServerWish("lab", COUNTS, enabled=False))
    await eventually(lambda: session_of(far, "ada", server_id) is None)


async def test_a_call_that_waits_in_the_other_process_is_not_made_at_a_changed_server(
    wb: Workbench, far: Workbench
) -> None:
    server_id = await a_program(wb)
    await eventually(knows(far, "ada"), 15)
    started = await send(far, "ada", CALL)
    await ask_of(far, "ada", started)

    await change_server(wb, "ada", server_id, ServerWish("lab", COUNTS, secrets={"TOKEN": "zz-another"}))

    assert (await end(far, "ada", started)).fault is CallFault.DENIED


async def test_a_server_that_was_deleted_is_gone_in_the_other_process(wb: Workbench, far: Workbench) -> None:
    server_id = await a_program(wb)
    await eventually(knows(far, "ada"), 15)
    pid = await pid_of(far, "ada")

    await delete_server(wb, "ada", server_id)

    await eventually(lambda: far.toolbox.find("ada", "lab__act") is None and not is_alive(pid), 15)


async def test_a_server_is_lent_in_the_other_process_as_long_as_it_is_shared(wb: Workbench, far: Workbench) -> None:
    server_id = await a_program(wb)
    await eventually(knows(far, "ada"), 15)
    own = await pid_of(far, "ada")

    await share_server(wb, "ada", server_id, shared=True)
    await eventually(lambda: len(list_lent(far, "max")) == 1)
    borrowed = await pid_of(far, "max")
    assert borrowed != own == await pid_of(far, "ada"), "sharing is no reason to connect anew"
    waiting = asyncio.create_task(call(far, "max", wait=True))
    await asyncio.sleep(0.2)

    await share_server(wb, "ada", server_id, shared=False)

    with pytest.raises(ToolFailedError, match="not shared with you any more"):
        async with asyncio.timeout(10):
            await waiting
    assert list_lent(far, "max") == ()
    assert await pid_of(far, "ada") == own


async def test_what_is_always_allowed_is_so_in_the_other_process(wb: Workbench, far: Workbench) -> None:
    server_id = await a_program(wb)
    await eventually(knows(far, "ada"), 15)
    await use(wb, "ada", server_id)
    started = await send(wb, "ada", CALL)
    await answer_permission(wb, "ada", await ask_of(wb, "ada", started), Answer.ALWAYS_ALLOW)
    assert (await end(wb, "ada", started)).fault is None

    again = await send(far, "ada", CALL)

    assert (await end(far, "ada", again)).fault is None
    assert await read_waiting(far, "ada", again) == ""


async def test_programs_of_who_is_no_administrator_any_more_end_in_the_other_process(
    wb: Workbench, far: Workbench
) -> None:
    await a_program(wb)
    await eventually(knows(far, "ada"), 15)

    await change_role(wb.store, "eve", "ada", Role.MEMBER)
    await connect_servers_of(wb, "ada")

    await eventually(lambda: far.toolbox.sessions.get("ada") == {})


async def test_what_changed_while_redis_was_away_is_followed_once_it_is_back(
    wb: Workbench, far: Workbench, redis: RedisServer
) -> None:
    gone = await a_program(wb)
    await eventually(knows(far, "ada"), 15)
    redis.kill()
    await delete_server(wb, "ada", gone)
    added = await a_program(wb, name="second")
    await share_server(wb, "ada", added, shared=True)

    redis.start()

    await eventually(lambda: set(far.toolbox.sessions.get("ada", ())) == {added}, 15)
    await eventually(lambda: [one.id for one in list_lent(far, "max")] == [added])
