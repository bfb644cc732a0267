"""Several models answer an existing pair again, side by side. The kept reply replaces the reply of the pair.

    compared = ComparedModels(("a:one", "b:two"))
    comparison = await compare_again(ctx, LOCAL_OWNER, pair_id, compared, ResendOptions(later=Later.KEEP))
    await keep_reply(ctx, LOCAL_OWNER, comparison.conversation_id, "b:two")

The other replies become versions of the pair. Each model gets the request that `resend_pair` would send to it: the
older pairs in view, and the request of the pair. The pair and all later pairs are unchanged until a reply is kept.
`comparisons.py` reads, keeps, discards and reopens this comparison like any other.
"""

from __future__ import annotations

from dataclasses import replace

from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.compare.comparisons import Comparison, require_models
from app.domain.errors import InputError
from app.runs.app_context import AppContext
from app.runs.compare.compared_runs import begin_comparison
from app.runs.compare.comparisons import ComparedModels, at_one_time, start_comparison
from app.runs.resend.in_place import require_unchanged
from app.runs.resend.resend import (
    USUAL_RESEND,
    Later,
    ResendOptions,
    branch_above,
    plan_resend,
    request_of_pair,
    require_seen,
)
from app.runs.runtime.ids import new_id, now
from app.runs.runtime.shielded import shielded
from app.runs.send.planning import require_counted
from app.store.conversation import pairs


@shielded
async def compare_again(
    ctx: AppContext, owner: str, pair_id: str, compared: ComparedModels, resend: ResendOptions = USUAL_RESEND
) -> Comparison:
    """Send the request of a pair to all these models.

    `compared` replaces the model, the over-budget choice and the selection in `resend`. The choice for the later pairs
    applies when a reply is kept: DISCARD deletes them then, not earlier. BRANCH ignores the selections: they name the
    pairs of this conversation, and the new conversation has copies with other ids.

    Raises:
        NotFoundError: this owner has no such pair.
        PairChangedError: the pair's version is not the one that the caller has seen.
        LaterPairsError: there are later pairs, and the caller made no choice for them, or chose to discard another
            number of them.
        SendLockedError: a reply is running in the conversation.
        ComparingError: a comparison is open in it.
        OverBudgetError: the older pairs in view exceed a model's budget, and the caller made no choice for this model.
        SelectionChangedError: a model would get other pairs than were counted for it.
        BudgetSpentError: the calls together would exceed a budget of money.
        InputError: the text of the pair is empty, or the filter, the models or the time zone cannot be used.
        ProviderError: the provider of a model lacks its key. Then no model is called.
    """
    require_models(compared.models)
    async with ctx.store.read() as session:
        pair = await pairs.load_pair(session, owner, pair_id)
        after = await pairs.load_later_ids(session, owner, pair)
    request = at_one_time(request_of_pair(pair, resend))
    if not request.text.strip() and not request.attached.parts:
        raise InputError("text", "of this pair is empty. Write something to compare replies to.")
    require_seen(pair, after, resend)
    if resend.later is Later.BRANCH:
        async with branch_above(ctx, owner, pair) as fork_id:
            return await start_comparison(ctx, owner, fork_id, request, replace(compared, selections={}))
    for model in compared.others:
        await require_counted(ctx, owner, pair.conversation_id, compared.request_to(model, request), pair.position)
    requests = [compared.request_to(model, request) for model in compared.models]
    planned = [await plan_resend(ctx, owner, pair, one, sends=True) for one in requests]
    comparison = Comparison(
        id=new_id(),
        conversation_id=pair.conversation_id,
        text=request.text,
        topic=None,
        parameters=request.parameters,
        runs=(),
        created_at=now(),
        pair_id=pair_id,
        request_id=pair.request.id,
        gone=tuple(after) if resend.later is Later.DISCARD else (),
    )

    async def require(session: AsyncSession) -> None:
        await require_unchanged(session, owner, pair)

    return await begin_comparison(ctx, owner, comparison, planned, request.attached, require)
