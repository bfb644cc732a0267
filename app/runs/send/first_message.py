"""The first message of a conversation that is not stored yet, composed as any other message.

composed = await compose_first(wb, owner, NewConversation("offline:demo", agent_id=""), "Hello")
composed.composition.estimate.tokens
await discard_unused(wb, owner, conversation.id)     # it was made for a message that was refused
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from app.domain.conversation.conversation import Conversation, Parameters
from app.domain.conversation.parameters import NO_PARAMETERS
from app.domain.conversation.parts import Part
from app.domain.conversation.retry_policy import RetryPolicy
from app.runs.process.event_bus import ConversationRemoved
from app.runs.process.shielded import shielded
from app.runs.request.preview import Composed
from app.runs.send.context_selection import ViewOptions, compose_base, read_first_base
from app.runs.workbench import Workbench
from app.store.conversation.conversations import delete_conversation, load_last_agent
from app.store.conversation.pairs import load_tail

_UNSTORED: Final = "unstored"
_NO_TIME: Final = datetime.fromtimestamp(0, UTC)


@dataclass(frozen=True, slots=True)
class NewConversation:
    """The conversation that a first message starts. `agent_id`: "" for no agent, None for that of the last chat."""

    model: str
    agent_id: str | None
    temporary: bool = False
    system_prompt: str = ""
    parameters: Parameters = NO_PARAMETERS
    retry_policy: RetryPolicy = RetryPolicy.EXPONENTIAL


async def compose_first(  # noqa: PLR0913 - the arguments of `compose_view`
    wb: Workbench,
    owner: str,
    new: NewConversation,
    draft: str,
    look: ViewOptions,
    *,
    schema: str | None = None,
    attached: tuple[Part, ...] = (),
) -> Composed:
    """Compose the first message as Send would send it.

    Raises:
        NotFoundError: no such agent of this owner.
        InputError: the model or the time zone cannot be used.
    """
    agent_id = new.agent_id
    if agent_id is None:
        async with wb.store.read() as session:
            agent_id = await load_last_agent(session, owner)
    conversation = Conversation(
        id=_UNSTORED,
        owner=owner,
        created_at=_NO_TIME,
        updated_at=_NO_TIME,
        model=new.model,
        system_prompt=new.system_prompt,
        parameters=new.parameters,
        retry_policy=new.retry_policy,
        agent_id=agent_id or None,
        temporary=new.temporary,
    )
    base = await read_first_base(wb, conversation, look)
    return await compose_base(base, draft, schema=schema, attached=attached)


@shielded
async def discard_unused(wb: Workbench, owner: str, conversation_id: str) -> None:
    """Delete a conversation that was made for a message which was refused. One that has pairs stays.

    Raises:
        NotFoundError: no such conversation of this owner.
    """
    async with wb.store.write() as session:
        if (await load_tail(session, conversation_id)).position:
            return
        await delete_conversation(session, owner, conversation_id)
    wb.event_bus.publish(owner, conversation_id, ConversationRemoved())
