"""Commands for sends: preview a send, and start a reply. For the page, the API and the command line.

    started = await start_reply(ctx, LOCAL_OWNER, conversation.id, SendRequest("Hello"))

A command that has started finishes even if its caller is cancelled. Commands raise the errors of `domain.errors`.

Not here: creating and changing conversations (`runs/conversation/conversation_commands.py`), stopping replies
(`runs/send/stopping.py`), reading (`store/`), and watching (`runs/watch/broadcast.py`).
"""

from __future__ import annotations

from dataclasses import dataclass

import structlog
from sqlalchemy.exc import IntegrityError

from app.domain.audit import AuditAction
from app.domain.compare.comparisons import ComparingError
from app.domain.conversation.conversation import Message, Pair, Role
from app.domain.conversation.lifecycle import Lifecycle, Step, apply_step
from app.domain.errors import (
    InputError,
    SendLockedError,
)
from app.domain.run.run import RunStart
from app.runs.app_context import AppContext
from app.runs.audit.audit import audit
from app.runs.request.attachments import write_request
from app.runs.request.preview import Preview
from app.runs.request.send_plan import list_sent
from app.runs.runtime.event_bus import RunStarted
from app.runs.runtime.ids import new_id, now
from app.runs.runtime.shielded import shielded
from app.runs.send.composition import count_sent
from app.runs.send.planning import PlanRequest, plan_reply
from app.runs.send.replays import find_replay, tell_replayed
from app.runs.send.send_request import SendRequest
from app.runs.topics.topic_commands import use_topic
from app.runs.usage.rate_limits import require_rate
from app.store.attachments.attachments import keep_attachments, use_attachments
from app.store.attachments.uploads import take_uploads
from app.store.conversation import conversations, pairs
from app.store.ledger.ledger import Purpose
from app.store.run import ends, runs

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class StartedRun:
    """A running reply. `content_hash` is the hash of its whole request."""

    run_id: str
    pair_id: str
    content_hash: str


async def preview_send(ctx: AppContext, owner: str, conversation_id: str, send: SendRequest) -> Preview:
    """Plan exactly the call that `start_reply` with the same arguments would make. Nothing is called or stored.

    Pairs that do not fit are left out, as on the page. With the choice FORCE they are included; without a choice, the
    preferences decide.

    Raises:
        NotFoundError: this owner has no such conversation.
        FilterError: the filter cannot be used.
        InputError: the text, the model or the time zone cannot be used.
    """
    return await plan_reply(ctx, owner, conversation_id, PlanRequest(send))


@shielded
async def start_reply(
    ctx: AppContext, owner: str, conversation_id: str, send: SendRequest, *, purpose: Purpose = "reply"
) -> StartedRun:
    """Store a new pair and start its reply. From then on the run continues without the caller.

    `purpose` is the purpose of the call in the ledger.

    Raises:
        NotFoundError: this owner has no such conversation or topic.
        SendLockedError: a reply is running in the conversation.
        ComparingError: a comparison is open in the conversation.
        OverBudgetError: the view exceeds the budget, and the caller made no choice for this case.
        SelectionChangedError: the request would carry other pairs than the selection.
        FilterError: the filter cannot be used.
        InputError: the text, the model or the time zone cannot be used.
        RateLimitedError: a rate limit is reached.
        ProviderError: the provider lacks its key. The provider's own errors are stored in the pair instead.
    """
    options, attached = send.options, send.attached
    if not send.text.strip() and not attached.parts:
        raise InputError("text", "is empty. Write something to send.")
    planned = await plan_reply(ctx, owner, conversation_id, PlanRequest(send, sends=True))
    conversation = planned.composed.base.conversation
    at = now()
    request = Message(new_id(), Role.USER, write_request(send.text, attached), at, send.metadata_json)
    reply = Message(new_id(), Role.ASSISTANT, (), at)
    start = RunStart(
        new_id(),
        new_id(),
        conversation_id,
        planned.wire.model,
        planned.plan.content_hash,
        retry_policy=conversation.retry_policy,
        retry_limits=conversation.retry_limits,
    )
    place = runs.RunPlace(owner, conversation_id, start.pair_id, reply.id)
    replayed, replayed_from = await find_replay(ctx, owner, start) if planned.composed.base.replay else (None, None)
    try:
        async with ctx.store.write() as session:
            await conversations.load_conversation(session, owner, conversation_id)  # it may be deleted meanwhile
            tail = await pairs.load_tail(session, conversation_id)
            if tail.running is not None:
                raise SendLockedError(conversation_id)
            if tail.comparing is not None:
                raise ComparingError
            revision = await conversations.next_revision(session, conversation_id, at)
            if send.alongside is not None:
                await send.alongside(session)
            pair = Pair(
                id=start.pair_id,
                conversation_id=conversation_id,
                position=tail.position + 1,
                request=request,
                reply=reply,
                model=start.model,
                lifecycle=apply_step(Lifecycle.IDLE, Step.SEND),
                created_at=at,
                updated_at=at,
                agent_id=conversation.agent_id,
                agent=planned.agent_name,
                topic=options.topic,
                parameters=planned.built.request.parameters,
                run_id=start.run_id,
                redacted=planned.built.replaced or (),
            )
            if options.topic is not None:
                await use_topic(session, owner, options.topic)
            await pairs.insert_pair(session, owner, pair, revision)
            await keep_attachments(session, owner, conversation_id, attached.files, at)
            await take_uploads(session, owner, conversation_id, attached.uploads)
            await use_attachments(session, owner, conversation_id, [request])
            run = runs.NewRun(
                place,
                start,
                ctx.process_id,
                at,
                list_sent(planned.sent),
                planned.plan.cache,
                replayed_from,
                planned.built.request.tools,
                purpose,
                planned.plan.sent_with,
            )
            await runs.insert_run(session, run)
            if replayed is not None:
                await ends.finish_run(session, place, replayed, at)
            if conversation.model is None:
                await conversations.update_conversation(session, owner, conversation_id, {"model": start.model})
            await audit(session, owner, conversation_id, AuditAction.SENT, subject=pair.id, what=purpose)
            if replayed is None and purpose == "reply":
                await require_rate(ctx, session, owner, conversation_id, planned.composed.base.rate_limits)
    except IntegrityError as error:
        # Another process may have stored a running pair since the check at the start. Then a unique index of the
        # database refuses the new pair.
        async with ctx.store.read() as session:
            if (await pairs.load_tail(session, conversation_id)).running is None:
                raise
        raise SendLockedError(conversation_id) from error
    # Each pair has two messages: the request and the reply. Deleted pairs count too.
    log.info("sending", conversation_id=conversation_id, existing=tail.position > 0, messages=2 * pair.position)
    if replayed is not None:
        tell_replayed(ctx, place, planned.plan, replayed, at)
        return StartedRun(start.run_id, start.pair_id, start.request_hash)
    counted = count_sent(planned.composed, planned.sent, planned.plan)
    # The event is published before the engine starts, so that a page shows the pair while the provider is called.
    # Publishing only queues the event: subscribers run after the next `await`.
    ctx.event_bus.publish(owner, conversation_id, RunStarted(start.run_id, start.pair_id, pair))
    ctx.engine.start(place, start, planned.plan.provider, planned.wire, counted, purpose, planned.loop)
    return StartedRun(start.run_id, start.pair_id, start.request_hash)
