"""Commands for conversations, sends and runs, for the page, the API and the command line.

    started = await start_reply(ctx, LOCAL_OWNER, conversation.id, SendRequest("Hello"))

A command that has started finishes even if its caller is cancelled. Commands raise the errors of `domain.errors`.

Not here: reading (`store/`), watching (`runs/watch/broadcast.py`) and setting up providers
(`runs/settings/provider_commands.py`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

import structlog
from sqlalchemy.exc import IntegrityError

from app.domain.audit import AuditAction
from app.domain.compare.comparisons import ComparingError
from app.domain.conversation.conversation import Conversation, Message, Pair, Parameters, Role, ToolMode
from app.domain.conversation.damage import SETTINGS, TITLE
from app.domain.conversation.folders import require_filable
from app.domain.conversation.lifecycle import Lifecycle, Step, apply_step
from app.domain.conversation.middleware_choices import USUAL_MIDDLEWARE, MiddlewareChoices
from app.domain.conversation.parameters import NO_PARAMETERS, require_parameters
from app.domain.errors import (
    ConflictError,
    InputError,
    SendLockedError,
)
from app.domain.models.model_profile import split_model_name
from app.domain.retry_policy import USUAL_RETRIES, RetryLimits, RetryPolicy, require_retries
from app.domain.run.run import RunStart
from app.runs.app_context import AppContext
from app.runs.audit.audit import audit
from app.runs.request.attachments import write_request
from app.runs.request.preview import Preview
from app.runs.request.send_plan import list_sent
from app.runs.runtime.event_bus import ConversationChanged, ConversationRemoved, RetryHurried, RunStarted
from app.runs.runtime.ids import new_id, now
from app.runs.runtime.shielded import shielded
from app.runs.send.context_selection import count_sent, parse_line
from app.runs.send.planning import PlanRequest, plan_reply, require_text
from app.runs.send.replays import find_replay, tell_replayed
from app.runs.send.send_request import SendRequest
from app.runs.topics.topic_commands import use_topic
from app.runs.usage.rate_limits import require_rate
from app.store.agents import agents
from app.store.attachments.attachments import keep_attachments, use_attachments
from app.store.attachments.uploads import take_uploads
from app.store.conversation import conversations, folders, pairs
from app.store.database.mapping import encode_conversation, encode_parameters, encode_retry_limits
from app.store.ledger.ledger import Purpose
from app.store.ledger.sent_calls import delete_sent_calls
from app.store.run import runs
from app.store.run.deliveries import delete_deliveries
from app.store.trash import trash

log = structlog.get_logger()

LOCAL_OWNER = "local"
"""The only owner in an installation without accounts."""

CHECKPOINT_COLUMNS = ("summary", "summary_position")
"""The two columns of the checkpoint, which are always written together."""
STOP_SECONDS = 2.0
"""Maximum seconds that a command waits until the end of a reply that it stopped is stored."""


@dataclass(frozen=True, slots=True)
class StartedRun:
    """A running reply. `content_hash` is the hash of its whole request."""

    run_id: str
    pair_id: str
    content_hash: str


# --- conversations ---


@shielded
async def create_conversation(  # noqa: PLR0913 - the fields of a conversation
    ctx: AppContext,
    owner: str,
    *,
    title: str = "",
    model: str | None = None,
    system_prompt: str = "",
    parameters: Parameters = NO_PARAMETERS,
    retry_policy: RetryPolicy = RetryPolicy.EXPONENTIAL,
    retry_limits: RetryLimits = USUAL_RETRIES,
    middleware: MiddlewareChoices = USUAL_MIDDLEWARE,
    metadata_json: str = "",
    agent_id: str | None = None,
    folder_id: str = "",
    temporary: bool = False,
) -> Conversation:
    """Create a conversation without pairs. `temporary` is True only with an app context in memory (`runs/temporary`).

    `agent_id` is the agent that answers; "": no agent; None: the agent of the conversation that was used last.
    `folder_id` is its folder; "": no folder.

    Raises:
        InputError: a text, a parameter or the model is invalid.
        NotFoundError: this owner has no such agent or folder.
    """
    at = now()
    conversation = Conversation(
        id=new_id(),
        owner=owner,
        created_at=at,
        updated_at=at,
        title=title,
        model=model,
        system_prompt=system_prompt,
        parameters=parameters,
        retry_policy=retry_policy,
        retry_limits=retry_limits,
        middleware=middleware,
        metadata_json=metadata_json,
        agent_id=agent_id or None,
        folder_id=folder_id or None,
        temporary=temporary,
    )
    require_valid(conversation)
    async with ctx.store.write() as session:
        if folder_id:
            await folders.load_folder(session, owner, folder_id)
        if agent_id is None:
            conversation = replace(conversation, agent_id=await conversations.load_last_agent(session, owner))
        elif agent_id:
            await agents.load_agent(session, owner, agent_id)
        await conversations.insert_conversation(session, conversation)
        await audit(session, owner, conversation.id, AuditAction.CREATED)
    ctx.event_bus.publish_list(owner)
    return conversation


@dataclass(frozen=True, slots=True)
class SettingChanges:
    """Changes of a conversation's title and settings. A field that is None is not changed.

    - `parameters`, `retry_limits`, `middleware`: replaced as a whole.
    - `agent_id`: the agent that answers from now on; "": no agent. If the agent has a model and `model` is None, the
      conversation takes the agent's model.
    - `folder_id`: the folder to move it to; "": out of its folder.
    """

    title: str | None = None
    model: str | None = None
    system_prompt: str | None = None
    parameters: Parameters | None = None
    retry_policy: RetryPolicy | None = None
    retry_limits: RetryLimits | None = None
    middleware: MiddlewareChoices | None = None
    metadata_json: str | None = None
    filter: str | None = None
    tool_mode: ToolMode | None = None
    ticked_tools: Sequence[str] | None = None
    agent_id: str | None = None
    folder_id: str | None = None

    @property
    def changed(self) -> dict[str, Any]:
        """The changed fields of the conversation, without the agent."""
        given = {one.name: getattr(self, one.name) for one in fields(self) if one.name != "agent_id"}
        changes = {name: value for name, value in given.items() if value is not None}
        if self.folder_id is not None:
            changes["folder_id"] = self.folder_id or None
        if self.ticked_tools is not None:
            changes["ticked_tools"] = tuple(sorted(set(self.ticked_tools)))
        if self.title is not None:
            changes["titled_by_model"] = False
        return changes


@shielded
async def change_conversation(ctx: AppContext, owner: str, conversation_id: str, given: SettingChanges) -> Conversation:
    """Change a conversation, and return it. Its place in the list does not change: the time of the last pair decides.

    Raises:
        NotFoundError: this owner has no such conversation, agent or folder.
        InputError: a text, a parameter or the model is invalid, or a folder cannot have this conversation.
    """
    changes, agent_id, parameters = given.changed, given.agent_id, given.parameters
    async with ctx.store.write() as session:
        if agent_id is not None:
            agent = await agents.load_agent(session, owner, agent_id) if agent_id else None
            changes["agent_id"] = None if agent is None else agent.id
            if given.model is None and agent is not None and agent.model is not None:
                changes["model"] = agent.model
        conversation = replace(
            await conversations.load_conversation(session, owner, conversation_id),
            **changes,
        )
        require_valid(conversation)
        if given.folder_id:
            require_filable(conversation)
            await folders.load_folder(session, owner, given.folder_id)
        if changes:
            columns = changes if parameters is None else changes | {"parameters": encode_parameters(parameters)}
            columns |= {} if given.retry_limits is None else {"retry_limits": encode_retry_limits(given.retry_limits)}
            columns |= {} if given.middleware is None else {"middleware": asdict(given.middleware)}
            await conversations.update_conversation(session, owner, conversation_id, columns)
            await audit(session, owner, conversation_id, AuditAction.CHANGED, what=_name_changes(changes))
    ctx.event_bus.publish(owner, conversation_id, ConversationChanged())
    return conversation


@shielded
async def reset_setting(ctx: AppContext, owner: str, conversation_id: str, column: str) -> None:
    """Reset a setting that cannot be read to its neutral value: no text, no model, no parameters, tools off.

    A title that cannot be read is reset in the same way.

    Raises:
        NotFoundError: this owner has no such conversation.
        ConflictError: this setting can be read.
    """
    async with ctx.store.write() as session:
        conversation = await conversations.load_conversation(session, owner, conversation_id)
        if column not in {one.column for one in conversation.damage if one.column in {TITLE, *SETTINGS}}:
            raise ConflictError(
                f"The setting {column!r} of conversation {conversation_id!r} is readable. Nothing was changed."
            )
        neutral = encode_conversation(conversation)
        columns = CHECKPOINT_COLUMNS if column in CHECKPOINT_COLUMNS else (column,)
        await conversations.update_conversation(
            session, owner, conversation_id, {name: neutral[name] for name in columns}
        )
        await audit(session, owner, conversation_id, AuditAction.CHANGED, what=column)
    ctx.event_bus.publish(owner, conversation_id, ConversationChanged())


@shielded
async def delete_conversation(ctx: AppContext, owner: str, conversation_id: str) -> None:
    """Put a conversation with its child conversations into the trash, and stop their running replies.

    A temporary conversation is deleted permanently. In both cases its calls stay in the ledger.

    Raises:
        NotFoundError: this owner has no such conversation.
    """
    async with ctx.store.read() as session:
        temporary = (await conversations.load_conversation(session, owner, conversation_id)).temporary
        derived = await conversations.list_derived(session, conversation_id)
    await _stop_runs(ctx, (conversation_id, *derived))
    async with ctx.store.write() as session:
        derived = await conversations.list_derived(session, conversation_id)
        if temporary:
            await conversations.delete_conversation(session, owner, conversation_id)
            await delete_sent_calls(session, (conversation_id, *derived))
            await audit(session, owner, conversation_id, AuditAction.DELETED)
        else:
            await trash.put_conversation(session, owner, conversation_id, now())
            await delete_deliveries(session, conversation_id)
            await audit(session, owner, conversation_id, AuditAction.TRASHED)
    await _stop_runs(ctx, (conversation_id, *derived))  # replies that started since the first stop
    ctx.sent_pairs.forget(conversation_id)
    ctx.sizes.forget(conversation_id)
    ctx.event_bus.publish(owner, conversation_id, ConversationRemoved())


async def _stop_runs(ctx: AppContext, conversation_ids: Sequence[str]) -> None:
    for one in conversation_ids:
        for run in ctx.engine.runs_of(one):
            await stop_run(ctx, run.run_id)


# --- sending ---


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
                await runs.finish_run(session, place, replayed, at)
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


@shielded
async def cancel_run(ctx: AppContext, owner: str, run_id: str) -> None:
    """Stop a reply; the text received so far is kept. Does nothing if the reply is over.

    Raises:
        NotFoundError: this owner has no such run.
        ConflictError: another process drives the run.
    """
    run = ctx.engine.runs.get(run_id)
    if run is not None and run.place.owner == owner:
        await stop_run(ctx, run_id)
        return
    async with ctx.store.read() as session:
        stored = await runs.load_run(session, owner, run_id)
    if stored.state.outcome is None:
        raise ConflictError(f"Run {run_id!r} belongs to another process of Inview. Stop it there.")


async def hurry_run(ctx: AppContext, owner: str, run_id: str) -> None:
    """Start the next attempt of a run now instead of waiting for it.

    Raises:
        NotFoundError: this owner has no such run.
        ConflictError: the run does not wait for an attempt, or belongs to another process.
    """
    async with ctx.store.read() as session:
        place = (await runs.load_run(session, owner, run_id)).place
    if ctx.engine.hurry(run_id) is None:
        raise ConflictError(f"Run {run_id!r} is not waiting for another attempt: it has made it, or it has ended.")
    ctx.event_bus.publish(owner, place.conversation_id, RetryHurried(place.pair_id))


async def stop_run(ctx: AppContext, run_id: str) -> None:
    """Stop a run of this process and wait until its end is stored. Does nothing if it is not active in this process."""
    run = ctx.engine.cancel(run_id)
    if run is not None and run.finishing is not None:
        await asyncio.wait({run.finishing}, timeout=STOP_SECONDS)


def _name_changes(changes: Iterable[str]) -> str:
    """Return the changed settings of a conversation, for the audit trail."""
    return ", ".join(sorted(set(changes) - {"titled_by_model"}))


def require_valid(conversation: Conversation) -> None:
    """Check that the texts, parameters, model name and filter of a conversation are valid.

    Raises:
        InputError: one of these values is invalid.
    """
    for field in ("title", "system_prompt", "filter"):
        require_text(field, getattr(conversation, field))
    require_parameters(conversation.parameters)
    require_retries(conversation.retry_limits)
    if conversation.model is not None:
        split_model_name(conversation.model)
    parse_line(conversation.filter)
