"""Several models answer an existing pair again, side by side. The kept reply replaces the reply of the pair.

    comparison = await compare_again(ctx, LOCAL_OWNER, pair_id, ("a:one", "b:two"), later=Later.KEEP)
    await keep_reply(ctx, LOCAL_OWNER, comparison.conversation_id, "b:two")

The other replies become versions of the pair. Each model gets the request that `resend_pair` would send to it: the
older pairs in view, and the request of the pair. The pair and all later pairs are unchanged until a reply is kept.
`comparisons.py` reads, keeps, discards and reopens this comparison like any other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.compare.comparisons import Comparison, require_models
from app.domain.conversation.conversation import Parameters
from app.domain.conversation.parameters import NO_PARAMETERS
from app.domain.conversation.parts import list_attached, plain_text
from app.domain.errors import InputError
from app.domain.settings.preferences import OverBudget
from app.runs.app_context import AppContext
from app.runs.compare.compared_runs import begin_comparison
from app.runs.compare.comparisons import NO_CHOICES, NOTHING_COUNTED, ComparedModels, start_comparison
from app.runs.request.attachments import AttachedParts
from app.runs.resend.in_place import require_unchanged
from app.runs.resend.resend import (
    NOTHING_SEEN,
    Later,
    Seen,
    branch_above,
    plan_resend,
    require_seen,
)
from app.runs.runtime.ids import new_id, now
from app.runs.runtime.shielded import shielded
from app.runs.send.context_selection import ViewOptions
from app.runs.send.planning import require_counted
from app.runs.send.send_request import DEFAULT_OPTIONS, SendRequest
from app.store.conversation import pairs


@shielded
async def compare_again(  # noqa: PLR0913 - the options of a send
    ctx: AppContext,
    owner: str,
    pair_id: str,
    models: Sequence[str],
    options: ViewOptions = DEFAULT_OPTIONS,
    *,
    parameters: Parameters | None = None,
    later: Later | None = None,
    over_budget: Mapping[str, OverBudget] = NO_CHOICES,
    seen: Seen = NOTHING_SEEN,
    selections: Mapping[str, str] = NOTHING_COUNTED,
) -> Comparison:
    """Send the request of a pair to all these models. The model in `options` is ignored.

    - `over_budget`: for each model, the choice for a view that exceeds its budget; without one, the preferences decide.
      A choice never applies to another model.
    - `selections`: for each model, the pairs that an estimate counted, as a short text.
    - `later`: the choice for the later pairs. KEEP: they stay. DISCARD: they are deleted when a reply is kept, not
      earlier. BRANCH: the request is sent as a new one in a new conversation with copies of the earlier pairs. Then
      `selections` is ignored, because the pairs that were counted are not the copies.

    Raises:
        NotFoundError: this owner has no such pair.
        PairChangedError: the pair's version is not the one in `seen`.
        LaterPairsError: there are later pairs, and `later` is None or was chosen for another number of them.
        SendLockedError: a reply is running in the conversation.
        ComparingError: a comparison is open in it.
        OverBudgetError: the older pairs in view exceed a model's budget, and the caller made no choice for this model.
        SelectionChangedError: a model would get other pairs than were counted for it.
        BudgetSpentError: the calls together would exceed a budget of money.
        InputError: the text of the pair is empty, or the filter, the models or the time zone cannot be used.
        ProviderError: the provider of a model lacks its key. Then no model is called.
    """
    require_models(models)
    async with ctx.store.read() as session:
        pair = await pairs.load_pair(session, owner, pair_id)
        after = await pairs.load_later_ids(session, owner, pair)
    text, attached = plain_text(pair.request.parts), AttachedParts(list_attached(pair.request.parts))
    if not text.strip() and not attached.parts:
        raise InputError("text", "of this pair is empty. Write something to compare replies to.")
    require_seen(pair, after, later, seen)
    if later is Later.BRANCH:
        again = pair if parameters is None else None
        async with branch_above(ctx, owner, pair) as fork_id:
            compared = ComparedModels(models, over_budget)
            send = SendRequest(text, options, parameters or NO_PARAMETERS, attached=attached, again=again)
            return await start_comparison(ctx, owner, fork_id, send, compared)
    for model in selections.keys() - set(models):
        of_model, choice = replace(options, model=model), over_budget.get(model)
        send = SendRequest(text, of_model, parameters or NO_PARAMETERS, choice, selections[model], attached)
        await require_counted(ctx, owner, pair.conversation_id, send, pair.position)
    planned = [
        await plan_resend(
            ctx,
            owner,
            pair,
            text,
            replace(options, model=model),
            parameters,
            over_budget=over_budget.get(model),
            sends=True,
            selection=selections.get(model),
        )
        for model in models
    ]
    comparison = Comparison(
        id=new_id(),
        conversation_id=pair.conversation_id,
        text=text,
        topic=None,
        parameters=parameters or NO_PARAMETERS,
        runs=(),
        created_at=now(),
        pair_id=pair_id,
        request_id=pair.request.id,
        gone=tuple(after) if later is Later.DISCARD else (),
    )

    async def require(session: AsyncSession) -> None:
        await require_unchanged(session, owner, pair)

    return await begin_comparison(ctx, owner, comparison, planned, attached, require)
