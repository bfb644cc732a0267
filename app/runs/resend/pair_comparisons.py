"""Answering a pair again by two to four models side by side: one reply is kept in its place, the others as versions.

    comparison = await compare_again(wb, owner, Replacement(pair_id, later=Later.KEEP), ComparedModels(models))
    await keep_reply(wb, LOCAL_OWNER, comparison.conversation_id, "b:two")

What each model is sent is what `resend_pair` would send it: the pairs in view above this one. Until one is kept the
pair, and what stands after it, is as it was; `comparisons.py` reads, keeps, discards and reopens this comparison as
any.
"""

from __future__ import annotations

from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.conversation.comparisons import Comparison, require_models
from app.domain.conversation.parts import list_attached, plain_text
from app.domain.errors import InputError
from app.runs.process.ids import new_id, now
from app.runs.process.shielded import shielded
from app.runs.request.attachments import Attached
from app.runs.resend.compared_runs import ComparedModels, begin_comparison, plan_compared
from app.runs.resend.comparisons import start_comparison
from app.runs.resend.in_place import require_unchanged
from app.runs.resend.resend import (
    Later,
    Replacement,
    branch_above,
    require_seen,
)
from app.runs.send.intents import DEFAULT_OPTIONS, Branch, Resend, SendOptions
from app.runs.workbench import Workbench
from app.store.conversation import pairs


@shielded
async def compare_again(
    wb: Workbench,
    owner: str,
    replacement: Replacement,
    models: ComparedModels,
    options: SendOptions = DEFAULT_OPTIONS,
) -> Comparison:
    """Put the request of a pair to these models at once. The model and the selection of the options do not matter.

    Pairs after it that are to be discarded leave when a reply is kept, not before; to branch is to compare in a new
    conversation with copies of the pairs above, as a request that is new there.

    Raises:
        NotFoundError: no such pair of this owner.
        PairChangedError: it is not what was `seen`.
        LaterPairsError: pairs come after it, and `later` does not say what becomes of them, or not of so many.
        SendLockedError: a reply is running in the conversation.
        ComparingError: a comparison is open in it.
        OverBudgetError: more is in view above it than may be sent to one of them, and no option was chosen.
        SelectionChangedError: a model would be sent other pairs than were counted for it.
        BudgetSpentError: all of them together would go beyond a budget of money.
        InputError: the filter, the models or the time zone cannot be used.
        ProviderError: the provider of one of them lacks its key. Then none is asked.
    """
    require_models(models.names)
    later, pair_id = replacement.later, replacement.pair_id
    async with wb.store.read() as session:
        pair = await pairs.load_pair(session, owner, pair_id)
        after = await pairs.load_later_ids(session, owner, pair)
    text, attached = plain_text(pair.request.parts), Attached(list_attached(pair.request.parts))
    if not text.strip() and not attached.parts:
        raise InputError("text", "of this pair is empty. Write something to compare replies to.")
    require_seen(pair, after, later, replacement.seen)
    if later is Later.BRANCH:
        async with branch_above(wb, owner, pair) as fork_id:
            own = ComparedModels(models.names)  # a branch has pairs of its own
            return await start_comparison(wb, owner, Branch(fork_id, pair, text), own, options)
    planned = await plan_compared(wb, owner, Resend(pair, text), models, options)
    comparison = Comparison(
        id=new_id(),
        conversation_id=pair.conversation_id,
        text=text,
        topic=None,
        parameters=options.asked,
        runs=(),
        created_at=now(),
        pair_id=pair_id,
        request_id=pair.request.id,
        gone=tuple(after) if later is Later.DISCARD else (),
    )

    async def require(session: AsyncSession) -> None:
        await require_unchanged(session, owner, pair)

    return await begin_comparison(wb, comparison, planned, attached, require)
