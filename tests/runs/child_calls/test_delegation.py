"""Work that a reply delegates to another agent: its conversation, its result, its end, and who may not receive it."""

from __future__ import annotations

import asyncio
import json
from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from app.domain.conversation.conversation import Conversation
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.conversation.middleware_choices import MiddlewareChoices
from app.domain.conversation.parts import ToolResult, plain_text
from app.domain.costs.budgets import BudgetPeriod, BudgetScope, SpendingBudget
from app.domain.models.model_profile import Prices
from app.domain.settings.preferences import Preferences
from app.domain.tools.permissions import AllowedTool
from app.domain.tools.tools import Caller, ToolOutcome
from app.runs.agents.agent_commands import create_agent
from app.runs.app_context import AppContext
from app.runs.child_calls.delegation import delegate_tool
from app.runs.compare.comparisons import ComparedModels, start_comparison
from app.runs.conversation.conversation_commands import SettingChanges, change_conversation
from app.runs.conversation.folder_commands import create_folder
from app.runs.conversation.lineage import read_lineage
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.composition import compose_view
from app.runs.send.context_selection import ViewOptions
from app.runs.send.send_request import SendRequest
from app.runs.settings.preference_commands import set_preferences
from app.runs.usage.budgets import set_budget
from app.runs.usage.prices import set_price
from app.store.conversation.conversations import load_conversation
from app.store.conversation.lists import list_conversations
from app.store.ledger.ledger import count_calls, load_calls
from app.store.ledger.prices import OwnPrice
from app.store.run.runs import load_sent_with
from tests.runs.steps import a_conversation, collect, pair_of, pairs_of, reply_to, send


def ignore(done: float, total: float | None, words: str) -> None:
    """Ignore the progress: the test has no page."""


async def asker(ctx: AppContext, name: str | None = None, **fields: Any) -> Caller:
    """Return the caller of a tool in the middle of a reply, under an agent of this name."""
    agent = None if name is None else await create_agent(ctx, LOCAL_OWNER, {"name": name})
    conversation = await a_conversation(ctx, agent_id="" if agent is None else agent.id, **fields)
    ended = await reply_to(ctx, conversation, "/echo Let me ask somebody")
    return Caller(LOCAL_OWNER, conversation, ended.pair.id, ended.started.run_id, "call_1")


async def delegate(ctx: AppContext, caller: Caller, agent: str, task: str, progress: Any = ignore) -> ToolOutcome:
    tool = ctx.toolbox.find(caller.owner, "delegate")
    assert tool is not None
    return await ctx.toolbox.call(tool, {"agent": agent, "task": task}, caller=caller, progress=progress, timeout=30)


async def made_in(ctx: AppContext, outcome: ToolOutcome) -> Conversation:
    facts = json.loads(outcome.structured_json or "{}")
    async with ctx.store.read() as session:
        return await load_conversation(session, LOCAL_OWNER, facts["conversation_id"])


async def test_a_task_runs_in_a_child_conversation_of_the_agent_and_is_paid_as_delegated(ctx: AppContext):
    caller = await asker(ctx)
    helper = await create_agent(ctx, LOCAL_OWNER, {"name": "Helper", "system_prompt": "Help."})
    told: list[str] = []

    def hear(_done: float, _of: float | None, words: str) -> None:
        told.append(words)

    outcome = await delegate(ctx, caller, "helper", "/echo done it", hear)

    made = await made_in(ctx, outcome)
    asking = await pair_of(ctx, caller.pair_id)
    (pair,) = await pairs_of(ctx, made.id)
    assert (plain_text(outcome.content), outcome.is_error) == ("done it", False)
    assert (made.kind, made.status, made.parent_id) == ("tool", "completed", caller.conversation_id)
    assert asking.reply is not None
    assert (made.trigger_message_id, made.agent_id) == (asking.reply.id, helper.id)
    assert (pair.agent, plain_text(pair.request.parts)) == ("Helper", "/echo done it")
    async with ctx.store.read() as session:
        calls = await load_calls(session, LOCAL_OWNER, made.id)
    assert [call.purpose for call in calls] == ["delegated"]
    assert told[0] == "Helper is working on the task"
    assert told[-1] == "done it"


async def test_delegate_gets_the_first_request_of_the_person_if_that_is_switched_on(ctx: AppContext):
    caller = await asker(ctx)
    await set_preferences(ctx, LOCAL_OWNER, Preferences(tell_first_request=True))
    await create_agent(ctx, LOCAL_OWNER, {"name": "Helper"})

    made = await made_in(ctx, await delegate(ctx, caller, "Helper", "/echo done it"))

    (pair,) = await pairs_of(ctx, made.id)
    assert pair.run_id is not None
    async with ctx.store.read() as session:
        sent_with = await load_sent_with(session, pair.run_id)
    assert sent_with.prelude == "The first request of this conversation:\n/echo Let me ask somebody"


async def test_delegate_gets_the_folder_of_the_person_s_conversation_as_its_project(ctx: AppContext):
    caller = await asker(ctx)
    made_folder = (await create_folder(ctx, LOCAL_OWNER, "Travel")).folder
    await change_conversation(ctx, LOCAL_OWNER, caller.conversation_id, SettingChanges(folder_id=made_folder.id))
    await set_preferences(ctx, LOCAL_OWNER, Preferences(tell_project=True))
    await create_agent(ctx, LOCAL_OWNER, {"name": "Helper"})

    made = await made_in(ctx, await delegate(ctx, caller, "Helper", "/echo done it"))

    (pair,) = await pairs_of(ctx, made.id)
    assert pair.run_id is not None
    async with ctx.store.read() as session:
        sent_with = await load_sent_with(session, pair.run_id)
    assert sent_with.prelude == "Project: Travel"


async def test_delegated_work_has_the_middleware_of_the_conversation_that_requested_it(ctx: AppContext):
    caller = await asker(ctx)
    own = MiddlewareChoices(user_context=False, redaction=True)
    await change_conversation(ctx, LOCAL_OWNER, caller.conversation_id, SettingChanges(middleware=own))
    await create_agent(ctx, LOCAL_OWNER, {"name": "Helper"})

    made = await made_in(ctx, await delegate(ctx, caller, "Helper", "/echo id AKIAIOSFODNN7EXAMPLE"))

    (pair,) = await pairs_of(ctx, made.id)
    assert made.middleware == own
    assert [(one.kind, one.place) for one in pair.redacted] == [("AWS access key", "request")]


async def test_a_failed_or_unknown_delegate_is_an_answer_with_the_reason(ctx: AppContext):
    caller = await asker(ctx)
    await create_agent(ctx, LOCAL_OWNER, {"name": "Helper"})

    failed = await delegate(ctx, caller, "Helper", "/fail model")
    unknown = await delegate(ctx, caller, "Nobody", "Hello")

    assert failed.is_error
    assert plain_text(failed.content).startswith("Helper failed: ")
    assert (await made_in(ctx, failed)).status == "failed"
    assert unknown.is_error
    assert "The agents are: Helper." in plain_text(unknown.content)


@pytest.mark.parametrize("of", ["all", "conversation", "agent"])
async def test_work_that_a_budget_has_no_room_for_is_not_handed_over_and_costs_nothing(ctx: AppContext, of: str):
    price = OwnPrice("offline:demo", date(2020, 1, 1), Prices(Decimal(3), Decimal(15)))
    await set_price(ctx, LOCAL_OWNER, price)
    caller = await asker(ctx)
    helper = await create_agent(ctx, LOCAL_OWNER, {"name": "Helper"})
    subject = {"all": "", "conversation": caller.conversation_id, "agent": helper.id}[of]
    limit = SpendingBudget(BudgetScope(of), subject, BudgetPeriod.EVER, Decimal("0.000001"))
    await set_budget(ctx, LOCAL_OWNER, limit)

    outcome = await delegate(ctx, caller, "Helper", "/echo done it")

    assert outcome.is_error
    assert "The task was not delegated. The budget" in plain_text(outcome.content)
    async with ctx.store.read() as session:
        assert await count_calls(session, LOCAL_OWNER, caller.conversation_id) == 1


async def test_work_is_never_handed_back_to_where_it_came_from(ctx: AppContext):
    caller = await asker(ctx, "First")
    await create_agent(ctx, LOCAL_OWNER, {"name": "Second"})
    first = await delegate(ctx, caller, "Second", "/echo mine")
    second = await made_in(ctx, first)
    (pair,) = await pairs_of(ctx, second.id)
    below = Caller(LOCAL_OWNER, second.id, pair.id, pair.run_id or "", "call_2")

    to_itself = await delegate(ctx, caller, "First", "Hello")
    back = await delegate(ctx, below, "First", "Hello")
    again = await delegate(ctx, below, "Second", "Hello")

    for outcome in (to_itself, back, again):
        assert outcome.is_error
        assert "cannot delegate it back" in plain_text(outcome.content)
    async with ctx.store.read() as session:
        assert len(await list_conversations(session, LOCAL_OWNER, limit=10)) == 2


async def test_a_compared_reply_can_hand_work_to_the_agent_of_an_earlier_pair(ctx: AppContext):
    conversation = (await asker(ctx, "Helper")).conversation_id
    await change_conversation(ctx, LOCAL_OWNER, conversation, SettingChanges(agent_id=""))
    models = ("offline:demo", "offline:tiny")
    run, *_ = (
        await start_comparison(ctx, LOCAL_OWNER, conversation, SendRequest("/echo Why?"), ComparedModels(models))
    ).runs
    caller = Caller(LOCAL_OWNER, run.conversation_id, run.pair_id, run.run_id, "call_1")

    outcome = await delegate(ctx, caller, "Helper", "/echo done it")

    assert not outcome.is_error
    assert (await made_in(ctx, outcome)).parent_id == conversation


async def test_work_goes_through_few_hands_all_of_them_on_the_account_of_the_first(ctx: AppContext):
    root = caller = await asker(ctx)
    for name in ("One", "Two", "Three", "Four"):
        await create_agent(ctx, LOCAL_OWNER, {"name": name})

    for name in ("One", "Two", "Three"):
        outcome = await delegate(ctx, caller, name, "/echo on")
        made = await made_in(ctx, outcome)
        assert made.parent_id == root.conversation_id
        origin = (await read_lineage(ctx, LOCAL_OWNER, made.id)).origin
        assert origin is not None
        assert (origin.conversation_id, origin.position) == (caller.conversation_id, 1)
        assert origin.title, "the first words of what has no title"
        (pair,) = await pairs_of(ctx, made.id)
        caller = Caller(LOCAL_OWNER, made.id, pair.id, pair.run_id or "", "call")
    derived = (await read_lineage(ctx, LOCAL_OWNER, root.conversation_id)).items
    assert [one.position for one in derived] == [None, None, 1], "a pair of another conversation is none of this one"
    last = await delegate(ctx, caller, "Four", "/echo on")

    assert last.is_error
    assert "3 times" in plain_text(last.content)


async def test_a_stopped_call_stops_the_delegate_and_keeps_its_text(ctx: AppContext):
    caller = await asker(ctx)
    await create_agent(ctx, LOCAL_OWNER, {"name": "Helper"})
    began = asyncio.Event()

    def watch(done: float, _total: float | None, _words: str) -> None:
        if done:
            began.set()

    waiting = asyncio.create_task(delegate(ctx, caller, "Helper", "/long 2000 /rate 50", watch))
    await began.wait()
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting

    async with ctx.store.read() as session:
        found = await list_conversations(session, LOCAL_OWNER, limit=10)
    made = next(one.conversation for one in found if one.conversation.kind == "tool")
    (pair,) = await pairs_of(ctx, made.id)
    assert (made.status, pair.lifecycle) == ("failed", Lifecycle.CANCELED)
    assert pair.reply is not None
    assert plain_text(pair.reply.parts)
    assert ctx.engine.runs_of(made.id) == ()


async def test_the_tool_is_offered_with_the_existing_agents_and_not_without_any(ctx: AppContext):
    await set_preferences(ctx, LOCAL_OWNER, Preferences(built_in_tools=("delegate",)))
    conversation = await a_conversation(ctx)

    async def told(options: ViewOptions) -> list[str]:
        composed = await compose_view(ctx, LOCAL_OWNER, conversation, options)
        return [tool.description for tool in composed.tools.tools]

    assert await told(ViewOptions()) == []
    helper = await create_agent(ctx, LOCAL_OWNER, {"name": "Helper", "description": "Counts well"})
    (words,) = await told(ViewOptions())
    assert words.endswith("The agents are: Helper: Counts well")
    assert await told(ViewOptions(agent=helper.id)) == []
    started = await send(ctx, conversation, "/echo hello")
    await collect(ctx, started.run_id)


async def test_a_reply_delegates_work_and_continues_with_the_result(ctx: AppContext):
    await set_preferences(ctx, LOCAL_OWNER, Preferences(built_in_tools=("delegate",)))
    await create_agent(ctx, LOCAL_OWNER, {"name": "Helper"})
    unasked = (AllowedTool("built-in", "delegate", ask=False),)
    boss = await create_agent(ctx, LOCAL_OWNER, {"name": "Boss", "allowed_tools": unasked})
    conversation = await a_conversation(ctx, agent_id=boss.id)

    ended = await reply_to(ctx, conversation, '/tool delegate {"agent": "Helper", "task": "/echo counted"}')

    assert ended.pair.reply is not None
    (result,) = [part for part in ended.pair.reply.parts if isinstance(part, ToolResult)]
    assert (plain_text(result.content), result.is_error) == ("counted", False)
    async with ctx.store.read() as session:
        listed = await list_conversations(session, LOCAL_OWNER, limit=10)
    (made,) = [one.conversation for one in listed if one.conversation.kind == "tool"]
    assert (made.trigger_message_id, made.parent_id) == (ended.pair.reply.id, conversation)


async def test_a_delegate_whose_time_is_over_is_stopped_and_what_it_said_comes_back(ctx: AppContext):
    ctx.toolbox.register((delegate_tool(ctx, seconds=1),))
    caller = await asker(ctx)
    await create_agent(ctx, LOCAL_OWNER, {"name": "Helper"})

    outcome = await delegate(ctx, caller, "Helper", "/long 2000 /rate 50")

    made = await made_in(ctx, outcome)
    (pair,) = await pairs_of(ctx, made.id)
    assert outcome.is_error
    assert plain_text(outcome.content).startswith("Helper was stopped after 1 seconds, the maximum for a delegated")
    assert (made.status, pair.lifecycle) == ("failed", Lifecycle.CANCELED)
    assert ctx.engine.runs_of(made.id) == ()
