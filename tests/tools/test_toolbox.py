"""The toolbox with its built-in tools: it lists, finds, calls, and ends a call that takes too long."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
import uvloop

from app.domain.conversation.parts import Text
from app.domain.tools.tool_servers import OverStdio
from app.domain.tools.tools import Caller, ToolFailedError, ToolFault, ToolOutcome
from app.tools.built_in.clock import CURRENT_TIME, current_time
from app.tools.mcp.connection_terms import ConnectionEnd
from app.tools.mcp.link import describe_fault
from app.tools.mcp.stdio import run_program
from app.tools.toolbox import BuiltIn, Progress, Toolbox

ME = Caller("local")
NOON = datetime(2026, 7, 1, 12, 0, tzinfo=UTC)


def ignore(done: float, total: float | None, words: str) -> None: ...


def a_toolbox(*more: BuiltIn) -> Toolbox:
    toolbox = Toolbox()
    toolbox.register((current_time(lambda: NOON), *more))
    return toolbox


async def ask_time(**arguments: object) -> ToolOutcome:
    return await a_toolbox().call(CURRENT_TIME, arguments, caller=ME, progress=ignore, timeout=5)


async def test_time_is_given_in_the_requested_zone() -> None:
    berlin, utc = await ask_time(timezone="Europe/Berlin"), await ask_time()

    assert berlin.content == (Text("2026-07-01T14:00:00+02:00 (Wednesday, Europe/Berlin)"),)
    assert utc.content == (Text("2026-07-01T12:00:00+00:00 (Wednesday, UTC)"),)


@pytest.mark.parametrize("zone", ["Mars/Olympus", "../../etc/passwd", "", 5, ["UTC"], "Europe"])
async def test_invalid_zone_is_reported_to_the_model(zone: object) -> None:
    outcome = await ask_time(timezone=zone)

    assert outcome.is_error == (zone != "")


async def test_tools_are_found_by_their_name_for_models() -> None:
    toolbox = a_toolbox()

    assert toolbox.list_tools("local") == (CURRENT_TIME,)
    assert toolbox.find("local", "current_time") is CURRENT_TIME
    assert toolbox.find("local", "rm_rf") is None


async def test_missing_tool_is_reported() -> None:
    with pytest.raises(ToolFailedError, match="no longer exists") as caught:
        await Toolbox().call(CURRENT_TIME, {}, caller=ME, progress=ignore, timeout=1)

    assert caught.value.fault is ToolFault.GONE


async def test_call_that_takes_too_long_ends() -> None:
    ended = asyncio.Event()

    async def hang(caller: Caller, arguments: Mapping[str, Any], progress: Progress) -> ToolOutcome:
        try:
            await asyncio.sleep(60)
        finally:
            ended.set()
        return ToolOutcome(())

    slow = replace(CURRENT_TIME, name="slow")
    with pytest.raises(ToolFailedError) as caught:
        await a_toolbox(BuiltIn(slow, hang)).call(slow, {}, caller=ME, progress=ignore, timeout=0.01)

    assert caught.value.fault is ToolFault.TIMED_OUT
    assert ended.is_set()


@pytest.mark.parametrize("way", [OverStdio("/no/such/thing"), OverStdio("env", folder="/no/such/thing")])
def test_program_that_is_not_there_is_named_on_the_loop_that_serves(way: OverStdio) -> None:
    def hear(level: str, line: str) -> None: ...

    async def start() -> None:
        async with run_program(way, {}, hear, ConnectionEnd()):
            raise AssertionError("it was started")

    with pytest.raises(FileNotFoundError) as refused:
        uvloop.run(start())

    assert describe_fault(refused.value) == "there is no program or folder '/no/such/thing' on this machine"
