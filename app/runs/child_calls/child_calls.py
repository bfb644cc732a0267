"""Child calls: a call for a conversation, such as a title or a summary, made in a separate `tool` conversation.

    child = await start_child_call(ctx, order, plan)
    text = await wait_for_text(ctx, owner, child)        # "" if it failed, was stopped or returned nothing

The request, the reply and the cost of the call stay in that conversation. In the log of the parent conversation, a node
(an entry between pairs that is never sent) shows the call. The child call's request and reply are never part of another
request.
"""

from __future__ import annotations

from dataclasses import dataclass

from app.domain.child_calls.child_calls import REPLY_ROLES, ChildCall
from app.domain.conversation.conversation import (
    Conversation,
    ConversationKind,
    ConversationStatus,
    Message,
    Pair,
    Parameters,
    Role,
)
from app.domain.conversation.lifecycle import Lifecycle, Step, apply_step
from app.domain.conversation.parts import Text, plain_text
from app.domain.run.run import RunStart, Succeeded
from app.domain.settings.rate_limits import RateLimits
from app.runs.app_context import AppContext
from app.runs.request.send_plan import Plan
from app.runs.runtime.ids import new_id, now
from app.runs.send.commands import StartedRun
from app.runs.usage.budgets import require_budgets_for
from app.runs.usage.rate_limits import require_rate
from app.runs.watch.broadcast import follow, load_state
from app.store.conversation import conversations, pairs
from app.store.conversation.child_calls import insert_child_call
from app.store.ledger.ledger import CountedRequest, Purpose
from app.store.run import runs


@dataclass(frozen=True, slots=True)
class Order:
    """A child call to make for the conversation `parent`.

    - `role`: the role of its request and of its node, the entry in the log of `parent` that shows the call.
    - `name`: the title of the child conversation.
    - `instruction`: the text of the request.
    - `after_position`: the position of the newest pair of `parent`; the node is placed after it.
    - `trigger`: the id of the newest reply that the call reads, if it reads one.
    - `position`: for a summary only; the summary replaces the pairs with a lower position.
    - `rate_limits`: the rate limits of the preferences; None: the call does not count as a send.
    """

    parent: Conversation
    role: Role
    purpose: Purpose
    name: str
    instruction: str
    parameters: Parameters
    after_position: int
    trigger: str | None = None
    position: int | None = None
    rate_limits: RateLimits | None = None


@dataclass(frozen=True, slots=True)
class StartedChildCall:
    """An active child call, and its `tool` conversation."""

    started: StartedRun
    conversation_id: str


async def start_child_call(
    ctx: AppContext, order: Order, plan: Plan, counted: CountedRequest | None = None
) -> StartedChildCall:
    """Store the child conversation, its only pair and the node in the parent, and start the call.

    Raises:
        NotFoundError: the parent conversation was deleted.
        BudgetSpentError: a budget of money is spent.
        RateLimitedError: a rate limit is reached.
    """
    at = now()
    parent = order.parent
    tokens = 1 if counted is None else counted.estimated_tokens
    await require_budgets_for(ctx, parent, plan.wire.model, tokens)
    made = Conversation(
        id=new_id(),
        owner=parent.owner,
        created_at=at,
        updated_at=at,
        title=order.name,
        kind=ConversationKind.TOOL,
        model=plan.wire.model,
        parent_id=parent.id,
        trigger_message_id=order.trigger,
        temporary=parent.temporary,
        middleware=parent.middleware,
    )
    start = RunStart(
        new_id(),
        new_id(),
        made.id,
        plan.wire.model,
        plan.content_hash,
        retry_policy=parent.retry_policy,
        retry_limits=parent.retry_limits,
    )
    reply = Message(new_id(), REPLY_ROLES[order.role], (), at)
    place = runs.RunPlace(made.owner, made.id, start.pair_id, reply.id)
    pair = Pair(
        id=start.pair_id,
        conversation_id=made.id,
        position=1,
        request=Message(new_id(), order.role, (Text(order.instruction),), at),
        reply=reply,
        model=start.model,
        lifecycle=apply_step(Lifecycle.IDLE, Step.SEND),
        created_at=at,
        updated_at=at,
        parameters=order.parameters,
        run_id=start.run_id,
    )
    node = ChildCall(new_id(), order.role, order.after_position, at, order.position)
    async with ctx.store.write() as session:
        await conversations.load_conversation(session, parent.owner, parent.id)
        await conversations.insert_conversation(session, made)
        revision = await conversations.next_revision(session, made.id, at)
        await pairs.insert_pair(session, made.owner, pair, revision)
        run = runs.NewRun(
            place,
            start,
            ctx.process_id,
            at,
            cache=plan.cache,
            tools=plan.built.request.tools,
            purpose=order.purpose,
            sent_with=plan.sent_with,
        )
        await runs.insert_run(session, run)
        await insert_child_call(session, parent.owner, parent.id, node, made.id)
        if order.rate_limits is not None:
            await require_rate(ctx, session, parent.owner, parent.id, order.rate_limits)
    ctx.engine.start(place, start, plan.provider, plan.wire, counted, order.purpose, request=plan.hashed)
    return StartedChildCall(StartedRun(start.run_id, start.pair_id, start.request_hash), made.id)


async def wait_for_text(ctx: AppContext, owner: str, child: StartedChildCall) -> str:
    """Wait until a child call is over. Return the text of its reply, or "" if it has none.

    Also store in the child conversation whether the call succeeded or failed.
    """
    run_id = child.started.run_id
    async for _ in follow(ctx, owner, run_id):
        pass
    state = await load_state(ctx, owner, run_id)
    text = plain_text(state.parts).strip() if isinstance(state.outcome, Succeeded) else ""
    status = ConversationStatus.COMPLETED if text else ConversationStatus.FAILED
    async with ctx.store.write() as session:
        await conversations.update_conversation(session, owner, child.conversation_id, {"status": status})
    return text
