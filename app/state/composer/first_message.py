"""The first message of a conversation: its estimate, before the conversation exists, and its delivery.

draft = await read_first(state, text, edition, schema, files)   # for its estimate and its preview
conversation_id, comparison_id = await deliver_first(draft)     # if it raises, no conversation is left
"""

from __future__ import annotations

from dataclasses import replace

import reflex as rx

from app.domain.errors import InviewError
from app.runs.app_context import context_for, current
from app.runs.conversation.conversation_commands import create_conversation
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.context_selection import ViewOptions
from app.runs.send.first_message import FirstMessageOptions, compose_first, discard_unused
from app.runs.temporary.temporary import create_temporary
from app.runs.watch.context import describe_compared_sends, describe_context
from app.state.agents.choice import AgentState
from app.state.composer.parameters import begins_with, send_parameters_of
from app.state.composer.sending import Draft, deliver
from app.state.composer.view_options import options_of
from app.state.conversation.first_draft import FirstDraft
from app.state.conversation.system_prompt import new_prompt
from app.state.conversation.temporary import TemporaryState
from app.views.composer.context import ContextView


async def estimate_first(draft: FirstDraft) -> ContextView | None:
    """Return an estimate of a send with the first message.

    Return None if a send of the message would be refused. The error is shown when the person presses Send.
    """
    try:
        first = await draft.load()
        composed = await compose_first(current(), LOCAL_OWNER, first)
        options = [replace(first.options, model=model) for model in draft.others]
        others = [await compose_first(current(), LOCAL_OWNER, replace(first, options=one)) for one in options]
    except InviewError:
        return None
    compared = describe_compared_sends(current(), LOCAL_OWNER, (composed, *others))
    return describe_context(composed, draft.options.topic, compared=compared)


async def read_first(  # noqa: PLR0913, PLR0917 - what a send is made of
    state: rx.State, text: str, edition: int, schema: str, files: tuple[str, ...], models: tuple[str, ...] = ()
) -> FirstDraft:
    """Return the first message with its text, schema and files, and with the options that are set on this page now.

    `models`: the message goes to these models; (): to the chosen model alone.
    """
    options = await options_of(state, "")
    parameters = replace(await send_parameters_of(state, ""), reply_schema=schema or None)
    new = await new_conversation(state, options)
    options = replace(options, model=models[0]) if models else options
    return FirstDraft(new, text, options, parameters, files, edition, models[1:])


async def new_conversation(state: rx.State, options: ViewOptions) -> FirstMessageOptions:
    """Return the settings of the conversation that the first message on this page starts.

    `options` are the view options of that message.
    """
    begun = await begins_with(state)
    return FirstMessageOptions(
        options.model or "",
        (await state.get_state(AgentState)).answering,
        (await state.get_state(TemporaryState)).wanted,
        await new_prompt(state),
        begun.parameters,
        begun.policy,
        begun.limits,
        begun.middleware,
    )


async def deliver_first(draft: Draft) -> tuple[str, str]:
    """Send the draft in a new conversation. Return the ids of the conversation and of the comparison ("" for none).

    Raises:
        OverBudgetError: the request exceeds its budget, and the sender has made no choice for this case.
        InviewError: the send was refused for another reason. After any error, the new conversation is deleted.
    """
    made = await _begin(draft.new)
    try:
        return made, await deliver(replace(draft, conversation_id=made))
    except Exception:
        await discard_unused(await context_for(current(), made), LOCAL_OWNER, made)
        raise


async def _begin(new: FirstMessageOptions) -> str:
    """Create the conversation for a first message.

    Raises:
        NotFoundError: no such agent.
        InputError: the model name is not valid.
    """
    create = create_temporary if new.temporary else create_conversation
    made = await create(
        current(),
        LOCAL_OWNER,
        model=new.model,
        system_prompt=new.system_prompt,
        parameters=new.parameters,
        retry_policy=new.retry_policy,
        retry_limits=new.retry_limits,
        middleware=new.middleware,
        agent_id=new.agent_id,
    )
    return made.id
