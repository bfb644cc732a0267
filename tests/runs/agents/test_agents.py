"""The agent that answers: its prompt, model and parameters, and which of them are stored."""

from __future__ import annotations

import pytest

from app.domain.agents.agents import Agent
from app.domain.conversation.conversation import Pair, Parameters
from app.domain.errors import NotFoundError
from app.domain.settings.preferences import Preferences
from app.domain.tools.permissions import AllowedTool
from app.runs.agents.agent_commands import AgentFields, change_agent, create_agent, delete_agent, restore_agent
from app.runs.app_context import AppContext
from app.runs.conversation.conversation_commands import SettingChanges, change_conversation, create_conversation
from app.runs.resend.resend import ResendOptions, resend_pair
from app.runs.resend.verification import verify_run
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.commands import preview_send
from app.runs.send.composition import compose_view
from app.runs.send.context_selection import ViewOptions
from app.runs.send.queue import queue_text
from app.runs.send.send_request import SendRequest
from app.runs.settings.preference_commands import set_preferences
from app.runs.temporary.temporary import create_temporary
from tests.runs.steps import a_conversation, collect, pair_of, pairs_of, reply_to, send
from tests.waiting import until_found


async def an_agent(ctx: AppContext, name: str = "Reviewer", fields: AgentFields | None = None) -> Agent:
    return await create_agent(ctx, LOCAL_OWNER, {"name": name, **(fields or {})})


async def test_the_agents_prompt_is_sent_before_the_conversations_own_and_counted(ctx: AppContext):
    agent = await an_agent(ctx, fields={"system_prompt": "Find the fault."})
    conversation = await a_conversation(ctx, system_prompt="Be brief.", agent_id=agent.id)
    without = await compose_view(ctx, LOCAL_OWNER, conversation, ViewOptions(agent=""))

    planned = await preview_send(ctx, LOCAL_OWNER, conversation, SendRequest("Hello"))

    assert planned.built.request.system == "Find the fault.\n\nBe brief."
    assert planned.composed.composition.estimate.system > without.composition.estimate.system


async def test_a_send_names_its_agent_else_the_conversations_answers(ctx: AppContext):
    one = await an_agent(ctx, "One", {"system_prompt": "I am one."})
    two = await an_agent(ctx, "Two", {"system_prompt": "I am two.", "model": "offline:tiny"})
    conversation = await a_conversation(ctx, agent_id=one.id)

    async def plan(options: ViewOptions):
        planned = await preview_send(ctx, LOCAL_OWNER, conversation, SendRequest("Hello", options))
        return planned.built.request.system, planned.wire.model

    assert await plan(ViewOptions()) == ("I am one.", "offline:demo")
    assert await plan(ViewOptions(agent=two.id)) == ("I am two.", "offline:tiny")
    assert await plan(ViewOptions(agent=two.id, model="offline:demo")) == ("I am two.", "offline:demo")
    assert await plan(ViewOptions(agent="")) == ("", "offline:demo")
    with pytest.raises(NotFoundError):
        await plan(ViewOptions(agent="nobody"))


async def test_a_new_conversation_has_the_agent_used_last_unless_it_says_otherwise(ctx: AppContext):
    assert (await create_conversation(ctx, LOCAL_OWNER)).agent_id is None
    agent = await an_agent(ctx)
    await create_conversation(ctx, LOCAL_OWNER, agent_id=agent.id)

    assert (await create_conversation(ctx, LOCAL_OWNER)).agent_id == agent.id
    assert (await create_temporary(ctx, LOCAL_OWNER)).agent_id == agent.id
    assert (await create_conversation(ctx, LOCAL_OWNER, agent_id="")).agent_id is None
    assert (await create_conversation(ctx, LOCAL_OWNER)).agent_id is None


async def test_a_switch_brings_the_agents_model_along_and_applies_to_what_follows(ctx: AppContext):
    agent = await an_agent(ctx, fields={"model": "offline:tiny", "parameters": Parameters(max_output_tokens=500)})
    conversation = await a_conversation(ctx)
    first = await reply_to(ctx, conversation, "Hello")

    changed = await change_conversation(ctx, LOCAL_OWNER, conversation, SettingChanges(agent_id=agent.id))
    second = await reply_to(ctx, conversation, "Hello again", parameters=Parameters(thinking=False))

    assert changed.model == "offline:tiny"
    assert (first.pair.agent, first.pair.parameters) == (None, Parameters())
    assert (second.pair.agent, second.pair.agent_id, second.pair.model) == ("Reviewer", agent.id, "offline:tiny")
    assert second.pair.parameters == Parameters(max_output_tokens=500, thinking=False)
    assert (await pair_of(ctx, first.pair.id)).agent is None


async def test_a_pair_keeps_the_agents_name_and_its_parameters_when_the_agent_changes_or_goes(ctx: AppContext):
    agent = await an_agent(ctx, fields={"parameters": Parameters(seed=1, temperature=0.5), "system_prompt": "First."})
    conversation = await a_conversation(ctx, agent_id=agent.id)
    ended = await reply_to(ctx, conversation, "Hello")
    assert (await verify_run(ctx, LOCAL_OWNER, ended.started.run_id)).matches

    await change_agent(ctx, LOCAL_OWNER, agent.id, {"name": "Critic", "parameters": Parameters(seed=2)})
    await delete_agent(ctx, LOCAL_OWNER, agent.id)

    (pair,) = await pairs_of(ctx, conversation)
    assert (pair.agent, pair.parameters) == ("Reviewer", ended.pair.parameters)
    assert ended.pair.parameters.temperature == 0.5
    planned = await preview_send(ctx, LOCAL_OWNER, conversation, SendRequest("And now?"))
    assert (planned.built.request.system, planned.agent_name) == ("", None)
    await restore_agent(ctx, LOCAL_OWNER, agent.id)
    assert (await preview_send(ctx, LOCAL_OWNER, conversation, SendRequest("And now?"))).agent_name == "Critic"


async def test_a_pair_sent_again_is_as_it_was_under_the_same_agent_and_as_the_new_one_asks_under_another(
    ctx: AppContext,
):
    one = await an_agent(ctx, "One", {"parameters": Parameters(temperature=0.1)})
    two = await an_agent(ctx, "Two", {"parameters": Parameters(temperature=0.9)})
    conversation = await a_conversation(ctx, agent_id=one.id)
    ended = await reply_to(ctx, conversation, "Hello")
    await change_agent(ctx, LOCAL_OWNER, one.id, {"parameters": Parameters(temperature=0.3)})

    async def again(options: ViewOptions) -> tuple[str | None, float | None]:
        resent = await resend_pair(ctx, LOCAL_OWNER, ended.pair.id, ResendOptions(options=options))
        await collect(ctx, resent.started.run_id)
        pair = await pair_of(ctx, ended.pair.id)
        return pair.agent, pair.parameters.temperature

    assert await again(ViewOptions()) == ("One", 0.1)
    assert await again(ViewOptions(agent=two.id)) == ("Two", 0.9)


async def test_an_agents_parameters_that_a_model_rejects_are_left_out_and_reported(ctx: AppContext):
    agent = await an_agent(ctx, fields={"parameters": Parameters(seed=7, temperature=0.5)})
    options = ViewOptions(agent=agent.id, model="anthropic:claude-sonnet-4-5")
    conversation = await a_conversation(ctx)

    planned = await preview_send(ctx, LOCAL_OWNER, conversation, SendRequest("Hello", options))

    assert planned.built.request.parameters == Parameters(temperature=0.5)
    assert [notice for notice in planned.composed.base.notices if "seed" in notice and "Reviewer" in notice]


async def test_a_text_that_waits_keeps_the_agent_it_was_written_under(ctx: AppContext):
    one, two = await an_agent(ctx, "One"), await an_agent(ctx, "Two")
    conversation = await a_conversation(ctx, agent_id=one.id)
    running = await send(ctx, conversation, "/long 60 /rate 100")

    await queue_text(ctx, LOCAL_OWNER, conversation, SendRequest("Next"))
    await change_conversation(ctx, LOCAL_OWNER, conversation, SettingChanges(agent_id=two.id))
    await collect(ctx, running.run_id)

    async def look() -> list[Pair]:
        found = list(await pairs_of(ctx, conversation))
        return found if len(found) == 2 else []

    found = await until_found(look)  # the queue sends the next text
    assert [pair.agent for pair in found] == ["One", "One"]
    await collect(ctx, found[1].run_id or "")


async def test_filters_find_pairs_by_their_agent_also_one_that_is_gone(ctx: AppContext):
    one, two = await an_agent(ctx, "One"), await an_agent(ctx, "Two")
    conversation = await a_conversation(ctx, agent_id=one.id)
    await reply_to(ctx, conversation, "By one")
    await change_conversation(ctx, LOCAL_OWNER, conversation, SettingChanges(agent_id=two.id))
    await reply_to(ctx, conversation, "By two")

    async def seen(line: str) -> tuple[int, ...]:
        visible = (await compose_view(ctx, LOCAL_OWNER, conversation, ViewOptions(line))).composition.visible
        return tuple(pair.position for pair in visible.pairs)

    assert (await seen("a'One'"), await seen("a'two'"), await seen("a"), await seen("!a")) == ((1,), (2,), (2,), (1,))
    await delete_agent(ctx, LOCAL_OWNER, one.id)
    assert await seen("a'One'") == (1,)


async def test_a_run_begins_with_what_its_agents_list_allows(ctx: AppContext):
    await set_preferences(ctx, LOCAL_OWNER, Preferences(built_in_tools=("current_time", "fetch_page")))
    entry = AllowedTool("built-in", "current_*")
    agent = await an_agent(ctx, fields={"allowed_tools": (entry,)})
    conversation = await a_conversation(ctx, agent_id=agent.id)

    planned = await preview_send(ctx, LOCAL_OWNER, conversation, SendRequest("What time is it?"))

    assert [tool.name for tool in planned.tools] == ["current_time"]
    assert planned.loop is not None
    assert planned.loop.agent == agent
