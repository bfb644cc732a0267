"""First sends: a text that begins its conversation. Where the send is refused, there is no conversation either.

begun = await send_first(wb, LOCAL_OWNER, FirstSend(NewConversation(model="offline:demo"), "Hello"))
begun.conversation_id, begun.started.run_id
"""

from __future__ import annotations

from dataclasses import dataclass

from app.domain.conversation.conversation import Conversation, Parameters
from app.domain.conversation.parameters import NO_PARAMETERS
from app.domain.conversation.retry_policy import RetryPolicy
from app.runs.process.event_bus import ConversationRemoved
from app.runs.process.shielded import shielded
from app.runs.request.attachments import NOTHING_ATTACHED, Attached
from app.runs.send.commands import Alongside, StartedRun, create_conversation, start_reply
from app.runs.send.intents import DEFAULT_OPTIONS, NewSend, SendOptions
from app.runs.temporary import create_temporary
from app.runs.workbench import Workbench, bench_of
from app.store.conversation import conversations


@dataclass(frozen=True, slots=True)
class NewConversation:
    """The conversation that a first text begins. `agent_id` None: that of the chat used last; "": none."""

    model: str | None = None
    agent_id: str | None = None
    temporary: bool = False
    system_prompt: str = ""
    parameters: Parameters = NO_PARAMETERS
    retry_policy: RetryPolicy = RetryPolicy.EXPONENTIAL
    title: str = ""


@dataclass(frozen=True, slots=True)
class BegunConversation:
    """A conversation that a first text began, and the running reply to it."""

    conversation_id: str
    bench: Workbench
    started: StartedRun


async def begin_conversation(wb: Workbench, owner: str, new: NewConversation) -> Conversation:
    """Create the conversation that a first text begins.

    Raises:
        NotFoundError: no such agent of this owner.
        InputError: a text, a parameter or the model cannot be one.
        StoreError: it is to be temporary, and there is no database in a file beside which it could be.
    """
    create = create_temporary if new.temporary else create_conversation
    return await create(
        wb,
        owner,
        title=new.title,
        model=new.model,
        system_prompt=new.system_prompt,
        parameters=new.parameters,
        retry_policy=new.retry_policy,
        agent_id=new.agent_id,
    )


@dataclass(frozen=True, slots=True)
class FirstSend:
    """A text that begins a conversation. With something `attached` it may be blank."""

    new: NewConversation
    text: str
    attached: Attached = NOTHING_ATTACHED


@shielded
async def send_first(
    wb: Workbench,
    owner: str,
    first: FirstSend,
    options: SendOptions = DEFAULT_OPTIONS,
    alongside: Alongside | None = None,
) -> BegunConversation:
    """Create a conversation and start the reply to its first text. `alongside` as for `start_reply`.

    Raises:
        InviewError: as `begin_conversation` and `start_reply`; then there is no such conversation.
    """
    made = await begin_conversation(wb, owner, first.new)
    bench = await bench_of(wb, made.id)
    try:
        started = await start_reply(bench, owner, NewSend(made.id, first.text, first.attached), options, alongside)
    except BaseException:
        async with bench.store.write() as session:
            await conversations.delete_conversation(session, owner, made.id)
        bench.event_bus.publish(owner, made.id, ConversationRemoved())
        raise
    return BegunConversation(made.id, bench, started)
