"""Summaries: the model reads the older pairs again and writes a summary, which becomes a checkpoint.

    summary = await summarise(ctx, LOCAL_OWNER, conversation_id, options, "the draft")
    follow(ctx, LOCAL_OWNER, summary.started.run_id)          # like any reply; at its end the checkpoint is set

The call runs in a separate `tool` conversation (`child_calls.py`). Once the checkpoint is set, the summary is a card on
the screen, and the pairs above it are OUT. A call that fails or returns nothing changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

import structlog

from app.domain.audit import AuditAction
from app.domain.cache.plan import CallToCache
from app.domain.child_calls.summaries import INSTRUCTION
from app.domain.context.composition import Candidate, price_tokens
from app.domain.conversation.conversation import Checkpoint, Role
from app.domain.conversation.parameters import NO_PARAMETERS
from app.domain.conversation.parts import Text
from app.domain.errors import ConflictError, InputError, InviewError
from app.runs.app_context import AppContext
from app.runs.audit.audit import audit
from app.runs.child_calls.child_calls import Order, StartedChildCall, start_child_call, wait_for_text
from app.runs.request.attachments import load_named
from app.runs.request.caches import load_caching
from app.runs.request.context_snapshots import ContextSnapshot
from app.runs.request.preview import Composed
from app.runs.request.send_plan import build_view, plan_send, require_same
from app.runs.request.texts import count_text
from app.runs.runtime.event_bus import ConversationChanged
from app.runs.runtime.shielded import shielded
from app.runs.send.commands import StartedRun
from app.runs.send.composition import compose_base
from app.runs.send.context_selection import ATTEMPTS, ViewOptions, read_base
from app.runs.send.planning import load_pairs_to_send, require_sendable, require_text
from app.runs.send.send_request import DEFAULT_OPTIONS
from app.store.conversation import conversations
from app.store.database.mapping import encode_checkpoint

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Extent:
    """The pairs in view that a summary shall replace.

    - `everything`: all pairs.
    - `up_to`: the pairs up to this position, even if they fit into the budget.

    If neither is set: the pairs that do not fit into the budget together with the draft or, if all fit, all pairs.
    """

    everything: bool = False
    up_to: int | None = None


OLDER = Extent()
"""The pairs that do not fit into the budget, or all pairs if all fit."""


@dataclass(frozen=True, slots=True)
class SummaryPlan:
    """The pairs that a summary would read and replace.

    - `position`: the summary would be shown above the pair at this position. Pairs with a lower position would no
      longer be sent.
    - `tokens`: the size of the request for the summary.
    - `count`: the number of pairs that the summary would read.
    - `cost`: the price of the summary; None if it is unknown.
    - `unread`: the number of pairs that would no longer be sent although the summary did not read them, because the
      filter hides them.
    """

    base: ContextSnapshot
    composed: Composed
    older: tuple[Candidate, ...]
    position: int
    tokens: int

    @property
    def count(self) -> int:
        return len(self.older)

    @property
    def cost(self) -> Decimal | None:
        return price_tokens(self.base.terms, self.tokens)

    @property
    def unread(self) -> int:
        checkpoint = self.base.conversation.checkpoint
        sent_now = self.base.index.count_sendable(0 if checkpoint is None else checkpoint.position, self.position)
        return sent_now - sum(pair.position < self.position for pair in self.older)


@dataclass(frozen=True, slots=True)
class Summary:
    """A summary in progress. It reads `count` pairs, and will be shown above the pair at `position`."""

    started: StartedRun
    conversation_id: str
    count: int
    position: int


async def plan_summary(  # noqa: PLR0913, PLR0917 - the arguments of summarise
    ctx: AppContext,
    owner: str,
    conversation_id: str,
    options: ViewOptions = DEFAULT_OPTIONS,
    draft: str = "",
    extent: Extent = OLDER,
) -> SummaryPlan:
    """Return the plan that `summarise` would carry out with the same arguments. Calls no model and stores nothing.

    Raises:
        NotFoundError: this owner has no such conversation.
        ConflictError: there is nothing to summarise, or more than the model can read at once.
        DamagedSettingError: a setting of the conversation cannot be read.
        FilterError: the filter cannot be used.
        InputError: the model or the time zone cannot be used.
    """
    base = await read_base(ctx, owner, conversation_id, options, sends=True)
    composed = await compose_base(base, draft)
    boundary = None if extent.everything or extent.up_to is not None else composed.composition.boundary
    last = extent.up_to if boundary is None else boundary - 1
    older = tuple(
        pair for pair in composed.composition.visible.pairs if pair.sendable and (last is None or pair.position <= last)
    )
    if not older:
        raise ConflictError("Nothing in view is left to summarise.")
    estimator = base.terms.estimator
    instruction_tokens = estimator.of_text(await count_text(base.vocabulary, INSTRUCTION), 1)
    fixed = base.terms.system + composed.tools.tokens + instruction_tokens
    tokens = fixed + sum(estimator.of_pair(pair.sizes) for pair in older)
    room = base.profile.context_window - base.terms.limits.reserve
    if tokens > room:
        raise ConflictError(
            f"The {len(older):,} pairs to summarise have {tokens:,} tokens, more than the {room:,} that "
            f"{base.profile.name} can read at once. Choose a larger model, or a filter that selects fewer pairs."
        )
    return SummaryPlan(base, composed, older, boundary or older[-1].position + 1, tokens)


@shielded
async def summarise(  # noqa: PLR0913, PLR0917 - the view, the draft and the extent
    ctx: AppContext,
    owner: str,
    conversation_id: str,
    options: ViewOptions = DEFAULT_OPTIONS,
    draft: str = "",
    extent: Extent = OLDER,
) -> Summary:
    """Start a summary of the pairs in view that `extent` selects.

    By default, these are the pairs that do not fit into the budget together with this draft.

    Raises:
        SendLockedError: a reply is running in the conversation.
        ProviderError: the provider lacks its key.
        RateLimitedError: a rate limit is reached.
        NotFoundError, ConflictError, FilterError, InputError: as for `plan_summary`.
    """
    for _ in range(ATTEMPTS):
        planned = await plan_summary(ctx, owner, conversation_id, options, draft, extent)
        base, older = planned.base, planned.older
        require_sendable(base)
        if (pairs := await load_pairs_to_send(ctx, base, older)) is not None:
            break
    else:
        raise ConflictError("The conversation changed while Inview read it. Try again.")
    tools = planned.composed.tools.definitions
    view = build_view(base.conversation, base.agent, pairs, (Text(INSTRUCTION),), NO_PARAMETERS, tools, base.extras)
    call = CallToCache(conversation_id, planned.tokens, frozen=True)
    caching = await load_caching(ctx.store, owner, base.profile, call)
    attachments = await load_named(ctx.store, owner, view)
    known = ctx.sent_pairs.hashes_of(conversation_id)
    plan = await plan_send(view, base.profile, base.provider, known, caching=caching, attachments=attachments)
    require_same(plan.built, older)
    last = pairs[-1]
    order = Order(
        parent=base.conversation,
        role=Role.SYSTEM_SUMMARY,
        purpose="summary",
        name=f"Summary of {planned.count:,} pairs",
        instruction=INSTRUCTION,
        parameters=NO_PARAMETERS,
        after_position=base.index.newest() or 0,
        trigger=None if last.reply is None else last.reply.id,
        position=planned.position,
        rate_limits=base.rate_limits,
    )
    child = await start_child_call(ctx, order, plan)
    ctx.start_background(_adopt(ctx, owner, conversation_id, child, planned.position), f"summary of {conversation_id}")
    return Summary(child.started, child.conversation_id, planned.count, planned.position)


@shielded
async def change_checkpoint(ctx: AppContext, owner: str, conversation_id: str, summary: str) -> Checkpoint:
    """Change the text of a conversation's checkpoint, the summary in use. Return the new checkpoint.

    Raises:
        NotFoundError: this owner has no such conversation.
        ConflictError: it has no checkpoint.
        InputError: the text is blank.
    """
    require_text("summary", summary)
    if not summary.strip():
        raise InputError("summary", "is empty. Remove the checkpoint instead.")
    before = await _set(ctx, owner, conversation_id, summary)
    return Checkpoint(summary, before.position)


@shielded
async def remove_checkpoint(ctx: AppContext, owner: str, conversation_id: str) -> Checkpoint:
    """Remove a conversation's checkpoint, the summary in use, and return it, so that the removal can be undone.

    Later sends include the pairs above it again.

    Raises:
        NotFoundError: this owner has no such conversation.
        ConflictError: it has no checkpoint.
    """
    return await _set(ctx, owner, conversation_id, None)


@shielded
async def put_checkpoint(ctx: AppContext, owner: str, conversation_id: str, checkpoint: Checkpoint) -> None:
    """Set the checkpoint of a conversation: a summary that is sent instead of the pairs above it.

    It replaces an earlier checkpoint.

    Raises:
        NotFoundError: this owner has no such conversation.
    """
    async with ctx.store.write() as session:
        await conversations.next_revision(session, conversation_id, None)
        await conversations.update_conversation(session, owner, conversation_id, encode_checkpoint(checkpoint))
        await audit(session, owner, conversation_id, AuditAction.CHANGED, what="checkpoint")
    ctx.event_bus.publish(owner, conversation_id, ConversationChanged())


async def _set(ctx: AppContext, owner: str, conversation_id: str, summary: str | None) -> Checkpoint:
    async with ctx.store.write() as session:
        before = (await conversations.load_conversation(session, owner, conversation_id)).checkpoint
        if before is None:
            raise ConflictError(f"Conversation {conversation_id!r} has no checkpoint.")
        changed = None if summary is None else Checkpoint(summary, before.position)
        await conversations.next_revision(session, conversation_id, None)
        await conversations.update_conversation(session, owner, conversation_id, encode_checkpoint(changed))
        await audit(session, owner, conversation_id, AuditAction.CHANGED, what="checkpoint")
    ctx.event_bus.publish(owner, conversation_id, ConversationChanged())
    return before


async def _adopt(ctx: AppContext, owner: str, conversation_id: str, child: StartedChildCall, position: int) -> None:
    """Wait for the summary and make it the checkpoint if it has text."""
    try:
        if summary := await wait_for_text(ctx, owner, child):
            await put_checkpoint(ctx, owner, conversation_id, Checkpoint(summary, position))
        else:
            ctx.event_bus.publish(owner, conversation_id, ConversationChanged())
    except InviewError as error:  # the conversation was deleted, or the database failed: the child keeps the summary
        _log.warning("a summary did not become a checkpoint", conversation_id=conversation_id, fault=str(error))
