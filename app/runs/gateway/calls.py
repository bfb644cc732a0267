"""Gateway calls: each is a recorded run in a `tool` conversation of its own, which holds the messages that were sent.

    begun = await begin_call(wb, owner, GatewayCall("offline:demo", messages=(RequestMessage("user", (Text("Hi"),)),)))
    follow_states(wb, owner, begun.started.run_id)

The reply is planned, budgeted, sent and recorded as any other (`runs/send`). Nothing is left out of the messages: what
does not fit is refused. A failed call is not made again here: the program decides that.
"""

from __future__ import annotations

from dataclasses import dataclass

from app.domain.conversation.attachments import Attachment
from app.domain.conversation.conversation import (
    Conversation,
    ConversationKind,
    ConversationStatus,
    Message,
    Pair,
    Parameters,
    Role,
    ToolMode,
)
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.conversation.parameters import NO_PARAMETERS, require_parameters
from app.domain.conversation.parts import Part, is_one_text, plain_text
from app.domain.conversation.retry_policy import RetryPolicy
from app.domain.errors import InputError, NotFoundError
from app.domain.preferences import OverBudget
from app.domain.request.exchanges import Exchange, SplitMessages, split_messages
from app.domain.request.request import RequestMessage
from app.domain.run.state import Succeeded
from app.domain.tools.tools import Tool
from app.runs.engine.live import LiveRun
from app.runs.process.event_bus import ConversationChanged, ConversationRemoved
from app.runs.process.ids import new_id, now
from app.runs.process.shielded import shielded
from app.runs.request.attachments import Attached
from app.runs.send.commands import StartedRun, start_reply
from app.runs.send.context_selection import count_sent
from app.runs.send.intents import NewSend, SendOptions
from app.runs.send.plan import preview_send, require_text
from app.runs.workbench import Workbench
from app.store.conversation import conversations, pairs
from app.store.conversation.attachments import keep_attachments, use_attachments
from app.store.settings.agents import load_usable_agent

AGENT = "agent:"
"""What the name of a model begins with that means an agent; its id follows."""
MAX_TITLE = 80


@dataclass(frozen=True, slots=True)
class GatewayCall:
    """What a program asks for. `model` is "provider:model" or "agent:<id>".

    `files` are the bytes of the images in the messages. `tools` are the program's own: their calls end the reply.
    """

    model: str
    system: str = ""
    messages: tuple[RequestMessage, ...] = ()
    parameters: Parameters = NO_PARAMETERS
    tools: tuple[Tool, ...] = ()
    files: tuple[Attachment, ...] = ()


@dataclass(frozen=True, slots=True)
class BegunCall:
    """A running gateway call. `calls_end_it`: calls of tools in its reply are for the program."""

    conversation_id: str
    started: StartedRun
    calls_end_it: bool


@shielded
async def begin_call(wb: Workbench, owner: str, call: GatewayCall) -> BegunCall:
    """Store the messages as a conversation and start the reply. Where it is refused, nothing is stored.

    Raises:
        InputError: a message, a tool or a parameter cannot be used, or the provider is not set up.
        NotFoundError: no such agent of this owner.
        OverBudgetError: the messages are longer than the model takes.
        BudgetSpentError: a budget of money is spent.
        ProviderError: the provider lacks its key.
    """
    stored = await _store(wb, owner, call)
    conversation, send = stored.conversation, stored.send
    try:
        started = await start_reply(wb, owner, send, _options(call))
    except BaseException:
        await _take_back(wb, owner, conversation.id)
        raise
    wb.event_bus.publish_list(owner)
    return BegunCall(conversation.id, started, calls_end_it=conversation.agent_id is None)


@shielded
async def count_call(wb: Workbench, owner: str, call: GatewayCall) -> int:
    """Return the tokens that a call would send, as they are estimated. Nothing is sent, and nothing stays stored.

    Raises:
        InputError: as `begin_call`.
        NotFoundError: no such agent of this owner.
        OverBudgetError: the messages are longer than the model takes.
    """
    stored = await _store(wb, owner, call)
    try:
        planned = await preview_send(wb, owner, stored.send, _options(call))
        return count_sent(planned.composed, planned.sent, planned.plan).estimated_tokens
    finally:
        await _take_back(wb, owner, stored.conversation.id)


@dataclass(frozen=True, slots=True)
class _Stored:
    """A call as a conversation, and the send that asks for its reply."""

    conversation: Conversation
    send: NewSend


def _options(call: GatewayCall) -> SendOptions:
    return SendOptions(parameters=call.parameters, over_budget=OverBudget.ASK)


async def _take_back(wb: Workbench, owner: str, conversation_id: str) -> None:
    async with wb.store.write() as session:
        await conversations.delete_conversation(session, owner, conversation_id)
    wb.event_bus.publish(owner, conversation_id, ConversationRemoved())


async def _store(wb: Workbench, owner: str, call: GatewayCall) -> _Stored:
    """Store the messages of a call as a conversation."""
    split = split_messages(call.messages)
    conversation = await _describe(wb, owner, call, split)
    async with wb.store.write() as session:
        await conversations.insert_conversation(session, conversation)
        await keep_attachments(session, owner, conversation.id, call.files, conversation.created_at)
        for position, exchange in enumerate(split.exchanges, 1):
            revision = await conversations.next_revision(session, conversation.id, conversation.created_at)
            pair = _pair(conversation, exchange, position, call)
            await pairs.insert_pair(session, owner, pair, revision)
            await use_attachments(session, owner, conversation.id, [pair.request, pair.reply])
    of_agent = conversation.agent_id is not None
    text = split.draft[0].text if is_one_text(split.draft) else ""
    send = NewSend(
        conversation.id,
        text,
        Attached(() if text else split.draft, call.files),
        purpose="gateway",
        client_tools=None if of_agent else call.tools,
        continues=not split.draft,
    )
    return _Stored(conversation, send)


async def close_call(wb: Workbench, run: LiveRun) -> None:
    """A run is over: if it was a gateway call, its conversation is closed."""
    if run.purpose != "gateway":
        return
    place = run.place
    succeeded = isinstance(run.state.outcome, Succeeded)
    status = ConversationStatus.COMPLETED if succeeded else ConversationStatus.FAILED
    try:
        async with wb.store.write() as session:
            await conversations.update_conversation(session, place.owner, place.conversation_id, {"status": status})
    except NotFoundError:  # it was deleted meanwhile
        return
    wb.event_bus.publish(place.owner, place.conversation_id, ConversationChanged())


async def _describe(wb: Workbench, owner: str, call: GatewayCall, split: SplitMessages) -> Conversation:
    """The conversation that holds the call."""
    require_parameters(call.parameters)
    require_text("system", call.system)
    for parts in (*(exchange.request for exchange in split.exchanges), split.draft):
        require_text("messages", plain_text(parts))
    for exchange in split.exchanges:
        require_text("messages", plain_text(exchange.reply))
    agent_id, model = None, call.model
    async with wb.store.read() as session:
        if call.model.startswith(AGENT):
            agent = await load_usable_agent(session, owner, call.model.removeprefix(AGENT))
            if call.tools:
                raise InputError(
                    "tools", f"{agent.name} has tools of its own. Leave the program's out, or use a model."
                )
            agent_id, model = agent.id, agent.model
        provider = None if model is None else (await wb.catalogue.find(session, owner, model))[0]
    if provider is not None:  # a program asks for no list first, and what a model takes stands in it
        await wb.catalogue.offers({provider.name: provider})
    at = now()
    return Conversation(
        id=new_id(),
        owner=owner,
        created_at=at,
        updated_at=at,
        title=_title(split),
        kind=ConversationKind.TOOL,
        agent_id=agent_id,
        model=model,
        system_prompt=call.system,
        tool_mode=ToolMode.CACHED,
        retry_policy=RetryPolicy.NONE,
    )


def _title(split: SplitMessages) -> str:
    """The first words of what was asked last."""
    asked = (split.draft, *(exchange.request for exchange in reversed(split.exchanges)))
    words = next((text for parts in asked if (text := plain_text(parts).strip())), "")
    return " ".join(words.split())[:MAX_TITLE] or "Gateway call"


def _pair(conversation: Conversation, exchange: Exchange, position: int, call: GatewayCall) -> Pair:
    """A pair that the program sent as its history."""
    at = conversation.created_at

    def message(role: Role, parts: tuple[Part, ...]) -> Message:
        return Message(new_id(), role, parts, at)

    return Pair(
        id=new_id(),
        conversation_id=conversation.id,
        position=position,
        request=message(Role.USER, exchange.request),
        reply=message(Role.ASSISTANT, exchange.reply),
        model=conversation.model or call.model,
        lifecycle=Lifecycle.SUCCEEDED,
        created_at=at,
        updated_at=at,
        agent_id=conversation.agent_id,
    )
