"""The runs of a comparison: one for each model, in a separate `tool` conversation. All are started together.

    planned = [await plan_reply(ctx, LOCAL_OWNER, conversation_id, request) for request in requests]
    comparison = await begin_comparison(ctx, LOCAL_OWNER, requested, planned)

Not here: planning the calls and keeping a reply (`comparisons.py`, `pair_comparisons.py`).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal

from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.audit import AuditAction
from app.domain.compare.comparisons import ComparedRun, ComparingError, Comparison
from app.domain.conversation.conversation import Conversation, ConversationKind, Message, Pair, Role
from app.domain.conversation.lifecycle import Lifecycle, Step, apply_step
from app.domain.conversation.parts import Part
from app.domain.errors import SendLockedError
from app.domain.run.run import RunStart
from app.runs.app_context import AppContext
from app.runs.audit.audit import audit
from app.runs.request.attachments import NOTHING_ATTACHED, AttachedParts, write_request
from app.runs.request.preview import Preview
from app.runs.request.send_plan import list_sent
from app.runs.runtime.event_bus import ComparisonChanged
from app.runs.runtime.ids import new_id
from app.runs.send.composition import count_sent
from app.runs.topics.topic_commands import use_topic
from app.runs.usage.budgets import require_budgets
from app.runs.usage.rate_limits import require_rate
from app.store.attachments.attachments import keep_attachments
from app.store.attachments.uploads import take_uploads
from app.store.compare import comparisons
from app.store.conversation import conversations, pairs
from app.store.run import runs

Check = Callable[[AsyncSession], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class _Prepared:
    """The data to store for one model: its planned call, and the conversation and the pair for its reply."""

    planned: Preview
    conversation: Conversation
    pair: Pair
    start: RunStart
    place: runs.RunPlace

    @property
    def compared(self) -> ComparedRun:
        sent = list_sent(self.planned.sent)
        return ComparedRun(self.conversation.id, self.pair.id, self.start.run_id, self.start.model, sent)


async def begin_comparison(  # noqa: PLR0913, PLR0917 - the comparison, its calls and their conditions
    ctx: AppContext,
    owner: str,
    requested: Comparison,
    planned: Sequence[Preview],
    attached: AttachedParts = NOTHING_ATTACHED,
    require: Check | None = None,
) -> Comparison:
    """Store and start one run for each call in `planned`. If one of them cannot be stored, none is started.

    Return the comparison with its runs.

    `requested` is the comparison without runs, `attached` are the attachments of its text. `require` is called in the
    transaction that stores the runs; if it raises, nothing is stored or sent. The message that triggered the runs is
    the request of the pair that is answered again, or else the newest message of the conversation.

    Raises:
        SendLockedError: a reply is running in the conversation.
        ComparingError: a comparison is open in it.
        BudgetSpentError: the calls together would exceed a budget of money.
        RateLimitedError: a rate limit is reached. Each call counts as one send.
        NotFoundError: the conversation was deleted meanwhile, or the topic of `requested` does not exist.
    """
    at = requested.created_at
    request = write_request(requested.text, attached)
    trigger = requested.request_id
    if trigger is None:
        async with ctx.store.read() as session:
            trigger = await pairs.load_newest_message(session, requested.conversation_id)
    prepared = [_prepare(owner, one, request, at, trigger) for one in planned]
    await _require_budgets(ctx, owner, planned)
    comparison = replace(requested, runs=tuple(one.compared for one in prepared))
    conversation_id = requested.conversation_id
    try:
        async with ctx.store.write() as session:
            await conversations.load_conversation(session, owner, conversation_id)  # it may be deleted meanwhile
            if (await pairs.load_tail(session, conversation_id)).running is not None:
                raise SendLockedError(conversation_id)
            if require is not None:
                await require(session)
            if requested.topic is not None:
                await use_topic(session, owner, requested.topic)
            for one in prepared:
                await conversations.insert_conversation(session, one.conversation)
                revision = await conversations.next_revision(session, one.conversation.id, at)
                await pairs.insert_pair(session, owner, one.pair, revision)
                # The positions of the sent pairs are stored with the comparison, not with this run: they are positions
                # in the compared conversation.
                plan = one.planned.plan
                run = runs.NewRun(
                    one.place,
                    one.start,
                    ctx.process_id,
                    at,
                    cache=plan.cache,
                    tools=plan.built.request.tools,
                    purpose="comparison",
                    sent_with=plan.sent_with,
                )
                await runs.insert_run(session, run)
            await comparisons.insert_comparison(session, owner, comparison)
            await audit(session, owner, conversation_id, AuditAction.SENT, what="comparison", models=len(prepared))
            await keep_attachments(session, owner, conversation_id, attached.files, at)
            await take_uploads(session, owner, conversation_id, attached.uploads)
            limits = planned[0].composed.base.rate_limits
            await require_rate(ctx, session, owner, conversation_id, limits, len(planned))
    except IntegrityError as error:
        async with ctx.store.read() as session:
            if await comparisons.load_open(session, owner, conversation_id) is None:
                raise
        raise ComparingError from error
    for one in prepared:
        call = one.planned
        counted = count_sent(call.composed, call.sent, call.plan)
        ctx.engine.start(one.place, one.start, call.plan.provider, call.wire, counted, "comparison", call.loop)
    ctx.event_bus.publish(owner, conversation_id, ComparisonChanged())
    return comparison


async def _require_budgets(ctx: AppContext, owner: str, planned: Sequence[Preview]) -> None:
    """Check that the known costs of these calls together exceed no budget. Each call alone was checked earlier."""
    costs = [one.composed.composition.estimate.cost for one in planned]
    known = [cost for cost in costs if cost is not None]
    next_cost = sum(known, start=Decimal(0)) if known else None
    await require_budgets(ctx, owner, planned[0].composed.base.conversation, next_cost)


def _prepare(owner: str, planned: Preview, request: tuple[Part, ...], at: datetime, trigger: str | None) -> _Prepared:
    parent = planned.composed.base.conversation
    made = Conversation(
        id=new_id(),
        owner=owner,
        created_at=at,
        updated_at=at,
        title=f"Comparison: {planned.composed.base.profile.name}",
        kind=ConversationKind.TOOL,
        model=planned.wire.model,
        parent_id=parent.id,
        trigger_message_id=trigger,
        temporary=parent.temporary,
        middleware=parent.middleware,
    )
    start = RunStart(
        new_id(),
        new_id(),
        made.id,
        planned.wire.model,
        planned.plan.content_hash,
        retry_policy=parent.retry_policy,
        retry_limits=parent.retry_limits,
    )
    reply = Message(new_id(), Role.ASSISTANT, (), at)
    pair = Pair(
        id=start.pair_id,
        conversation_id=made.id,
        position=1,
        request=Message(new_id(), Role.USER, request, at),
        reply=reply,
        model=start.model,
        lifecycle=apply_step(Lifecycle.IDLE, Step.SEND),
        created_at=at,
        updated_at=at,
        agent_id=parent.agent_id,
        agent=planned.agent_name,
        parameters=planned.built.request.parameters,
        run_id=start.run_id,
    )
    return _Prepared(planned, made, pair, start, runs.RunPlace(owner, made.id, pair.id, reply.id))
