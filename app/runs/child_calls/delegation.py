"""The tool `delegate`: another agent does a task in a separate conversation. The agent's reply is the tool result.

    ctx.toolbox.register((delegate_tool(ctx),))

The new conversation (of kind `tool`) is a child of the conversation that the user sees. Its `trigger_message_id` is the
id of the message with the tool call. The user can open the conversation, and stop the task while it runs. The tool
calls of the task need the usual permissions. If the reply that waits for the task is stopped, the task stops too.

Not here: the agents that may get a task (`domain/child_calls/delegation.py`) and permissions
(`runs/tools/permissions.py`).
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any

from app.domain.agents.agents import Agent
from app.domain.child_calls.delegation import DELEGATE, MAX_DEEP, find_delegate
from app.domain.conversation.conversation import Conversation, ConversationKind, ConversationStatus
from app.domain.conversation.parts import Text, plain_text
from app.domain.errors import InviewError, NotFoundError
from app.domain.run.run import Canceled, Failed, RunState
from app.domain.tools.tools import Caller, ToolOutcome
from app.runs.app_context import AppContext, context_for
from app.runs.request.preview import TOOL_LIMITS
from app.runs.runtime.event_bus import ConversationChanged
from app.runs.runtime.ids import new_id, now
from app.runs.send.commands import StartedRun, start_reply
from app.runs.send.send_request import SendRequest
from app.runs.send.stopping import stop_run
from app.runs.watch.broadcast import follow, load_state
from app.store.agents.agents import load_agents
from app.store.conversation.conversations import insert_conversation, load_conversation, update_conversation
from app.store.conversation.pairs import load_conversation_of_message, load_pair
from app.tools.mcp.connection_terms import Progress
from app.tools.toolbox import BuiltIn

SHOWN = 160
"""Length, in characters, of the end of the agent's text so far that is published as progress."""
ENDING_SECONDS = 30.0
"""Seconds for stopping a delegated task and storing its end, in addition to the time limit of the task."""


def delegate_tool(ctx: AppContext, seconds: float = TOOL_LIMITS.seconds) -> BuiltIn:
    """Return the tool `delegate`, bound to this app context.

    `seconds` is the time limit of a delegated task; by default, the time limit of any tool call.
    """

    async def call(caller: Caller, arguments: Mapping[str, Any], progress: Progress) -> ToolOutcome:
        try:
            return await _delegate(ctx, caller, str(arguments["agent"]), str(arguments["task"]), progress, seconds)
        except InviewError as error:
            return ToolOutcome((Text(f"The task was not delegated. {error}"),), is_error=True)

    return BuiltIn(DELEGATE, call, seconds + ENDING_SECONDS)


async def _delegate(  # noqa: PLR0913, PLR0917 - the agents, the task, its progress and its limit
    ctx: AppContext, caller: Caller, name: str, task: str, progress: Progress, seconds: float
) -> ToolOutcome:
    ctx = await context_for(ctx, caller.conversation_id)
    agent, made = await _prepare(ctx, caller, name, task)
    if (asking := ctx.engine.runs.get(caller.run_id)) is not None:
        asking.handed_to[caller.tool_call_id] = made.id
    try:
        started = await start_reply(ctx, caller.owner, made.id, SendRequest(task), purpose="delegated")
    except InviewError:
        await _close(ctx, made, ConversationStatus.FAILED)
        raise
    over = False
    late = ""
    try:
        async with asyncio.timeout(seconds):
            await _watch(ctx, caller.owner, started, agent, progress)
        over = True
    except TimeoutError:
        late = f"{agent.name} was stopped after {seconds:,.0f} seconds, the maximum for a delegated task."
    finally:
        if not over:  # then the caller was cancelled, or the time is over
            await stop_run(ctx, started.run_id)
            await _close(ctx, made, ConversationStatus.FAILED)
    state = await load_state(ctx, caller.owner, started.run_id)
    outcome = _answer(state, agent, made, late)
    await _close(ctx, made, ConversationStatus.FAILED if outcome.is_error else ConversationStatus.COMPLETED)
    return outcome


async def _prepare(ctx: AppContext, caller: Caller, name: str, task: str) -> tuple[Agent, Conversation]:
    """Find the agent and create the conversation for its work."""
    at = now()
    async with ctx.store.write() as session:
        asking = await load_conversation(session, caller.owner, caller.conversation_id)
        pair = await load_pair(session, caller.owner, caller.pair_id)
        above, root, deep = [pair.agent_id], asking, 0
        while _is_delegated(root) and root.trigger_message_id is not None and deep <= MAX_DEEP:
            came_from = await load_conversation_of_message(session, root.trigger_message_id)
            if came_from is None:
                break
            above.append(came_from.agent_id)
            root = await load_conversation(session, caller.owner, came_from.conversation_id)
            deep += 1
        if root.kind is ConversationKind.TOOL and root.parent_id is not None:
            # the conversation of a compared reply: use its parent
            root = await load_conversation(session, caller.owner, root.parent_id)
        agent = find_delegate([one for one in await load_agents(session, caller.owner) if not one.damage], name, above)
        made = Conversation(
            id=new_id(),
            owner=caller.owner,
            created_at=at,
            updated_at=at,
            title=f"{agent.name}: {' '.join(task.split())[:80]}",
            kind=ConversationKind.TOOL,
            agent_id=agent.id,
            model=agent.model or pair.model,
            tool_mode=asking.tool_mode,
            middleware=asking.middleware,
            parent_id=root.id,
            trigger_message_id=None if pair.reply is None else pair.reply.id,
            temporary=root.temporary,
        )
        await insert_conversation(session, made)
    return agent, made


def _is_delegated(conversation: Conversation) -> bool:
    """Return True if the conversation holds delegated work. A conversation of a compared reply has no agent."""
    return conversation.kind is ConversationKind.TOOL and conversation.agent_id is not None


async def _watch(ctx: AppContext, owner: str, started: StartedRun, agent: Agent, progress: Progress) -> None:
    """Publish the progress until the run is over: the number of characters so far, and the newest text."""
    text = ""
    progress(0, None, f"{agent.name} is working on the task")
    async for events in follow(ctx, owner, started.run_id):
        text += "".join(event.data.get("text", "") for event in events if event.kind == "text")
        if text:
            progress(len(text), None, " ".join(text[-SHOWN:].split()))


def _answer(state: RunState, agent: Agent, made: Conversation, late: str) -> ToolOutcome:
    text = plain_text(state.parts).strip()
    facts = json.dumps({"agent": agent.name, "conversation_id": made.id, "run_id": state.start.run_id})
    match state.outcome:
        case Failed(reason):
            result = f"{agent.name} failed: {reason.message}"
        case Canceled():
            result = late or f"{agent.name} was stopped."
        case _ if not text:
            result = f"{agent.name} returned no text."
        case _:
            return ToolOutcome((Text(text),), structured_json=facts)
    words = f"{result} Its text before that:\n{text}" if text else result
    return ToolOutcome((Text(words),), structured_json=facts, is_error=True)


async def _close(ctx: AppContext, made: Conversation, status: ConversationStatus) -> None:
    """Store how the task ended, unless the conversation was deleted meanwhile."""
    try:
        async with ctx.store.write() as session:
            await update_conversation(session, made.owner, made.id, {"status": status})
    except NotFoundError:
        return
    ctx.event_bus.publish(made.owner, made.id, ConversationChanged())
