"""The first message: its estimate before its conversation exists, and the conversation that is made for it.

conversation_id, comparison_id = await deliver_first(draft)     # raises what refuses it; nothing is left then
"""

from __future__ import annotations

from dataclasses import replace

import reflex as rx

from app.domain.errors import InviewError
from app.runs.send.commands import LOCAL_OWNER, create_conversation
from app.runs.send.context_selection import ViewOptions
from app.runs.send.first_message import NewConversation, compose_first, discard_unused
from app.runs.temporary import create_temporary
from app.runs.uploads import load_attached
from app.runs.watch.context import show_context
from app.runs.workbench import bench_of, current
from app.state.agents.choice import AgentState
from app.state.composer.parameters import begins_with
from app.state.composer.sending import Draft, deliver
from app.state.system_prompt import new_prompt
from app.state.temporary import TemporaryState
from app.views.screen.context import ContextView


async def estimate_first(
    new: NewConversation, draft: str, look: ViewOptions, schema: str, files: tuple[str, ...]
) -> ContextView | None:
    """Estimate the first message. None: it cannot be sent like this, and Send will say why."""
    try:
        attached = await load_attached(current(), LOCAL_OWNER, files)
        composed = await compose_first(
            current(), LOCAL_OWNER, new, draft, look, schema=schema or None, attached=attached.parts
        )
    except InviewError:
        return None
    return show_context(composed, look.topic)


async def new_conversation(state: rx.State, look: ViewOptions) -> NewConversation:
    """The conversation that the first message on this page starts."""
    parameters, policy = await begins_with(state)
    return NewConversation(
        look.model or "",
        (await state.get_state(AgentState)).answering,
        (await state.get_state(TemporaryState)).wanted,
        await new_prompt(state),
        parameters,
        policy,
    )


async def deliver_first(draft: Draft) -> tuple[str, str]:
    """Send the draft in a conversation made for it. Returns the ids of both: of the comparison "" for none.

    Raises:
        OverBudgetError: the request exceeds its budget, and the sender has not chosen what to do.
        InviewError: whatever else refuses it. Whatever is raised, the conversation is deleted again.
    """
    made = await _begin(draft.new)
    try:
        return made, await deliver(replace(draft, conversation_id=made))
    except Exception:
        await discard_unused(await bench_of(current(), made), LOCAL_OWNER, made)
        raise


async def _begin(new: NewConversation) -> str:
    """Make the conversation that a first text begins.

    Raises:
        NotFoundError: no such agent.
        InputError: the model cannot be one.
    """
    create = create_temporary if new.temporary else create_conversation
    made = await create(
        current(),
        LOCAL_OWNER,
        model=new.model,
        system_prompt=new.system_prompt,
        parameters=new.parameters,
        retry_policy=new.retry_policy,
        agent_id=new.agent_id,
    )
    return made.id
