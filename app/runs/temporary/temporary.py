"""Temporary conversations. They are in memory, in a second app context, which is opened when the first one is created.

    conversation = await create_temporary(ctx, LOCAL_OWNER, model="offline:demo")
    ctx = await context_for(ctx, conversation.id)         # the app context that has this conversation
    await keep_conversation(ctx, LOCAL_OWNER, conversation.id)

The commands for conversations work unchanged with this second app context. The conversation tables of its store are in
memory (`store/temporary/temporary_database.py`). A conversation is lost when it is deleted or the process ends. The
ledger records its usage, without texts. Keys, prices, preferences and topics are shared with all conversations.
"""

from __future__ import annotations

from contextlib import suppress

from app.domain.attachments.attachments import Attachment
from app.domain.audit import AuditAction
from app.domain.conversation.conversation import Conversation, Parameters
from app.domain.conversation.middleware_choices import USUAL_MIDDLEWARE, MiddlewareChoices
from app.domain.conversation.parameters import NO_PARAMETERS
from app.domain.errors import ConflictError, NotFoundError
from app.domain.retry_policy import USUAL_RETRIES, RetryLimits, RetryPolicy
from app.runs.app_context import AppContext
from app.runs.audit.audit import audit
from app.runs.conversation.conversation_commands import create_conversation
from app.runs.engine.writer import Writer
from app.runs.runtime.event_bus import ConversationRemoved
from app.runs.runtime.shielded import shielded
from app.runs.wiring import equip, keep_at_work
from app.store.attachments.attachments import load_attachment
from app.store.conversation import conversations, pairs
from app.store.conversation.conversations import load_last_agent
from app.store.database.database import Store
from app.store.temporary.temporary_database import move_to_disk, open_memory


async def create_temporary(  # noqa: PLR0913 - the arguments of create_conversation
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
) -> Conversation:
    """Create a conversation that is never written to the disk.

    Raises:
        NotFoundError: this owner has no such agent.
        InputError: a text, a parameter or the model is invalid.
        StoreError: the main database is not in a file.
    """
    aside = await open_temporary(ctx)
    if agent_id is None:
        async with ctx.store.read() as session:
            agent_id = await load_last_agent(session, owner) or ""
    return await create_conversation(
        aside,
        owner,
        title=title,
        model=model,
        system_prompt=system_prompt,
        parameters=parameters,
        retry_policy=retry_policy,
        retry_limits=retry_limits,
        middleware=middleware,
        metadata_json=metadata_json,
        agent_id=agent_id,
        temporary=True,
    )


async def find_attachment(ctx: AppContext, owner: str, attachment_id: str) -> Attachment:
    """Find an attachment of a stored or a temporary conversation.

    Raises:
        NotFoundError: no attachment has this id, or it belongs to another owner.
    """
    aside = ctx.temporary.ctx
    if aside is not None:
        with suppress(NotFoundError):
            return await _load(aside.store, owner, attachment_id)
    return await _load(ctx.store, owner, attachment_id)


async def _load(store: Store, owner: str, attachment_id: str) -> Attachment:
    async with store.read() as session:
        return await load_attachment(session, owner, attachment_id)


@shielded
async def keep_conversation(ctx: AppContext, owner: str, conversation_id: str) -> None:
    """Save a temporary conversation and its child conversations to the disk. They are then no longer temporary.

    Raises:
        NotFoundError: this owner has no such conversation.
        ConflictError: it is saved already, a reply is running in it, or a provider is counting its tokens.
    """
    async with ctx.store.write() as session:
        conversation = await conversations.load_conversation(session, owner, conversation_id)
        if not conversation.temporary:
            raise ConflictError(f"Conversation {conversation_id!r} is not temporary.")
        kept = (conversation_id, *await conversations.list_derived(session, conversation_id))
        for one in kept:
            if (await pairs.load_tail(session, one)).running is not None:
                raise ConflictError("A reply is still running. Stop it or wait for it, then keep the conversation.")
        if any(ctx.counting[one] for one in kept):
            raise ConflictError("The provider is still counting tokens. Wait for it, then keep the conversation.")
        await move_to_disk(session, kept)
        await audit(session, owner, conversation_id, AuditAction.CHANGED, what="temporary removed")
    for one in kept:
        ctx.sent_pairs.forget(one)
        ctx.sizes.forget(one)
        ctx.event_bus.publish(owner, one, ConversationRemoved())


async def open_temporary(ctx: AppContext) -> AppContext:
    """Return the app context of temporary conversations; open it if necessary.

    Raises:
        StoreError: the main database is not in a file.
    """
    temporary = ctx.temporary
    async with temporary.opening:
        if temporary.ctx is None:
            store = await temporary.closing.enter_async_context(open_memory(ctx.store, f"beside-{ctx.process_id}"))
            writer = Writer(store, ctx.process_id, ctx.engine.writer.clock)
            aside = equip(ctx.settings, writer, ctx.catalogue, ctx.engine.transport, ctx.toolbox, ctx)
            keep_at_work(temporary.closing, aside)
            temporary.ctx = aside
    return temporary.ctx
