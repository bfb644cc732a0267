"""Replies that call tools, from every source of replies: compared, queued, sent again, edited, temporary, delegated."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from app.domain.conversation.conversation import Pair
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.conversation.parts import Text, ToolResult, plain_text
from app.domain.tools import permissions
from app.domain.tools.tools import ToolOutcome
from app.runs.agents.agent_commands import create_agent
from app.runs.app_context import AppContext, context_for
from app.runs.compare.comparisons import ComparedModels, keep_reply, start_comparison
from app.runs.resend.resend import Later, ResendOptions, resend_pair, restore_version
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.commands import preview_send
from app.runs.send.context_selection import ViewOptions
from app.runs.send.queue import queue_text
from app.runs.send.send_request import SendRequest
from app.runs.temporary.temporary import create_temporary, keep_conversation
from app.store.conversation.conversations import list_derived
from app.store.tools.tool_calls import load_pair_tool_calls
from app.tools.mcp.connection_terms import Progress
from tests.runs.steps import a_conversation, collect, pair_of, pairs_of, reply_to, send
from tests.runs.toolsmith import add_tools
from tests.waiting import until

ASKS = '/rate 0\n/tool double {"a": 2}\n/then\n/echo done'
HANDS_OVER = '/rate 0\n/tool delegate {"agent": "Helper", "task": "/echo helped"}\n/then\n/echo done'
ABLE, UNABLE = "offline:demo", "offline:tiny"


@pytest.fixture(autouse=True)
async def tools(ctx: AppContext, monkeypatch: pytest.MonkeyPatch) -> None:
    """Add a tool that doubles and an agent that receives delegated work. Both need no permission."""

    async def double(arguments: Mapping[str, Any], progress: Progress) -> ToolOutcome:
        return ToolOutcome((Text(str(2 * arguments["a"])),))

    await add_tools(ctx, double=double)
    await create_agent(ctx, LOCAL_OWNER, {"name": "Helper"})
    monkeypatch.setattr(permissions, "UNASKED", frozenset({"double", "delegate"}))


async def answers_of(ctx: AppContext, pair: Pair) -> list[str]:
    """Return the results of tools in a reply that succeeded. Each result has its record."""
    assert pair.lifecycle is Lifecycle.SUCCEEDED
    assert pair.reply is not None
    assert isinstance(pair.reply.parts[-1], Text)
    assert pair.reply.parts[-1].text == "done"
    answers = [plain_text(part.content) for part in pair.reply.parts if isinstance(part, ToolResult)]
    async with ctx.store.read() as session:
        records = await load_pair_tool_calls(session, pair.id)
    assert len(records) == len(answers)
    return answers


async def compared(ctx: AppContext, conversation_id: str, text: str) -> Pair:
    comparison = await start_comparison(
        ctx, LOCAL_OWNER, conversation_id, SendRequest(text, ViewOptions()), ComparedModels((ABLE, UNABLE))
    )
    for run in comparison.runs:
        await collect(ctx, run.run_id)
    kept = await keep_reply(ctx, LOCAL_OWNER, conversation_id, ABLE)
    return await pair_of(ctx, kept.pair_id)


async def test_compared_replies_call_tools_and_keep_their_records_as_versions(ctx: AppContext) -> None:
    conversation_id = await a_conversation(ctx)

    pair = await compared(ctx, conversation_id, ASKS)

    assert await answers_of(ctx, pair) == ["4"]
    await restore_version(ctx, LOCAL_OWNER, pair.id, 2)
    other = await pair_of(ctx, pair.id)
    assert (other.model, await answers_of(ctx, other)) == (
        UNABLE,
        ['There is no tool "double". This conversation has no tools.'],
    )
    await restore_version(ctx, LOCAL_OWNER, pair.id, 1)
    again = await preview_send(ctx, LOCAL_OWNER, conversation_id, SendRequest("And now?"))
    roles = [message.role for message in again.built.request.messages]
    assert roles == ["user", "assistant", "tool", "assistant", "user"]


async def test_work_that_compared_replies_hand_over_belongs_to_the_conversation(ctx: AppContext) -> None:
    conversation_id = await a_conversation(ctx)

    pair = await compared(ctx, conversation_id, HANDS_OVER)

    assert await answers_of(ctx, pair) == ["helped"]
    async with ctx.store.read() as session:
        (made,) = await list_derived(session, conversation_id)
    assert plain_text((await pairs_of(ctx, made))[0].request.parts) == "/echo helped"


@pytest.mark.parametrize(("text", "answer"), [(ASKS, "4"), (HANDS_OVER, "helped")], ids=["tool", "delegate"])
async def test_queued_and_sent_again_and_edited_a_reply_calls_its_tools(
    ctx: AppContext, text: str, answer: str
) -> None:
    conversation_id = await a_conversation(ctx)
    await send(ctx, conversation_id, ASKS)
    await queue_text(ctx, LOCAL_OWNER, conversation_id, SendRequest(text))
    await until(lambda: not (ctx.engine.runs or ctx.background))
    first, second = await pairs_of(ctx, conversation_id)
    assert await answers_of(ctx, await pair_of(ctx, second.id)) == [answer]

    again = await resend_pair(ctx, LOCAL_OWNER, second.id)
    await collect(ctx, again.started.run_id)
    assert await answers_of(ctx, await pair_of(ctx, second.id)) == [answer]

    edited = await resend_pair(ctx, LOCAL_OWNER, first.id, ResendOptions(later=Later.BRANCH), text=text)
    await collect(ctx, edited.started.run_id)
    assert await answers_of(ctx, await pair_of(ctx, edited.started.pair_id)) == [answer]
    assert await answers_of(ctx, await pair_of(ctx, first.id)) == ["4"], "the branch left it as it was"


async def test_a_temporary_conversation_calls_tools_compares_and_is_kept_with_all_of_it(ctx: AppContext) -> None:
    made = await create_temporary(ctx, LOCAL_OWNER, model=ABLE)
    beside = await context_for(ctx, made.id)
    sent = await reply_to(beside, made.id, HANDS_OVER)
    chosen = await compared(beside, made.id, HANDS_OVER)
    async with ctx.store.read() as session:
        assert await list_derived(session, made.id) == ()

    await keep_conversation(beside, LOCAL_OWNER, made.id)

    for pair in (sent.pair, chosen):
        assert await answers_of(ctx, await pair_of(ctx, pair.id)) == ["helped"]
    async with ctx.store.read() as session:
        derived = await list_derived(session, made.id)
    assert len(derived) == 2, "what two replies handed over"
