"""Replies of an agent that call the tools of real MCP servers."""

from __future__ import annotations

from pathlib import Path

from app.domain.conversation.parts import ToolResult, plain_text
from app.domain.tools.permissions import AllowedTool
from app.domain.tools.tool_records import CallFault
from app.domain.tools.tool_servers import OverStdio
from app.runs.agents.agent_commands import create_agent
from app.runs.app_context import AppContext
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.tools.permission_commands import PermissionChoice, answer_permission, list_pending, list_rules
from app.runs.tools.server_commands import ServerSettings, add_server, try_server
from app.store.tools.tool_calls import load_pair_tool_calls
from tests.runs.steps import Ended, a_conversation, collect, reply_to, send
from tests.tools.servers import script
from tests.waiting import until_found

CALLS_LAB = "/rate 0\n/tool lab__act {}\n/then\n/echo done"
CALLS_HOME = "/rate 0\n/tool home__act {}\n/then\n/echo done"


def a_program(notes: Path) -> OverStdio:
    """Write a program with one tool that notes each call in a file."""
    return script(
        f"""
def act(asked):
    with open({str(notes)!r}, "a") as file: file.write("called ")
    write({{"id": asked["id"], "result": {{"content": [{{"type": "text", "text": "acted"}}]}}}})
greet()
serve(act, [TOOL])
"""
    )


async def start_server(ctx: AppContext, name: str, notes: Path) -> str:
    """Set up a server whose calls are noted in a file, and return its id."""
    seen = await add_server(ctx, LOCAL_OWNER, ServerSettings(name, a_program(notes)))
    await try_server(ctx, LOCAL_OWNER, seen.server.id)
    return seen.server.id


def results_of(ended: Ended) -> list[str]:
    assert ended.pair.reply is not None
    return [plain_text(part.content) for part in ended.pair.reply.parts if isinstance(part, ToolResult)]


async def test_agent_calls_the_tools_of_its_servers_and_of_no_other_server(ctx: AppContext, tmp_path: Path) -> None:
    lab = await start_server(ctx, "lab", tmp_path / "lab")
    await start_server(ctx, "home", tmp_path / "home")
    allowed = (AllowedTool(lab, "*", ask=False),)
    agent = await create_agent(ctx, LOCAL_OWNER, {"name": "Technician", "server_ids": (lab,), "allowed_tools": allowed})
    conversation_id = await a_conversation(ctx, agent_id=agent.id)

    own = await reply_to(ctx, conversation_id, CALLS_LAB)
    other = await reply_to(ctx, conversation_id, CALLS_HOME)

    assert results_of(own) == ["acted"]
    assert (tmp_path / "lab").read_text() == "called "
    assert results_of(other) == ['There is no tool "home__act". The tools are: lab__act.']
    async with ctx.store.read() as session:
        (record,) = await load_pair_tool_calls(session, other.pair.id)
    assert record.fault is CallFault.UNKNOWN
    assert not (tmp_path / "home").exists()


async def test_tool_that_is_always_allowed_for_an_agent_is_asked_about_without_it(
    ctx: AppContext, tmp_path: Path
) -> None:
    await start_server(ctx, "lab", tmp_path / "lab")
    agent = await create_agent(ctx, LOCAL_OWNER, {"name": "Technician"})
    conversation_id = await a_conversation(ctx, agent_id=agent.id)
    started = await send(ctx, conversation_id, CALLS_LAB)
    (request,) = await until_found(lambda: list_pending(ctx, LOCAL_OWNER, conversation_id))
    await answer_permission(ctx, LOCAL_OWNER, request.id, PermissionChoice.ALWAYS_ALLOW_AGENT)
    await collect(ctx, started.run_id)

    again = await reply_to(ctx, await a_conversation(ctx, agent_id=agent.id), CALLS_LAB)
    plain_id = await a_conversation(ctx, agent_id="")
    without = await send(ctx, plain_id, CALLS_LAB)
    (asked,) = await until_found(lambda: list_pending(ctx, LOCAL_OWNER, plain_id))

    assert results_of(again) == ["acted"]
    assert (tmp_path / "lab").read_text() == "called called "
    assert [kept.rule.agent_id for kept in await list_rules(ctx, LOCAL_OWNER)] == [agent.id]
    assert asked.agent_id is None
    await answer_permission(ctx, LOCAL_OWNER, asked.id, PermissionChoice.DENY)
    await collect(ctx, without.run_id)
