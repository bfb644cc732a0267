"""The plan of a send: the one provider call that an intent would make, from what is in view to the bytes.

    planned = await preview_send(wb, owner, NewSend(conversation_id, "Hello"))
    planned.wire.body

The same for a preview, a send, a pair that is sent again and each model of a comparison. Nothing is called or stored
here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

from app.domain.context.composition import Candidate
from app.domain.context.context import BuiltRequest
from app.domain.context.over_budget import OverBudgetError
from app.domain.context.selection import SelectionChangedError, holds
from app.domain.conversation.conversation import NEVER_SENT, Pair, Parameters, ToolMode
from app.domain.conversation.parameters import choose_among, merge_parameters
from app.domain.conversation.parts import Text
from app.domain.errors import ConflictError, ErrorClass, InputError, ProviderError, SendLockedError, failure
from app.domain.filters.conditions.selection import selects_unmarked
from app.domain.filters.language.syntax import Recent, RecentOfTopic, leaves
from app.domain.preferences import OverBudget
from app.providers.models.fitting import fit_parameters, require_taken
from app.runs.library.abilities import join_or, list_capable
from app.runs.request.attachments import load_named
from app.runs.request.bases import Base
from app.runs.request.caches import load_caching
from app.runs.request.preview import Composed, Preview
from app.runs.request.send_plan import build_view, plan_request, require_same
from app.runs.send.client_tools import offer_client_tools
from app.runs.send.context_selection import ATTEMPTS, DraftContent, ViewOptions, compose_base, cut_base, read_base
from app.runs.send.intents import DEFAULT_OPTIONS, Branch, Intent, NewSend, Resend, SendOptions
from app.runs.send.over_budget import list_budget_options
from app.runs.send.structured_replies import require_schema
from app.runs.usage.allowances import require_model
from app.runs.usage.budgets import require_budgets
from app.runs.workbench import Workbench
from app.store.ledger.ledger import load_request_tokens

LESS_THAN_REFUSED = Decimal("0.75")
"""Of a request that its provider found too long, so much is offered next: what its window really is nobody said."""


async def plan_send(wb: Workbench, owner: str, intent: Intent, options: SendOptions = DEFAULT_OPTIONS) -> Preview:
    """The call that this intent makes. What cannot be sent now is refused.

    Raises:
        NotFoundError: no such conversation of this owner.
        SendLockedError: a reply is running in it.
        OverBudgetError: more is in view than may be sent, and neither options nor preferences say what to do about it.
        SelectionChangedError: it would carry other pairs than the options' selection.
        BudgetSpentError: it would go beyond a budget of money.
        ModelNotAllowedError: the role of the owner may not use the model.
        FilterError: the filter cannot be used.
        InputError: the text, the model or the time zone cannot be used.
        ProviderError: the provider lacks its key.
    """
    return await _plan(wb, owner, intent, options, sends=True)


async def preview_send(wb: Workbench, owner: str, intent: Intent, options: SendOptions = DEFAULT_OPTIONS) -> Preview:
    """Exactly what this intent would send, also if it could not be sent now. Nothing is called or stored.

    Pairs that do not fit are out, as the page shows them, unless the options, or else the preferences, force them in.

    Raises:
        NotFoundError: no such conversation of this owner.
        FilterError: the filter cannot be used.
        InputError: the text, the model or the time zone cannot be used.
    """
    return await _plan(wb, owner, intent, options, sends=False)


async def _plan(wb: Workbench, owner: str, intent: Intent, options: SendOptions, *, sends: bool) -> Preview:
    text, attached, conversation_id, asked = intent.text, intent.attached, intent.conversation_id, options.asked
    require_text("text", text)
    for _ in range(ATTEMPTS):
        base = await _read_base(wb, owner, intent, options.view_options)
        if isinstance(intent, NewSend) and intent.client_tools is not None:
            base = await offer_client_tools(base, intent.client_tools)
        require_taken(asked, base.provider, base.profile)
        if sends:
            await require_model(wb, owner, base.profile.model)
            require_sendable(base)
        draft = DraftContent(text, asked.reply_schema, attached.parts)
        composed = await compose_base(base, draft, forced=False if sends else options.forced)
        if sends and composed.composition.over_budget:
            composed = await _decide(wb, composed, draft, options.over_budget)
        if options.selection is not None:
            require_selection(composed, options.selection)
        if sends:
            await require_budgets(wb, owner, base.conversation, composed.composition.estimate.cost)
        sent = composed.composition.sent
        pairs = await load_sent(wb, base, sent)
        if pairs is not None:
            break
    else:
        raise ConflictError(f"Conversation {conversation_id!r} changes faster than it can be read. Try again.")
    _require_for_models(pairs)
    asked = choose_among(
        merge_parameters(asked, _usual_of(base, intent, options)), {tool.name for tool in composed.tools.definitions}
    )
    if asked.reply_schema is not None:  # that of a pair that is sent again may come from a file
        await require_schema(asked.reply_schema)
    parts = (*((Text(text),) if text.strip() else ()), *attached.parts)
    view = build_view(base.conversation, base.agent, pairs, parts, asked, composed.tools.definitions, base.beside)
    caching = await load_caching(
        wb.store,
        owner,
        base.profile,
        tokens=composed.composition.estimate.tokens,
        conversation_id=conversation_id,
        unstable=0 if isinstance(intent, Resend) else _count_unstable(composed),
        tools_apart=base.conversation.tool_mode is ToolMode.CACHED,
    )
    attachments = {**attached.data, **await load_named(wb.store, owner, view)}
    known = wb.sent_pairs.hashes_of(conversation_id)
    plan = await plan_request(view, base.profile, base.provider, known, caching=caching, attachments=attachments)
    require_same(plan.built, sent)
    if sends:
        await _require_supported(wb, base, plan.built, whole=intent.purpose == "gateway")
    wb.sent_pairs.remember(conversation_id, plan.hashed)
    return Preview(composed, sent, plan)


async def _read_base(wb: Workbench, owner: str, intent: Intent, view_options: ViewOptions) -> Base:
    """The base set of the conversation; for a pair that is sent again in its place, of the pairs above it."""
    base = await read_base(wb, owner, intent.conversation_id, view_options)
    match intent:
        case NewSend() | Branch():
            return base
        case Resend(pair=pair):
            base = cut_base(base, pair.position)
            refused = await _load_refused(wb, owner, pair, view_options)
            return base if refused is None else _narrow(base, refused)


async def _load_refused(wb: Workbench, owner: str, pair: Pair, view_options: ViewOptions) -> int | None:
    """How many tokens the provider found too long for this model when the pair was sent the last time."""
    too_long = pair.failure is not None and pair.failure.error_class is ErrorClass.CONTEXT_LENGTH
    if not too_long or pair.run_id is None or view_options.model not in {None, pair.model}:
        return None
    async with wb.store.read() as session:
        return await load_request_tokens(session, owner, pair.run_id)


def _usual_of(base: Base, intent: Intent, options: SendOptions) -> Parameters:
    """What the parameters of the send go before. A pair that is sent again is asked as it was, under the same agent."""
    match intent:
        case NewSend():
            return base.usual
        case Resend(pair=pair) | Branch(pair=pair):
            if options.parameters is not None or pair.agent_id != base.conversation.agent_id:
                return base.usual
            return merge_parameters(base.own, fit_parameters(pair.parameters, base.provider, base.profile)[0])


def _narrow(base: Base, refused: int) -> Base:
    """The base with a window in which clearly less than what was refused fits."""
    limits = base.terms.limits
    total = int(refused * LESS_THAN_REFUSED) + limits.reserve
    window = int(total / limits.soft_cap)
    return replace(base, terms=replace(base.terms, window=min(base.terms.window, window)), views={})


def _count_unstable(composed: Composed) -> int | None:
    """How many of the newest messages the next send will not have: None where it will have the system text alone.

    Where no more pairs are sent than the newest few, by the filter or for want of room, the oldest falls out with every
    send. And where the filter hides the newest pair, it will most likely hide the one that is being written as well;
    it surely will where it asks for stars, a flag or a mark, for what is being written has none.
    """
    composition = composed.composition
    if composition.boundary is not None or _falls_out(composed):
        return None
    newest = composed.base.index.newest_sendable or 0
    hidden = (composition.visible.newest or 0) < newest or selects_unmarked(composed.base.tree) is False
    return 1 if hidden else 0


def _falls_out(composed: Composed) -> bool:
    """Whether the oldest pair sent will be too old for a filter of the newest few as soon as there is one pair more."""
    counts = [leaf.count for leaf in leaves(composed.base.tree) if isinstance(leaf, Recent | RecentOfTopic)]
    first = composed.composition.first_sent
    if not counts or first is None:
        return False
    too_old = composed.base.index.newest(min(counts))
    return too_old is not None and first.position <= too_old


async def load_sent(wb: Workbench, base: Base, sent: Sequence[Candidate]) -> tuple[Pair, ...] | None:
    """The pairs of a base that are to be sent, as they were when it was read; None: they have changed since.

    Also where some are found to be damaged: in the next base they are OUT.
    """
    conversation_id = base.conversation.id
    pairs = await wb.sent_pairs.load(wb.store, base.owner, conversation_id, sent)
    damaged = [pair for pair in pairs or () if pair.damage]
    if not damaged:
        return pairs
    wb.sent_pairs.forget(conversation_id)
    wb.damages.note(base.owner, damaged)
    return None


async def require_counted(wb: Workbench, owner: str, intent: Intent, options: SendOptions, selection: str) -> None:
    """Refuse if a model that is not asked itself would be sent other pairs than were counted for it, its `selection`.

    Raises:
        SelectionChangedError: it would.
        InviewError: as `plan_send`.
    """
    base = await read_base(wb, owner, intent.conversation_id, options.view_options)
    if isinstance(intent, Resend):
        base = cut_base(base, intent.pair.position)
    draft = DraftContent(intent.text, options.asked.reply_schema, intent.attached.parts)
    require_selection(await compose_base(base, draft, forced=options.forced), selection)


def require_selection(composed: Composed, selection: str) -> None:
    """Refuse to send other pairs than those that were counted.

    Raises:
        SelectionChangedError: it would carry others.
    """
    if not holds(selection, composed.composition.sent):
        model = composed.base.profile.model
        raise SelectionChangedError(composed.composition, composed.selection, selection, model)


def require_sendable(base: Base) -> None:
    if not base.provider.ready:
        raise ProviderError(failure(ErrorClass.AUTH, f'No key for provider "{base.provider.name}".'))
    if base.running is not None:
        raise SendLockedError(base.conversation.id)


def _require_for_models(pairs: Sequence[Pair]) -> None:
    if any(pair.request.role in NEVER_SENT for pair in pairs):
        raise ConflictError(
            "This conversation holds the request for a title or a summary, which is never sent along. "
            "Look at it here, and send from the conversation it was made for."
        )


async def _decide(wb: Workbench, composed: Composed, draft: DraftContent, choice: OverBudget | None) -> Composed:
    """What is sent of more than fits, as was chosen for this send or for all of them."""
    match choice or composed.base.over_budget:
        case OverBudget.FIT:
            return composed
        case OverBudget.FORCE:
            return await compose_base(composed.base, draft, forced=True)
        case OverBudget.ASK:
            raise OverBudgetError(await list_budget_options(wb, composed, draft))


async def _require_supported(wb: Workbench, base: Base, built: BuiltRequest, *, whole: bool) -> None:
    """Refuse to send a draft without what is attached to it; with `whole`, also its pairs without what they hold.

    Raises:
        InputError: the model does not take an image or a file. It names models that do.
    """
    lacking = [one for one in built.unsupported if one.pair_id is None or (whole and one.kind in {"image", "file"})]
    if not lacking:
        return
    kinds = {one.kind for one in lacking}
    others = await list_capable(wb, base.owner, images="image" in kinds, files="file" in kinds)
    choice = f"Choose a model that does, such as {join_or([one.name for one in others])}" if others else "Remove it"
    if "file" in kinds:
        choice += ", or attach it as text"
    raise InputError("attachments", f"cannot be sent: {lacking[0].reason} {choice}.")


def require_text(field: str, text: str) -> None:
    """Refuse what no provider and no database could take.

    Raises:
        InputError: it has half a character.
    """
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InputError(field, f"has half a character at place {error.start}. Correct it there.") from None
