"""The first message of a conversation that is not stored yet, composed and planned like any other message.

first = FirstMessage(FirstMessageOptions("offline:demo", agent_id=""), "Hello", ViewOptions(model="offline:demo"))
(await compose_first(ctx, owner, first)).composition.estimate.tokens
(await preview_first(ctx, owner, first)).wire.body     # the exact bytes of its request
await discard_unused(ctx, owner, conversation.id)     # if the message was refused after the conversation was stored
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from app.domain.audit import AuditAction
from app.domain.conversation.conversation import Conversation, Parameters
from app.domain.conversation.middleware_choices import USUAL_MIDDLEWARE, MiddlewareChoices
from app.domain.conversation.parameters import NO_PARAMETERS
from app.domain.retry_policy import USUAL_RETRIES, RetryLimits, RetryPolicy
from app.runs.app_context import AppContext
from app.runs.audit.audit import audit
from app.runs.request.attachments import NOTHING_ATTACHED, AttachedParts
from app.runs.request.context_snapshots import ContextSnapshot
from app.runs.request.preview import Composed, Preview
from app.runs.runtime.event_bus import ConversationRemoved
from app.runs.runtime.shielded import shielded
from app.runs.send.composition import compose_base
from app.runs.send.context_selection import ViewOptions, read_first_base
from app.runs.send.planning import PlanRequest, plan_request, require_valid
from app.runs.send.send_request import SendRequest
from app.store.conversation.conversations import delete_conversation_forever, load_last_agent
from app.store.conversation.pairs import load_tail

_UNSTORED: Final = "unstored"
_NO_TIME: Final = datetime.fromtimestamp(0, UTC)


@dataclass(frozen=True, slots=True)
class FirstMessageOptions:
    """The settings of the conversation that a first message starts.

    `agent_id` is the agent; "": no agent; None: the agent that was used last.
    """

    model: str
    agent_id: str | None
    temporary: bool = False
    system_prompt: str = ""
    parameters: Parameters = NO_PARAMETERS
    retry_policy: RetryPolicy = RetryPolicy.EXPONENTIAL
    retry_limits: RetryLimits = USUAL_RETRIES
    middleware: MiddlewareChoices = USUAL_MIDDLEWARE


@dataclass(frozen=True, slots=True)
class FirstMessage:
    """A text that starts a conversation. `parameters` apply to this message only, `attached` is sent with it."""

    new: FirstMessageOptions
    text: str
    options: ViewOptions
    parameters: Parameters = NO_PARAMETERS
    attached: AttachedParts = NOTHING_ATTACHED


async def compose_first(ctx: AppContext, owner: str, first: FirstMessage) -> Composed:
    """Compose the first message, as `compose_view` does for a stored conversation: the tools and tokens of the send.

    Raises:
        NotFoundError: this owner has no such agent.
        InputError: the model or the time zone cannot be used.
    """
    base = await read_first_base(ctx, await _begin(ctx, owner, first.new), first.options)
    schema, attached = first.parameters.reply_schema, first.attached.parts
    return await compose_base(base, first.text, schema=schema, attached=attached)


async def preview_first(ctx: AppContext, owner: str, first: FirstMessage) -> Preview:
    """Plan exactly the call of a send of the first message, as `preview_send` does for a stored conversation.

    Raises:
        NotFoundError: this owner has no such agent.
        InputError: the text, the system prompt, a parameter, the model or the time zone cannot be used.
    """
    conversation = await _begin(ctx, owner, first.new)
    require_valid(conversation)

    async def read() -> ContextSnapshot:
        return await read_first_base(ctx, conversation, first.options, sends=True)

    send = SendRequest(first.text, first.options, first.parameters, attached=first.attached)
    return await plan_request(ctx, read, PlanRequest(send))


@shielded
async def discard_unused(ctx: AppContext, owner: str, conversation_id: str) -> None:
    """Delete a conversation that was stored for a message which was then refused. Keep a conversation that has pairs.

    Raises:
        NotFoundError: this owner has no such conversation.
    """
    async with ctx.store.write() as session:
        if (await load_tail(session, conversation_id)).position:
            return
        await delete_conversation_forever(session, owner, conversation_id)
        await audit(session, owner, conversation_id, AuditAction.DELETED)
    ctx.event_bus.publish(owner, conversation_id, ConversationRemoved())


async def _begin(ctx: AppContext, owner: str, new: FirstMessageOptions) -> Conversation:
    """Build the conversation that the first message starts, as it would be stored."""
    agent_id = new.agent_id
    if agent_id is None:
        async with ctx.store.read() as session:
            agent_id = await load_last_agent(session, owner)
    return Conversation(
        id=_UNSTORED,
        owner=owner,
        created_at=_NO_TIME,
        updated_at=_NO_TIME,
        model=new.model,
        system_prompt=new.system_prompt,
        parameters=new.parameters,
        retry_policy=new.retry_policy,
        retry_limits=new.retry_limits,
        middleware=new.middleware,
        agent_id=agent_id or None,
        temporary=new.temporary,
    )
