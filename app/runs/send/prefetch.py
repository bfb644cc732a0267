"""Prefetch: prepares the data for the next send of a conversation while a person reads or types.

    warm(ctx, base, options)        # `base`: the context snapshot of an open page. Returns at once

Without it, the first send after a start would read and hash its whole context before the provider is called. Prefetch
yields to all other work and stores nothing. A send that starts before the preparation is done does the work itself.
If a pair has changed since the snapshot, nothing is prepared.
"""

from __future__ import annotations

import asyncio

import structlog

from app.domain.conversation.damage import require_settings
from app.domain.errors import InviewError
from app.runs.app_context import AppContext
from app.runs.request.attachments import load_named
from app.runs.request.context_snapshots import ContextSnapshot
from app.runs.request.send_plan import build_view, plan_send
from app.runs.runtime.event_bus import ConversationChanged
from app.runs.send.composition import compose_base
from app.runs.send.context_selection import ViewOptions, read_base

log = structlog.get_logger()

DELAY_SECONDS = 0.3
"""Delay before the work starts, so that the opened conversation is shown first."""
PAUSE_SECONDS = 0.02
"""Pause between two batches of pairs, which leaves more than half of the event loop's time to other work."""


def warm(ctx: AppContext, base: ContextSnapshot, options: ViewOptions) -> None:
    """Start to prepare the next send of a conversation, unless the preparation is already running.

    `base`: the context snapshot of the send, made with these view options.
    """
    conversation_id = base.conversation.id
    if conversation_id in ctx.warming or base.provider.missing:
        return
    task = asyncio.create_task(_warm(ctx, base, options), name=f"warming of {conversation_id}")
    ctx.warming[conversation_id] = task
    task.add_done_callback(lambda _: ctx.warming.pop(conversation_id))


async def _learn_window(ctx: AppContext, base: ContextSnapshot) -> bool:
    """Load the provider's list of models if the public table lacks the model. Return True if its profile changed."""
    if base.profile.known or not base.provider.ready:
        return False
    profiles = await ctx.catalogue.lists.load(base.provider)
    return any(profile.model == base.profile.model and profile != base.profile for profile in profiles)


async def _warm_provider(ctx: AppContext, base: ContextSnapshot) -> None:
    if base.provider.ready:
        await ctx.engine.transport.warm(base.provider)


async def _warm(ctx: AppContext, base: ContextSnapshot, options: ViewOptions) -> None:
    owner, conversation_id = base.owner, base.conversation.id
    await asyncio.sleep(DELAY_SECONDS)
    try:
        if await _learn_window(ctx, base):
            ctx.event_bus.publish(owner, conversation_id, ConversationChanged())
            base = await read_base(ctx, owner, conversation_id, options)
        require_settings(base.conversation.damage)
        if base.running is not None:  # the pair is read when its reply is over
            await _warm_provider(ctx, base)
            return
        composed = await compose_base(base)
        sent = composed.composition.sent
        pairs = await ctx.sent_pairs.load(ctx.store, owner, conversation_id, sent, pause=PAUSE_SECONDS)
        if pairs is None or await ctx.indexer.note_damage(
            owner, pairs
        ):  # the conversation changes now; a later change starts another prefetch
            return
        tools = composed.tools.definitions
        view = build_view(base.conversation, base.agent, pairs, (), base.usual, tools, base.extras)
        attachments = await load_named(ctx.store, owner, view)
        known = ctx.sent_pairs.hashes_of(conversation_id)
        plan = await plan_send(view, base.profile, base.provider, known, attachments=attachments)
        await _warm_provider(ctx, base)
    except InviewError as error:  # no caller waits for the prefetch; a send would raise the same error to its caller
        log.debug("a conversation could not be prepared for sending", conversation_id=conversation_id, fault=str(error))
    else:
        ctx.sent_pairs.remember(conversation_id, plan.hashed)
