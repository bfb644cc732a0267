"""Titles: a model writes one after the first successful reply, and whenever a person asks for another.

    child = await ask_title(ctx, LOCAL_OWNER, conversation_id)
    follow(ctx, LOCAL_OWNER, child.started.run_id)       # like any reply; at its end the title is set

The request is the one that a send would make now, with the instruction as its text, so that most of it is read from the
provider's cache. If the pairs are long, it has only extracts of the first and the newest pair, unless the cache makes
the whole request cheaper. A title that a person wrote is never replaced, not even one written during the call. If
the call fails or returns nothing, nothing changes. The call starts when the end of the reply has been stored and
published, so it does not delay the reply.
"""

from __future__ import annotations

import structlog

from app.domain.audit import AuditAction
from app.domain.cache.plan import CallToCache
from app.domain.child_calls.titles import (
    INSTRUCTION,
    MAX_READ,
    MAX_TOKENS,
    extract_pairs,
    may_be_titled,
    read_title,
    waits_for_title,
)
from app.domain.conversation.conversation import Pair, Parameters, Role
from app.domain.conversation.parts import Text
from app.domain.errors import ConflictError, InviewError, NoKeyError
from app.domain.models.model_profile import ModelProfile, Prices
from app.domain.run.run import Succeeded
from app.domain.usage import Usage
from app.runs.app_context import AppContext
from app.runs.audit.audit import audit
from app.runs.child_calls.child_calls import Order, StartedChildCall, start_child_call, wait_for_text
from app.runs.compare.comparisons import ChosenReply, keep_reply
from app.runs.engine.live import LiveRun
from app.runs.request.attachments import load_named
from app.runs.request.caches import load_caching
from app.runs.request.send_plan import Plan, build_view, plan_send, require_same
from app.runs.runtime.client import Client, serving
from app.runs.runtime.event_bus import ConversationChanged
from app.runs.runtime.shielded import shielded
from app.runs.send.composition import compose_base, count_sent
from app.runs.send.context_selection import ATTEMPTS, ViewOptions, read_base
from app.runs.send.planning import load_pairs_to_send
from app.runs.send.send_request import DEFAULT_OPTIONS
from app.store.conversation.child_calls import awaits_first_title
from app.store.conversation.conversations import load_conversation, update_conversation
from app.store.conversation.heads import load_head
from app.store.ledger.ledger import CountedRequest
from app.store.settings.preferences import decode_preferences

NAME = "Title"
SHARE_OF_WINDOW = 8
"""Limit for the reply of a title call: it may use at most the model's window divided by this number.

The rest of the window is for the request.
"""

_log = structlog.get_logger(__name__)


@shielded
async def ask_title(
    ctx: AppContext,
    owner: str,
    conversation_id: str,
    options: ViewOptions = DEFAULT_OPTIONS,
    *,
    automatic: bool = False,
) -> StartedChildCall:
    """Start a call that asks a model for a title from the pairs in view. A title that a person wrote is not replaced.

    An `automatic` call does not count for the rate limits.

    Raises:
        NotFoundError: this owner has no such conversation.
        ConflictError: a person wrote its title, or nothing in view could be sent.
        DamagedSettingError: a setting of the conversation cannot be read.
        FilterError: the filter cannot be used.
        InputError: the model or the time zone cannot be used.
        NoKeyError: the provider lacks its key.
        RateLimitedError: a rate limit is reached.
    """
    for _ in range(ATTEMPTS):
        base = await read_base(ctx, owner, conversation_id, options, sends=True)
        if not may_be_titled(base.conversation):
            raise ConflictError("A person set this title, so it is not replaced. Remove it first.")
        if not base.provider.ready:
            raise NoKeyError(base.provider.name)
        composed = await compose_base(base, INSTRUCTION, forced=False)
        sent = composed.composition.sent
        if not sent:
            raise ConflictError("No pair in view can be sent, so no title can be generated.")
        if (pairs := await load_pairs_to_send(ctx, base, sent)) is not None:
            break
    else:
        raise ConflictError("The conversation changed while Inview read it. Try again.")
    parameters = Parameters(max_output_tokens=_room(base.profile))

    async def plan_of(pairs: tuple[Pair, ...], tokens: int) -> Plan:
        draft, tools = (Text(INSTRUCTION),), composed.tools.definitions
        view = build_view(base.conversation, base.agent, pairs, draft, parameters, tools, base.extras)
        call = CallToCache(conversation_id, tokens, frozen=True)
        caching = await load_caching(ctx.store, owner, base.profile, call)
        attachments = await load_named(ctx.store, owner, view)
        known = ctx.sent_pairs.hashes_of(conversation_id)
        plan = await plan_send(view, base.profile, base.provider, known, caching=caching, attachments=attachments)
        require_same(plan.built, sent)
        return plan

    estimate = composed.composition.estimate
    plan, short = await plan_of(pairs, estimate.tokens), estimate.tokens - estimate.pairs + MAX_READ
    counted = count_sent(composed, sent, plan)
    if short < estimate.tokens and not _is_cheaper(plan, estimate.tokens, short, base.profile.prices):
        plan = await plan_of(extract_pairs(pairs, redact=base.extras.redact), short)
        counted = CountedRequest(None, None, short)
    reply = pairs[-1].reply
    order = Order(
        parent=base.conversation,
        role=Role.SYSTEM_TITLE,
        purpose="title",
        name=NAME,
        instruction=INSTRUCTION,
        parameters=parameters,
        after_position=base.index.newest() or 0,
        trigger=None if reply is None else reply.id,
        rate_limits=None if automatic else base.rate_limits,
    )
    child = await start_child_call(ctx, order, plan, counted)
    ctx.start_background(_adopt(ctx, owner, conversation_id, child), f"title of {conversation_id}")
    return child


async def title_first_success(ctx: AppContext, run: LiveRun) -> None:
    """Request a title if this run was the first successful reply of a conversation without a title."""
    if run.purpose == "reply" and isinstance(run.state.outcome, Succeeded):
        await _ask_first_title(ctx, run.place.owner, run.place.conversation_id)


async def keep_reply_and_title(ctx: AppContext, owner: str, conversation_id: str, model: str) -> ChosenReply:
    """Keep a compared reply, as `keep_reply` does.

    If it is the first reply of a conversation without a title, start a call for a title. No such call was started when
    the compared runs ended, because each run was in a separate conversation.

    Raises:
        NotFoundError: this owner has no such conversation, or no comparison is open in it.
        InputError: the model is not part of the comparison.
        ConflictError: the reply is still running or empty, or the pair that was answered again is deleted.
    """
    kept = await keep_reply(ctx, owner, conversation_id, model)
    ctx.start_background(_ask_first_title(ctx, owner, conversation_id), f"first title of {conversation_id}")
    return kept


async def _ask_first_title(ctx: AppContext, owner: str, conversation_id: str) -> None:
    """Request a title if the conversation has its first successful replies and no title was requested yet.

    Errors are logged.
    """
    if not ctx.settings.titles:
        return
    try:
        async with ctx.store.read() as session:
            head = await load_head(session, owner, conversation_id)
            preferences = decode_preferences(head.preferences)
            if not (preferences.titles and waits_for_title(head.conversation)):
                return
            if not await awaits_first_title(session, conversation_id):
                return
        options = ViewOptions(model=preferences.title_model)
        await ask_title(ctx, owner, conversation_id, options, automatic=True)
    except InviewError as error:  # only logged, because no person requested this title
        _log.warning("no title could be requested", conversation_id=conversation_id, fault=str(error))


async def _adopt(ctx: AppContext, owner: str, conversation_id: str, child: StartedChildCall) -> None:
    """Wait for the title and store it, unless a person wrote one meanwhile."""
    try:
        title = read_title(await wait_for_text(ctx, owner, child))
        # The task has the client of the first send or of the request for a title, who did not write this title.
        with serving(Client()):
            async with ctx.store.write() as session:
                conversation = await load_conversation(session, owner, conversation_id)
                if title and may_be_titled(conversation):
                    changes = {"title": title, "titled_by_model": True}
                    await update_conversation(session, owner, conversation_id, changes)
                    await audit(session, owner, conversation_id, AuditAction.CHANGED, what="title", by="model")
        ctx.event_bus.publish(owner, conversation_id, ConversationChanged())
    except InviewError as error:  # the conversation was deleted, or the database failed: the child keeps the title
        _log.warning("a title was not set", conversation_id=conversation_id, fault=str(error))


def _is_cheaper(plan: Plan, tokens: int, short: int, prices: Prices | None) -> bool:
    """Return true if the whole request of `tokens` costs less than one of `short` tokens, because it is cached."""
    if plan.cache is None or prices is None:
        return False
    cached = min(plan.cache.plan.prediction.tokens, tokens)
    return Usage(tokens - cached, cache_read_tokens=cached).cost(prices) < Usage(short).cost(prices)


def _room(profile: ModelProfile) -> int:
    return max(1, min(MAX_TOKENS, profile.context_window // SHARE_OF_WINDOW))
