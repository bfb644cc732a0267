"""What can be asked of the workbench, by a page, a program or the command line alike.

    started = await start_reply(wb, LOCAL_OWNER, NewSend(conversation.id, "Hello"))

Every command is done to its end once begun, also if whoever asked goes away, and raises the errors of `domain.errors`.

Not here: reading (`store/`), watching (`runs/watch/broadcast.py`) and setting up providers
(`runs/library/provider_commands.py`).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypedDict, Unpack

from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.conversation.comparisons import ComparingError
from app.domain.conversation.conversation import Conversation, Message, Pair, Parameters, Role, ToolMode
from app.domain.conversation.lifecycle import Lifecycle, Step, apply_step
from app.domain.conversation.parameters import require_parameters
from app.domain.conversation.retry_policy import RetryPolicy
from app.domain.errors import (
    ConflictError,
    InputError,
    SendLockedError,
)
from app.domain.model_profile import split_model_name
from app.domain.run.state import RunStart
from app.runs.engine.recording import record_first
from app.runs.library.topic_commands import use_topic
from app.runs.process.event_bus import ConversationChanged, ConversationRemoved, RetryHurried, RunStarted
from app.runs.process.ids import new_id, now
from app.runs.process.shielded import shielded
from app.runs.request.attachments import write_request
from app.runs.request.send_plan import list_sent
from app.runs.send.context_selection import count_sent, parse_line
from app.runs.send.intents import DEFAULT_OPTIONS, Branch, NewSend, SendOptions
from app.runs.send.plan import plan_send, require_text
from app.runs.send.replays import find_replay, tell_replayed
from app.runs.workbench import Workbench
from app.store.audit.trail import name_subject
from app.store.conversation import conversations, pairs
from app.store.conversation.attachments import keep_attachments, use_attachments
from app.store.database.mapping import encode_parameters
from app.store.organise import trash
from app.store.run import runs
from app.store.run.running import list_running
from app.store.settings import agents

LOCAL_OWNER = "local"
"""The one owner of an installation without accounts."""


@dataclass(frozen=True, slots=True)
class StartedRun:
    """A running reply. `content_hash` is that of its whole request."""

    run_id: str
    pair_id: str
    content_hash: str


Alongside = Callable[[AsyncSession, runs.RunPlace, StartedRun], Awaitable[None]]
"""What is done in the transaction that stores a pair."""


# --- conversations ---


class ConversationFields(TypedDict, total=False):
    """The fields of a conversation that is made. `agent_id`: who is to answer, "" for no agent; without it, the agent
    of the chat used last. `temporary`: for workbenches in memory, see `runs/temporary.py`.
    """

    title: str
    model: str | None
    system_prompt: str
    parameters: Parameters
    retry_policy: RetryPolicy
    agent_id: str | None
    temporary: bool


class ConversationChanges(TypedDict, total=False):
    """The fields of a conversation that are to change; None leaves one as it is, too.

    `parameters` are replaced as a whole. `agent_id`: who answers what is sent from now on, with its own model if it has
    one; "" for no agent.
    """

    title: str | None
    model: str | None
    system_prompt: str | None
    parameters: Parameters | None
    retry_policy: RetryPolicy | None
    filter: str | None
    tool_mode: ToolMode | None
    ticked_tools: Sequence[str] | None
    agent_id: str | None


@shielded
async def create_conversation(wb: Workbench, owner: str, **fields: Unpack[ConversationFields]) -> Conversation:
    """A new conversation, without pairs.

    Raises:
        InputError: a text, a parameter or the model cannot be one.
        NotFoundError: no such agent of this owner.
    """
    at, agent_id = now(), fields.get("agent_id")
    fields["agent_id"] = agent_id or None
    conversation = Conversation(id=new_id(), owner=owner, created_at=at, updated_at=at, **fields)
    _require_valid(conversation)
    async with wb.store.write() as session:
        if agent_id is None:
            conversation = replace(conversation, agent_id=await conversations.load_last_agent(session, owner))
        elif agent_id:
            await agents.load_usable_agent(session, owner, agent_id)
        await conversations.insert_conversation(session, conversation)
        if not conversation.temporary:
            name_subject(conversation.id)
    wb.event_bus.publish_list(owner)
    return conversation


@shielded
async def change_conversation(
    wb: Workbench, owner: str, conversation_id: str, **wanted: Unpack[ConversationChanges]
) -> Conversation:
    """Change what is given. Its place in the list, the time of its last pair, stays.

    Raises:
        NotFoundError: no such conversation, or no such agent, of this owner.
        InputError: a text, a parameter or the model cannot be one.
    """
    changes: dict[str, Any] = {name: value for name, value in wanted.items() if value is not None}
    agent_id, parameters = changes.pop("agent_id", None), wanted.get("parameters")
    if "ticked_tools" in changes:
        changes["ticked_tools"] = tuple(sorted(set(changes["ticked_tools"])))
    if "title" in changes:
        changes["titled_by_model"] = False
    async with wb.store.write() as session:
        if agent_id is not None:
            agent = await agents.load_usable_agent(session, owner, agent_id) if agent_id else None
            changes["agent_id"] = None if agent is None else agent.id
            if "model" not in changes and agent is not None and agent.model is not None:
                changes["model"] = agent.model
        conversation = replace(
            await conversations.load_conversation(session, owner, conversation_id),
            **changes,
        )
        _require_valid(conversation)
        if changes:
            columns = changes if parameters is None else changes | {"parameters": encode_parameters(parameters)}
            await conversations.update_conversation(session, owner, conversation_id, columns)
    wb.event_bus.publish(owner, conversation_id, ConversationChanged())
    return conversation


@shielded
async def delete_conversation(wb: Workbench, owner: str, conversation_id: str) -> None:
    """Move a conversation to the trash, with its child conversations. A running reply is stopped.

    A temporary one is deleted permanently. The ledger keeps the calls of either.

    Raises:
        NotFoundError: no such conversation of this owner.
    """
    async with wb.store.read() as session:
        temporary = (await conversations.load_conversation(session, owner, conversation_id)).temporary
        derived = await conversations.list_derived(session, conversation_id)
    for one in (conversation_id, *derived):
        await stop_replies(wb, owner, one)
    async with wb.store.write() as session:
        if temporary:
            await conversations.delete_conversation(session, owner, conversation_id)
        else:
            await trash.put_conversation(session, owner, conversation_id, now())
    wb.sent_pairs.forget(conversation_id)
    wb.sizes.forget(conversation_id)
    wb.event_bus.publish(owner, conversation_id, ConversationRemoved())


# --- sending ---


@shielded
async def start_reply(
    wb: Workbench,
    owner: str,
    intent: NewSend | Branch,
    options: SendOptions = DEFAULT_OPTIONS,
    alongside: Alongside | None = None,
) -> StartedRun:
    """Store a new pair and start its reply, which from then on belongs to the process.

    What is sent are the pairs that a person with these view options sees, less those that are OUT. `alongside` is done
    in the transaction that stores the pair; whatever it raises, nothing is stored or sent.

    Raises:
        NotFoundError: no such conversation of this owner, or no such topic.
        SendLockedError: a reply is running in it.
        ComparingError: a comparison is open in it.
        OverBudgetError: more is in view than may be sent, and neither options nor preferences say what to do about it.
        SelectionChangedError: it would carry other pairs than the options' selection.
        FilterError: the filter cannot be used.
        InputError: the text, the model or the time zone cannot be used.
        ProviderError: the provider lacks its key. Whatever the provider itself says goes into the pair.
    """
    text, attached, conversation_id = intent.text, intent.attached, intent.conversation_id
    if not text.strip() and not attached.parts and not (isinstance(intent, NewSend) and intent.continues):
        raise InputError("text", "is empty. Write something to send.")
    topic, purpose = options.view_options.topic, intent.purpose
    planned = await plan_send(wb, owner, intent, options)
    conversation = planned.composed.base.conversation
    at = now()
    request = Message(new_id(), Role.USER, write_request(text, attached), at)
    reply = Message(new_id(), Role.ASSISTANT, (), at)
    start = RunStart(
        new_id(),
        new_id(),
        planned.wire.model,
        planned.plan.content_hash,
        retry_policy=conversation.retry_policy,
    )
    place = runs.RunPlace(owner, conversation_id, start.pair_id, reply.id)
    begun = StartedRun(start.run_id, start.pair_id, start.request_hash)
    said, said_by = await find_replay(wb, owner, start) if planned.composed.base.replay else (None, None)
    try:
        async with wb.store.write() as session:
            tail = await pairs.load_tail(session, conversation_id)
            if tail.running is not None:
                raise SendLockedError(conversation_id)
            if tail.comparing is not None:
                raise ComparingError
            if alongside is not None:
                await alongside(session, place, begun)
            revision = await conversations.next_revision(session, conversation_id, at)
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
                topic=topic,
                parameters=planned.built.request.parameters,
                run_id=start.run_id,
                redacted=planned.built.replaced or (),
            )
            if topic is not None:
                await use_topic(session, owner, topic)
            await pairs.insert_pair(session, owner, pair, revision)
            await keep_attachments(session, owner, conversation_id, attached.files, at)
            await use_attachments(session, owner, conversation_id, [request])
            sent, told = list_sent(planned.sent), planned.built.request.tools
            await runs.insert_run(
                session,
                place,
                start,
                wb.process_id,
                at,
                sent,
                planned.plan.cache,
                said_by,
                told,
                purpose,
                planned.plan.sent_with,
            )
            if said is None:
                await record_first(session, place, start.run_id, planned.wire, purpose)
            else:
                watched = wb.event_bus.is_watched(owner, conversation_id)
                await runs.finish_run(session, place, said, at, watched=watched)
            if conversation.model is None:
                await conversations.update_conversation(session, owner, conversation_id, {"model": start.model})
    except IntegrityError as error:
        # Perhaps another process was faster by less than our look at the database: its index is the lock.
        async with wb.store.read() as session:
            if (await pairs.load_tail(session, conversation_id)).running is None:
                raise
        raise SendLockedError(conversation_id) from error
    if said is not None:
        tell_replayed(wb, place, planned.plan, said, at)
        return begun
    counted = count_sent(planned.composed, planned.sent, planned.plan)
    # Told first: a page draws the pair while the provider is being called. Nobody hears of it before this step is over.
    wb.event_bus.publish(owner, conversation_id, RunStarted(start.run_id, start.pair_id, pair))
    loop = None if isinstance(intent, NewSend) and intent.client_tools is not None else planned.loop
    wb.engine.start(place, start, planned.plan.provider, planned.wire, counted, purpose, loop)
    return begun


@shielded
async def cancel_run(wb: Workbench, owner: str, run_id: str) -> None:
    """Stop a reply; what was received stays. Nothing happens if it is over.

    Raises:
        NotFoundError: no such run of this owner.
        ConflictError: another process drives it, and there is no Redis to ask it through.
        NoAnswerError: that process is gone. Its run is ended within half a minute.
    """
    run = wb.engine.runs.get(run_id)
    if run is not None and run.place.owner == owner:
        await stop_run(wb, run_id)
        return
    async with wb.store.read() as session:
        stored = await runs.load_run(session, owner, run_id)
    if stored.state.outcome is not None:
        return
    if wb.cluster is None:
        raise ConflictError(f"Run {run_id!r} is driven by another process of Inview. Stop it there.")
    await wb.cluster.stop(stored.process_id, run_id)


async def stop_replies(wb: Workbench, owner: str, conversation_id: str) -> None:
    """Stop every reply that is running in a conversation; what was received stays.

    Raises:
        NoAnswerError: another process receives one, and is gone.
    """
    for run in wb.engine.runs_of(conversation_id):
        if run.place.owner == owner:
            await stop_run(wb, run.run_id)
    if wb.cluster is None:
        return
    async with wb.store.read() as session:
        elsewhere = await list_running(session, owner, conversation_id)
    for one in elsewhere:
        await cancel_run(wb, owner, one.run_id)


async def hurry_run(wb: Workbench, owner: str, run_id: str) -> None:
    """Try again now instead of waiting for the next attempt.

    Raises:
        NotFoundError: no such run of this owner.
        ConflictError: it does not wait for an attempt, or is another process's and there is no Redis.
        NoAnswerError: the process that receives it is gone.
    """
    async with wb.store.read() as session:
        stored = await runs.load_run(session, owner, run_id)
    place, hurried = stored.place, wb.engine.hurry(run_id) is not None
    if not hurried and wb.cluster is not None and stored.process_id != wb.process_id:
        hurried = await wb.cluster.hurry(stored.process_id, run_id)
    if not hurried:
        raise ConflictError(f"Run {run_id!r} does not wait for another attempt. Follow its events.")
    wb.event_bus.publish(owner, place.conversation_id, RetryHurried(place.pair_id))


async def stop_run(wb: Workbench, run_id: str) -> None:
    """Stop a run of this process and wait until that is stored. Nothing happens if it is not on here."""
    await wb.engine.stop(run_id)


def _require_valid(conversation: Conversation) -> None:
    for field in ("title", "system_prompt", "filter"):
        require_text(field, getattr(conversation, field))
    require_parameters(conversation.parameters)
    if conversation.model is not None:
        split_model_name(conversation.model)
    parse_line(conversation.filter)
