"""Resend of the stored request of a failed pair.

The bytes are the same, even if the conversation has changed since then.

    again = await resend_as_it_was(ctx, LOCAL_OWNER, pair_id, ResendOptions(later=Later.KEEP))

Not here: a pair that succeeded. The bytes of its request are not stored, so `resend.py` builds a new request from the
pairs in view.
"""

from __future__ import annotations

from datetime import tzinfo

import structlog

from app.domain.context.budget import RequestSizes
from app.domain.context.composition import BoundaryInputs, budget_of, price_tokens
from app.domain.context.middleware import UserOptions, choose_middleware
from app.domain.context.over_budget import BudgetOption, BudgetOptions, OverBudgetError
from app.domain.conversation.conversation import Conversation, Pair
from app.domain.conversation.parts import plain_text
from app.domain.errors import (
    ConflictError,
    InputError,
    InviewError,
    NoKeyError,
    NotFoundError,
)
from app.domain.models.model_profile import ModelProfile
from app.domain.privacy.redaction import redact_text
from app.domain.request.hashing import Hashed
from app.domain.settings.preferences import OverBudget, Preferences
from app.providers.base import WireRequest
from app.providers.counts.vocabularies import vocabulary_of
from app.runs.app_context import AppContext
from app.runs.request.calibration import load_estimator
from app.runs.request.texts import count_text
from app.runs.resend.in_place import PlannedCall, Replacement, ResendResult, send_in_place
from app.runs.resend.resend import USUAL_RESEND, Later, ResendOptions, require_seen, was_too_long
from app.runs.resend.verification import verify_run
from app.runs.runtime.shielded import shielded
from app.runs.send.context_selection import read_zone, state_terms
from app.runs.send.planning import narrow_terms
from app.runs.usage.budgets import require_budgets_for
from app.runs.usage.limits import load_limits
from app.store.conversation import pairs
from app.store.conversation.heads import Head, load_head
from app.store.ledger.ledger import CountedRequest, load_request_tokens
from app.store.run.runs import Sent, load_sent_with
from app.store.run.snapshots import Snapshot, load_snapshot
from app.store.run.stored_runs import load_run
from app.store.run.toolsets import load_sent_tools
from app.store.settings.preferences import decode_preferences

log = structlog.get_logger()


@shielded
async def resend_as_it_was(
    ctx: AppContext, owner: str, pair_id: str, resend: ResendOptions = USUAL_RESEND
) -> ResendResult:
    """Send the stored request of a pair again. The reply replaces the pair's reply.

    The parameters, the selection and the view options in `resend` have no effect, except the time zone: it decides when
    the day of a daily limit begins. Of the choices for a request that exceeds the budget, only FORCE sends it, because
    no pair can be left out.

    Raises:
        NotFoundError: this owner has no such pair, or the request for the pair's current reply is not stored.
        PairChangedError: the pair's version is not the one that the caller has seen.
        LaterPairsError: there are later pairs, and the caller made no choice for them, or chose to discard another
            number of them.
        InputError: the choice is BRANCH. A stored request can be sent only in its own conversation.
        ConflictError: its provider has another address than the request, or the request has secrets.
        OverBudgetError: the request exceeds the budget, and neither the caller nor the preferences chose to send it.
        SendLockedError: a reply is running in the conversation.
        ComparingError: a comparison is open in it.
        BudgetSpentError: the request would exceed a budget of money.
        NoKeyError: the provider lacks its key.
    """
    if resend.later is Later.BRANCH:
        raise InputError(
            "later", "cannot be branch, because the stored request belongs to this conversation. Use keep or discard."
        )
    async with ctx.store.read() as session:
        pair = await pairs.load_pair(session, owner, pair_id)
        kept = await load_snapshot(session, owner, pair_id)
        if kept.run_id != pair.run_id:
            raise NotFoundError("stored request of pair", pair_id)
        after = await pairs.load_later_ids(session, owner, pair)
        sent = (await load_run(session, owner, kept.run_id)).sent
        tools = await load_sent_tools(session, kept.run_id)
        sent_with = await load_sent_with(session, kept.run_id)
        provider, profile = await ctx.catalogue.find(session, owner, kept.model)
        head = await load_head(session, owner, pair.conversation_id, "")
        conversation = head.conversation
    require_seen(pair, after, resend)
    if not provider.ready:
        raise NoKeyError(provider.name)
    if not kept.url.startswith(f"{provider.base_url}/"):
        raise ConflictError(
            f"The request was sent to {kept.url}, but {provider.row.label} is now at {provider.base_url}. Send a "
            "new request, or restore the address in Settings → Providers."
        )
    preferences = decode_preferences(head.preferences)
    _require_kept_back(preferences, conversation, kept)
    tokens = await _estimate(ctx, owner, pair, kept)
    if (resend.over_budget or preferences.over_budget) is not OverBudget.FORCE:
        terms = await _load_terms(ctx, head, profile, read_zone(resend.options.zone))
        _require_fitting(narrow_terms(terms, tokens) if was_too_long(pair) else terms, kept.model, tokens, sent)
    await require_budgets_for(ctx, conversation, kept.model, tokens)
    going = PlannedCall(
        provider,
        _read_wire(kept),
        kept.content_hash,
        sent,
        CountedRequest(None, None, tokens),
        tools=tools,
        request=await _rebuild(ctx, owner, kept),
        sent_with=sent_with,
        retry_policy=conversation.retry_policy,
        retry_limits=conversation.retry_limits,
        rate_limits=preferences.rate_limits,
    )
    gone = after if resend.later is Later.DISCARD else ()
    return await send_in_place(ctx, owner, Replacement(pair, plain_text(pair.request.parts), pair, gone), going)


async def _rebuild(ctx: AppContext, owner: str, kept: Snapshot) -> Hashed | None:
    """Build the request again, to record what the new call contains.

    The record of the earlier call is not copied, because it can be missing, for example after an import. Return None if
    the request cannot be built, or if its content differs from that of the stored request.
    """
    try:
        rebuilt = await verify_run(ctx, owner, kept.run_id)
    except InviewError as error:
        log.warning("a stored request could not be built again", run_id=kept.run_id, fault=str(error))
        return None
    if rebuilt.request is None or rebuilt.hashes[-1] != kept.content_hash:
        return None
    return Hashed(rebuilt.request, rebuilt.hashes)


async def _estimate(ctx: AppContext, owner: str, pair: Pair, kept: Snapshot) -> int:
    """Return the tokens of the stored request: the estimate of its last send, otherwise an estimate from its bytes."""
    async with ctx.store.read() as session:
        if tokens := await load_request_tokens(session, owner, kept.run_id):
            return tokens
        _, profile = await ctx.catalogue.find(session, owner, kept.model)
        estimator = await load_estimator(session, owner, profile, pair.conversation_id)
    return estimator.of_text(await count_text(vocabulary_of(kept.model), kept.body.decode(errors="replace")), 1)


async def _load_terms(ctx: AppContext, head: Head, profile: ModelProfile, zone: tzinfo) -> BoundaryInputs:
    """Load the limits and the prices for a send of this model in the conversation."""
    conversation = head.conversation
    async with ctx.store.read() as session:
        estimator = await load_estimator(session, conversation.owner, profile, conversation.id)
        return state_terms(profile, estimator, await load_limits(ctx, session, head, zone), 0)


def _require_fitting(terms: BoundaryInputs, model: str, tokens: int, sent: Sent | None) -> None:
    """Check that a request of this number of tokens fits into the budget.

    Raises:
        OverBudgetError: the request exceeds the budget.
    """
    budget, reserve = budget_of(terms, RequestSizes(draft=tokens)), terms.limits.reserve
    if tokens + reserve <= budget.total:
        return
    pair_count = sum(last - first + 1 for first, last in sent or ())
    option = BudgetOption(tokens, price_tokens(terms, tokens))
    raise OverBudgetError(
        BudgetOptions(
            model=model,
            x=0,
            y=pair_count,
            limit=budget.total,
            limited_by=budget.limited_by,
            reserve=reserve,
            fit=None,
            force=option,
            summarise=None,
            stored=True,
            allowance=terms.limits.allowance_of(budget.limited_by),
        )
    )


def _require_kept_back(preferences: Preferences, conversation: Conversation, kept: Snapshot) -> None:
    """Refuse to send a request with unredacted secrets while redaction is on."""
    redact = choose_middleware(UserOptions(redact=preferences.redact), conversation.middleware).redact
    if redact and (kinds := redact_text(kept.body.decode(errors="replace")).kinds):
        raise ConflictError(
            f"The stored request contains secrets ({', '.join(sorted(set(kinds)))}), which Inview now replaces. "
            "Send a new request, or switch this off in the parameters of the conversation or in Settings → Privacy."
        )


def _read_wire(kept: Snapshot) -> WireRequest:
    """Build the request from the snapshot. The API key in the headers is masked, as in every stored request."""
    return WireRequest(kept.model, "POST", kept.url, kept.headers, kept.body)
