"""Tools that a send offers: the same in the estimate, the preview, the send and the later verification."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import orjson
import pytest

from app.domain.conversation.conversation import Pair, ToolMode
from app.domain.conversation.parts import ToolCall
from app.domain.settings.preferences import Preferences
from app.domain.tools.inclusion import Why
from app.domain.tools.permission_requests import Allowed
from app.domain.tools.tools import BUILT_IN, Tool, ToolOutcome
from app.runs.agents.agent_commands import create_agent
from app.runs.app_context import AppContext
from app.runs.conversation.conversation_commands import SettingChanges, change_conversation
from app.runs.engine.live import LiveRun
from app.runs.request.preview import Composed
from app.runs.resend.resend import resend_pair
from app.runs.resend.verification import verify_run
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.commands import preview_send
from app.runs.send.composition import compose_view
from app.runs.send.context_selection import ViewOptions
from app.runs.send.send_request import SendRequest
from app.runs.settings.preference_commands import set_preferences
from app.runs.tools import tool_calls
from app.store.run.toolsets import load_sent_tools
from app.tools.toolbox import BuiltIn
from tests.runs.steps import a_conversation, collect, reply_to

SCHEMA = '{"type":"object","properties":{"path":{"type":"string"}}}'


def a_tool(name: str, description: str = "", server: str = "files") -> Tool:
    return Tool(f"{server}__{name}", server, server, name, "", description, SCHEMA, read_only=True)


READ, COMMIT, RAIN = (
    a_tool("read_file", "Reads a file."),
    a_tool("commit", "Records changes.", "git"),
    a_tool("forecast", "Tells of rain.", "weather"),
)


async def nothing(*_: Any, **__: Any) -> ToolOutcome:
    return ToolOutcome(())


@pytest.fixture(autouse=True)
def every_call_is_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    async def allow(_wb: AppContext, _run: LiveRun, _tool: Tool, call: ToolCall, **_: object) -> Allowed:
        return Allowed(call.input_json)

    monkeypatch.setattr(tool_calls, "ask_permission", allow)


@pytest.fixture
def tools(ctx: AppContext) -> tuple[Tool, ...]:
    """Register the tools of three servers."""
    ctx.toolbox.register(BuiltIn(tool, nothing) for tool in (COMMIT, RAIN, READ))
    return READ, COMMIT, RAIN


async def composed_of(ctx: AppContext, conversation_id: str, draft: str = "", **options: Any) -> Composed:
    return await compose_view(ctx, LOCAL_OWNER, conversation_id, ViewOptions(**options), draft)


async def names_in(ctx: AppContext, conversation_id: str, text: str, **options: Any) -> list[str]:
    planned = await preview_send(ctx, LOCAL_OWNER, conversation_id, SendRequest(text, ViewOptions(**options)))
    return [tool.name for tool in planned.built.request.tools]


async def test_without_servers_no_tool_is_offered_and_none_is_counted(ctx: AppContext) -> None:
    conversation_id = await a_conversation(ctx)

    planned = await preview_send(ctx, LOCAL_OWNER, conversation_id, SendRequest("What time is it?"))

    assert planned.built.request.tools == ()
    assert planned.composed.composition.estimate.tools == 0
    assert planned.tools == ()


async def test_a_built_in_tool_is_offered_once_a_person_has_switched_it_on(ctx: AppContext) -> None:
    conversation_id = await a_conversation(ctx)

    await set_preferences(ctx, LOCAL_OWNER, Preferences(built_in_tools=("current_time",)))
    planned = await preview_send(ctx, LOCAL_OWNER, conversation_id, SendRequest("What time is it?"))

    assert [(tool.name, tool.server_id) for tool in planned.tools] == [("current_time", BUILT_IN)]


async def test_estimate_preview_and_send_have_the_same_tools_and_can_be_verified(
    ctx: AppContext, tools: tuple[Tool, ...]
) -> None:
    conversation_id = await a_conversation(ctx)

    composed = await composed_of(ctx, conversation_id, "Hello")
    planned = await preview_send(ctx, LOCAL_OWNER, conversation_id, SendRequest("Hello"))
    ended = await reply_to(ctx, conversation_id, "Hello")
    ctx.toolbox.built_ins.clear()
    verified = await verify_run(ctx, LOCAL_OWNER, ended.started.run_id)

    assert planned.tools == tools
    assert [tool["name"] for tool in orjson.loads(planned.wire.body)["tools"]] == [tool.name for tool in tools]
    estimate = composed.composition.estimate
    assert estimate == planned.composed.composition.estimate
    assert estimate.tools == composed.tools.tokens > 50
    assert estimate.tokens == estimate.system + estimate.tools + estimate.draft
    assert ended.started.content_hash == planned.plan.content_hash
    assert verified.matches, verified.reasons
    async with ctx.store.read() as session:
        told = await load_sent_tools(session, ended.started.run_id)
    assert [tool.name for tool in told] == [tool.name for tool in tools]


async def test_a_pair_sent_again_offers_the_current_tools(ctx: AppContext, tools: tuple[Tool, ...]) -> None:
    conversation_id = await a_conversation(ctx)
    first = await reply_to(ctx, conversation_id, "Hello")

    del ctx.toolbox.built_ins[RAIN.name]
    again = await resend_pair(ctx, LOCAL_OWNER, first.pair.id)
    await collect(ctx, again.started.run_id)

    async with ctx.store.read() as session:
        told = await load_sent_tools(session, again.started.run_id)
        before = await load_sent_tools(session, first.started.run_id)
    assert [tool.name for tool in told] == [READ.name, COMMIT.name]
    assert len(before) == len(tools)
    assert (await verify_run(ctx, LOCAL_OWNER, first.started.run_id)).matches
    assert (await verify_run(ctx, LOCAL_OWNER, again.started.run_id)).matches


async def test_each_mode_of_a_conversation_is_what_is_sent(ctx: AppContext, tools: tuple[Tool, ...]) -> None:
    conversation_id = await a_conversation(ctx)

    every = await names_in(ctx, conversation_id, "Hi")
    await change_conversation(ctx, LOCAL_OWNER, conversation_id, SettingChanges(tool_mode=ToolMode.ALL_OFF))
    none = await names_in(ctx, conversation_id, "Hi")
    ticked = ["nobody__knows", COMMIT.name, COMMIT.name]
    changed = await change_conversation(
        ctx, LOCAL_OWNER, conversation_id, SettingChanges(tool_mode=ToolMode.MANUAL, ticked_tools=ticked)
    )
    some = await names_in(ctx, conversation_id, "Hi")
    looked = await names_in(ctx, conversation_id, "Hi", tool_mode=ToolMode.ALL_ON)

    assert every == looked == [tool.name for tool in tools]
    assert none == []
    assert some == [COMMIT.name]
    assert changed.ticked_tools == (COMMIT.name, "nobody__knows")


async def test_only_the_tools_of_the_servers_of_an_agent_are_sent(ctx: AppContext, tools: tuple[Tool, ...]) -> None:
    agent = await create_agent(ctx, LOCAL_OWNER, {"name": "Reviewer", "server_ids": ("git", "weather")})
    serverless = await create_agent(ctx, LOCAL_OWNER, {"name": "Writer", "server_ids": ()})
    conversation_id = await a_conversation(ctx, agent_id=agent.id)

    planned = await preview_send(ctx, LOCAL_OWNER, conversation_id, SendRequest("Hello"))
    ended = await reply_to(ctx, conversation_id, "Hello")

    sent = [COMMIT.name, RAIN.name]
    assert [tool["name"] for tool in orjson.loads(planned.wire.body)["tools"]] == sent
    assert planned.plan.content_hash == ended.started.content_hash
    async with ctx.store.read() as session:
        assert [tool.name for tool in await load_sent_tools(session, ended.started.run_id)] == sent
    assert await names_in(ctx, conversation_id, "Hello", agent=serverless.id) == []
    assert await names_in(ctx, conversation_id, "Hello", agent="") == [tool.name for tool in tools]


async def test_a_model_without_tools_is_offered_none(ctx: AppContext, tools: tuple[Tool, ...]) -> None:
    conversation_id = await a_conversation(ctx, model="offline:tiny")

    composed = await composed_of(ctx, conversation_id, "Hello")

    assert await names_in(ctx, conversation_id, "Hello") == []
    assert {one.why for one in composed.tools.decided} == {Why.MODEL_CANNOT}
    assert len(composed.tools.decided) == len(tools)
    assert composed.composition.estimate.tools == 0


@pytest.fixture
def many(ctx: AppContext, tools: tuple[Tool, ...]) -> tuple[Tool, ...]:
    """Register enough tools to exceed a tenth of the budget."""
    ctx.toolbox.register(BuiltIn(a_tool(f"t{number}", "Quark " * 400, "other"), nothing) for number in range(40))
    return tools


async def test_auto_follows_the_draft_and_the_pairs_in_view(ctx: AppContext, many: tuple[Tool, ...]) -> None:
    conversation_id = await a_conversation(ctx)
    await change_conversation(ctx, LOCAL_OWNER, conversation_id, SettingChanges(tool_mode=ToolMode.AUTO))

    about_rain = await names_in(ctx, conversation_id, "Will there be rain?")
    about_nothing = await names_in(ctx, conversation_id, "Hmm")
    called = await reply_to(ctx, conversation_id, f"/tool {COMMIT.name} {{}}")
    after = await composed_of(ctx, conversation_id, "Hmm")
    filtered = await composed_of(ctx, conversation_id, "Hmm", filter="s>=1")

    assert about_rain == [RAIN.name]
    assert about_nothing == []
    assert COMMIT.name in [part.name for part in _calls(called.pair)]
    assert [one.name for one in after.tools.tools] == [COMMIT.name]
    assert filtered.tools.tools == ()
    assert len(many) == 3


async def test_pairs_are_found_by_the_tools_that_they_called(ctx: AppContext, tools: tuple[Tool, ...]) -> None:
    conversation_id = await a_conversation(ctx)
    called = await reply_to(ctx, conversation_id, f"/tool {COMMIT.name} {{}}")
    plain = await reply_to(ctx, conversation_id, "Hello")

    async def found(line: str) -> list[str]:
        composed = await composed_of(ctx, conversation_id, filter=line)
        return [pair.pair_id for pair in composed.composition.visible.pairs]

    assert await found("k") == [called.pair.id]
    assert await found("k'git*'") == [called.pair.id]
    assert await found("k'weather*'") == []
    assert await found("!k") == [plain.pair.id]


def _calls(pair: Pair) -> list[Any]:
    return [part for part in (pair.reply.parts if pair.reply else ()) if hasattr(part, "input_json")]


async def test_a_look_at_another_mode_changes_nothing(ctx: AppContext, tools: tuple[Tool, ...]) -> None:
    conversation_id = await a_conversation(ctx)

    off = await composed_of(ctx, conversation_id, tool_mode=ToolMode.ALL_OFF)
    own = await composed_of(ctx, conversation_id)

    assert (len(off.tools.tools), len(own.tools.tools)) == (0, len(tools))
    assert replace(off.base.terms) == own.base.terms
