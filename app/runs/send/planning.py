"""The plan of a send: the provider call for a text, from the pairs in view to the bytes.

    planned = await plan_reply(ctx, owner, conversation_id, PlanRequest(SendRequest("Hello", options)))
    planned.wire.body

A preview, a send and a resend all use it. No provider is called and nothing is stored here.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from app.domain.cache.plan import CallToCache
from app.domain.context.composition import BoundaryInputs, Candidate
from app.domain.context.context import list_refused
from app.domain.context.over_budget import OverBudgetError
from app.domain.context.seen_selection import SelectionChangedError, holds
from app.domain.conversation.conversation import NEVER_SENT, Conversation, Pair, Parameters, ToolMode
from app.domain.conversation.parameters import merge_parameters, require_parameters
from app.domain.conversation.parts import Part
from app.domain.conversation.text_size import require_text_size
from app.domain.errors import ConflictError, InputError, NoKeyError, SendLockedError
from app.domain.filters.evaluation.selection import selects_unmarked
from app.domain.filters.language.syntax import Recent, RecentOfTopic, leaves
from app.domain.models.model_profile import split_model_name
from app.domain.retry_policy import require_retries
from app.domain.settings.preferences import OverBudget
from app.providers.models.fitting import fit_parameters, require_taken
from app.runs.app_context import AppContext
from app.runs.request.attachments import load_named, write_request
from app.runs.request.caches import load_caching
from app.runs.request.context_snapshots import ContextSnapshot
from app.runs.request.preview import Composed, Preview
from app.runs.request.send_plan import build_view, plan_send, require_same
from app.runs.send.composition import compose_base
from app.runs.send.context_selection import ATTEMPTS, parse_filter_line, read_base
from app.runs.send.over_budget import list_ways_out
from app.runs.send.send_request import SendRequest
from app.runs.send.structured_replies import require_schema
from app.runs.settings.abilities import join_or, list_capable
from app.runs.usage.budgets import require_budgets

LESS_THAN_REFUSED = Decimal("0.75")
"""The maximum size of a request after a provider rejected a longer one as too long, as a share of the rejected tokens.

The rejection shows only that the model's real window is smaller than that request, not how large the window is.
"""


@dataclass(frozen=True, slots=True)
class PlanRequest:
    """The input of a plan in addition to the context snapshot.

    - `send`: the text and the options of the send.
    - `sends`: raise an error if the call cannot be made now, or if pairs do not fit and no choice was made for them.
    - `before`: only pairs with a lower position are in view, as for a pair that is sent again.
    """

    send: SendRequest
    sends: bool = False
    before: int | None = None


async def plan_reply(
    ctx: AppContext, owner: str, conversation_id: str, request: PlanRequest, *, refused: int | None = None
) -> Preview:
    """Plan the call of a send in this conversation.

    `refused` is a number of tokens that the provider rejected as too long for this model, although its known window may
    be larger.

    Raises:
        NotFoundError: this owner has no such conversation.
        DamagedSettingError: a setting of the conversation cannot be read.
        SendLockedError: a reply is running in it.
        OverBudgetError: the request exceeds its budget, and neither the caller nor the preferences chose what to do.
        SelectionChangedError: the request would carry other pairs than the selection.
        BudgetSpentError: the request would exceed a budget of money.
        FilterError: the filter cannot be used.
        InputError: the text, the model or the time zone cannot be used.
        NoKeyError: the provider lacks its key.
    """

    async def read() -> ContextSnapshot:
        base = await read_base(ctx, owner, conversation_id, request.send.options, sends=True, before=request.before)
        return base if refused is None else replace(base, terms=narrow_terms(base.terms, refused), views={})

    return await plan_request(ctx, read, request)


async def plan_request(
    ctx: AppContext, read: Callable[[], Awaitable[ContextSnapshot]], request: PlanRequest
) -> Preview:
    """Plan the call of a send from the context snapshot that `read` returns.

    If a pair changes while the call is planned, `read` is called again, a few times at most.

    Raises:
        InviewError: as for `plan_reply`, and the errors of `read`.
    """
    require_text("text", request.send.text)
    for _ in range(ATTEMPTS):
        base = await read()
        composed = await _compose(ctx, base, request)
        pairs = await load_pairs_to_send(ctx, base, composed.composition.sent)
        if pairs is not None:
            return await _plan(ctx, composed, pairs, request)
    raise ConflictError("This conversation changed while Inview read it. Try again.")


async def _compose(ctx: AppContext, base: ContextSnapshot, request: PlanRequest) -> Composed:
    """Select the pairs in view and the pairs that are sent, and make all checks that need no texts of pairs."""
    send = request.send
    require_taken(send.parameters, base.provider, base.profile)
    if request.sends:
        require_sendable(base)
        await _require_supported(ctx, base, send.attached.parts)
    composed = await _compose_send(base, send, forced=False if request.sends else send.forced)
    if request.sends and composed.composition.over_budget:
        composed = await _decide(ctx, composed, send)
    if send.selection is not None:
        require_selection(composed, send.selection)
    if request.sends:
        await require_budgets(ctx, base.owner, base.conversation, composed.composition.estimate.cost)
    return composed


async def _compose_send(base: ContextSnapshot, send: SendRequest, *, forced: bool | None) -> Composed:
    schema, attached = send.parameters.reply_schema, send.attached.parts
    return await compose_base(base, send.text, forced=forced, schema=schema, attached=attached)


async def _plan(ctx: AppContext, composed: Composed, pairs: tuple[Pair, ...], request: PlanRequest) -> Preview:
    """Plan the call with these pairs, which the composition selected for the send."""
    base, sent, send = composed.base, composed.composition.sent, request.send
    conversation_id = base.conversation.id
    _require_for_models(pairs)
    parameters = merge_parameters(send.parameters, _usual_of(base, send.again))
    if parameters.reply_schema is not None:  # the schema of a pair that is sent again may come from an imported file
        await require_schema(parameters.reply_schema, account=conversation_id)
    view = build_view(
        base.conversation,
        base.agent,
        pairs,
        write_request(send.text, send.attached),
        parameters,
        composed.tools.definitions,
        base.extras,
    )
    call = CallToCache(
        conversation_id,
        composed.composition.estimate.tokens,
        unstable=_count_unstable(composed, request.before),
        tools_apart=base.conversation.tool_mode is ToolMode.CACHED,
    )
    caching = await load_caching(ctx.store, base.owner, base.profile, call)
    attachments = {**send.attached.data, **await load_named(ctx.store, base.owner, view)}
    known = ctx.sent_pairs.hashes_of(conversation_id)
    plan = await plan_send(view, base.profile, base.provider, known, caching=caching, attachments=attachments)
    require_same(plan.built, sent)
    ctx.sent_pairs.remember(conversation_id, plan.hashed)
    return Preview(composed, sent, plan)


def _usual_of(base: ContextSnapshot, again: Pair | None) -> Parameters:
    if again is None or again.agent_id != base.conversation.agent_id:
        return base.usual
    return merge_parameters(base.own, fit_parameters(again.parameters, base.provider, base.profile)[0])


def narrow_terms(terms: BoundaryInputs, refused: int) -> BoundaryInputs:
    """Return `terms` with a smaller model window, because the provider rejected `refused` tokens as too long."""
    limits = terms.limits
    total = int(refused * LESS_THAN_REFUSED) + limits.reserve
    return replace(terms, window=min(terms.window, int(total / limits.soft_cap)))


def _count_unstable(composed: Composed, before: int | None) -> int | None:
    """Return how many of the newest messages the next send will probably leave out, so that they need not be cached.

    - None: the two sends will share only the system text. The budget, or a filter of the newest pairs such as `r5`,
      limits what is sent, so each send leaves out the oldest pair of the previous send.
    - 1: the filter will probably hide the new pair, because it hides the newest one. A filter that requires stars, a
      flag or a tag certainly hides the new pair, which has none.
    """
    composition = composed.composition
    if composition.boundary is not None or _falls_out(composed):
        return None
    if before is not None:
        return 0
    newest = composed.base.index.newest_sendable or 0
    hidden = (composition.visible.newest or 0) < newest or selects_unmarked(composed.base.tree) is False
    return 1 if hidden else 0


def _falls_out(composed: Composed) -> bool:
    """Return True if one more pair makes the oldest sent pair too old for a filter of the newest pairs."""
    counts = [leaf.count for leaf in leaves(composed.base.tree) if isinstance(leaf, Recent | RecentOfTopic)]
    first = composed.composition.first_sent
    if not counts or first is None:
        return False
    too_old = composed.base.index.newest(min(counts))
    return too_old is not None and first.position <= too_old


async def load_pairs_to_send(
    ctx: AppContext, base: ContextSnapshot, sent: Sequence[Candidate]
) -> tuple[Pair, ...] | None:
    """Load the pairs to send. Return None if one of them has changed since the context snapshot (`base`) was read.

    A pair that cannot be read completely counts as changed: the next snapshot leaves it out.
    """
    pairs = await ctx.sent_pairs.load(ctx.store, base.owner, base.conversation.id, sent)
    if pairs is not None and await ctx.indexer.note_damage(base.owner, pairs):
        return None
    return pairs


async def require_counted(
    ctx: AppContext, owner: str, conversation_id: str, send: SendRequest, before: int | None = None
) -> None:
    """Check that this send to one model of a comparison would carry exactly the pairs in its selection, if it has one.

    If `before` is set, only pairs with a lower position are in view.

    Raises:
        SelectionChangedError: it would carry other pairs.
        InviewError: as for `plan_reply`.
    """
    base = await read_base(ctx, owner, conversation_id, send.options, sends=True, before=before)
    composed = await _compose_send(base, send, forced=send.forced)
    if send.selection is not None:
        require_selection(composed, send.selection)


def require_selection(composed: Composed, selection: str) -> None:
    """Check that the composed send carries exactly the pairs that this text names (`seen_selection.py`).

    Raises:
        SelectionChangedError: it would carry other pairs.
    """
    if not holds(selection, composed.composition.sent):
        model = composed.base.profile.model
        raise SelectionChangedError(composed.composition, composed.selection, selection, model)


def require_sendable(base: ContextSnapshot) -> None:
    if not base.provider.ready:
        raise NoKeyError(base.provider.name)
    if base.running is not None:
        raise SendLockedError(base.conversation.id)


def _require_for_models(pairs: Sequence[Pair]) -> None:
    if any(pair.request.role in NEVER_SENT for pair in pairs):
        raise ConflictError(
            "This conversation holds a title or summary call, so you cannot send in it. Send in the conversation "
            "that it belongs to."
        )


async def _decide(ctx: AppContext, composed: Composed, send: SendRequest) -> Composed:
    """Apply the choice for pairs that do not fit into the budget: that of this send, or else that of the preferences.

    Raises:
        OverBudgetError: the choice is to ask, or the message does not fit even without pairs.
    """
    match send.over_budget or composed.base.over_budget:
        case OverBudget.FIT if not composed.composition.too_large_alone:
            return composed
        case OverBudget.FORCE:
            return await _compose_send(composed.base, send, forced=True)
        case OverBudget.FIT | OverBudget.ASK:
            raise OverBudgetError(await list_ways_out(ctx, composed, send.text, send.parameters))


async def _require_supported(ctx: AppContext, base: ContextSnapshot, attached: tuple[Part, ...]) -> None:
    """Refuse a draft with attachments that the model does not accept.

    Raises:
        InputError: the model does not accept an image or a file. The message names models that do.
    """
    lacking = list_refused(attached, base.profile)
    if not lacking:
        return
    kinds = {one.kind for one in lacking}
    async with ctx.store.read() as session:
        providers = await ctx.catalogue.providers(session, base.owner)
    others = await list_capable(ctx, providers.values(), images="image" in kinds, files="file" in kinds)
    choice = f"Choose a model that does, such as {join_or([one.name for one in others])}" if others else "Remove it"
    raise InputError("attachments", f"cannot be sent: {lacking[0].reason} {choice}.")


def require_text(field: str, text: str) -> None:
    """Refuse a text that no provider and no database accepts, or that would take too much memory.

    Raises:
        InputError: the text has an incomplete character (a lone surrogate), or is too large.
    """
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InputError(
            field, f"has an incomplete character (a lone surrogate) at position {error.start}. Correct it."
        ) from None
    require_text_size(field, text)


def require_valid(conversation: Conversation) -> None:
    """Check that the texts, parameters, model name and filter of a conversation are valid.

    Raises:
        InputError: one of these values is invalid.
    """
    for field in ("title", "system_prompt", "filter"):
        require_text(field, getattr(conversation, field))
    require_parameters(conversation.parameters)
    require_retries(conversation.retry_limits)
    if conversation.model is not None:
        split_model_name(conversation.model)
    parse_filter_line(conversation.filter)
