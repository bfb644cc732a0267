"""One refresh of the cache keep-alive (`keep_alive.py`): a call that reads the prefix that a provider has cached.

    earlier = await load_earlier(session, owner, keeping.made_id)
    started = await start_refresh(ctx, planned, keeping, earlier)        # None if another process was faster

A refresh is an ordinary run. All refreshes of an order are in one `tool` conversation. Every process may try to start a
refresh; the first one to store its run makes the call.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.cache.keep_alive import cut_prefix, write_refresh
from app.domain.cache.plan import CachePlan
from app.domain.cache.warmth import Breakpoint
from app.domain.conversation.conversation import Conversation, ConversationKind, ConversationStatus, Message, Pair, Role
from app.domain.conversation.lifecycle import Lifecycle, Step, apply_step
from app.domain.conversation.parts import Text
from app.domain.errors import ConflictError, NoKeyError, NotFoundError
from app.domain.request.hashing import Hashed, content_hashes
from app.domain.run.run import RunStart
from app.providers.base import encode
from app.runs.app_context import AppContext
from app.runs.request.attachments import load_named
from app.runs.request.preview import Preview
from app.runs.runtime.ids import new_id, now
from app.runs.send.commands import StartedRun
from app.store.cache.keep_warm import Keeping, claim_refresh
from app.store.cache.prompt_caches import CacheUse
from app.store.conversation import conversations, pairs
from app.store.run import runs

NAME = "Kept warm"


@dataclass(frozen=True, slots=True)
class Earlier:
    """The earlier refreshes of a keep-alive.

    - `made_id`: the id of their conversation; None if there is none.
    - `position`: the position of the newest one.
    - `running`: True if one of them is running.
    """

    made_id: str | None = None
    position: int = 0
    running: bool = False


async def load_earlier(session: AsyncSession, owner: str, made_id: str | None) -> Earlier:
    if made_id is None:
        return Earlier()
    try:
        await conversations.load_conversation(session, owner, made_id)
    except NotFoundError:  # a NotFoundError means that the conversation was deleted
        return Earlier()
    tail = await pairs.load_tail(session, made_id)
    return Earlier(made_id, tail.position, tail.running is not None)


async def start_refresh(ctx: AppContext, planned: Preview, keeping: Keeping, earlier: Earlier) -> StartedRun | None:
    """Start a call that reads the cached prefix of this send again. Return the running call.

    Return None if another process has made this call meanwhile, or if the keep-alive was ended or replaced.

    Raises:
        ConflictError: the send would read nothing from the cache.
        NotFoundError: the conversation was deleted.
        NoKeyError: the provider lacks its key.
    """
    use, base = planned.plan.cache, planned.composed.base
    place = None if use is None else use.plan.prediction.place
    if use is None or place is None:
        raise ConflictError("The provider has cached nothing that the next send would read.")
    provider, parent, foretold = base.provider, base.conversation, use.plan.prediction
    if not provider.ready:
        raise NoKeyError(provider.name)
    request = write_refresh(planned.built.request, place)
    marks = (Breakpoint(place, foretold.lifetime),)
    attachments = await load_named(ctx.store, parent.owner, request)
    wire, hashes = await asyncio.to_thread(
        lambda: (encode(provider, request, base.profile, attachments, marks), content_hashes(request))
    )
    plan = CachePlan(marks, foretold, 0, foretold.tokens)
    refresh = CacheUse(cut_prefix(use.prefix, place), plan, frozen=True)
    at = now()
    words = f"Keep the prompt cache of this conversation warm: about {foretold.tokens:,} tokens."
    made = earlier.made_id or new_id()
    start = RunStart(new_id(), new_id(), made, wire.model, hashes[-1])
    reply = Message(new_id(), Role.KEEP_WARM, (), at)
    async with ctx.store.write() as session:
        await conversations.load_conversation(session, parent.owner, parent.id)
        claimed = await claim_refresh(session, keeping, made)
        if not claimed or await load_earlier(session, parent.owner, earlier.made_id) != earlier:
            return None
        if earlier.made_id is None:
            trigger = await pairs.load_newest_message(session, parent.id)
            await conversations.insert_conversation(session, _describe(made, parent, wire.model, trigger))
        place_of = runs.RunPlace(parent.owner, made, start.pair_id, reply.id)
        revision = await conversations.next_revision(session, made, at)
        pair = Pair(
            id=start.pair_id,
            conversation_id=made,
            position=earlier.position + 1,
            request=Message(new_id(), Role.KEEP_WARM, (Text(words),), at),
            reply=reply,
            model=start.model,
            lifecycle=apply_step(Lifecycle.IDLE, Step.SEND),
            created_at=at,
            updated_at=at,
            agent_id=parent.agent_id,
            parameters=request.parameters,
            run_id=start.run_id,
        )
        await pairs.insert_pair(session, parent.owner, pair, revision)
        run = runs.NewRun(place_of, start, ctx.process_id, at, cache=refresh, tools=request.tools, purpose="keep_warm")
        await runs.insert_run(session, run)
    ctx.engine.start(place_of, start, provider, wire, purpose="keep_warm", request=Hashed(request, hashes))
    return StartedRun(start.run_id, start.pair_id, start.request_hash)


def _describe(made_id: str, parent: Conversation, model: str, trigger: str | None) -> Conversation:
    at = now()
    return Conversation(
        id=made_id,
        owner=parent.owner,
        created_at=at,
        updated_at=at,
        title=NAME,
        kind=ConversationKind.TOOL,
        status=ConversationStatus.COMPLETED,
        model=model,
        parent_id=parent.id,
        trigger_message_id=trigger,
    )
