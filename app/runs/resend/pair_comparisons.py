"""Answering a pair again by two to four models side by side: one reply is kept in its place, the others as versions.

    comparison = await compare_again(wb, LOCAL_OWNER, pair_id, ("a:one", "b:two"), later=Later.KEEP)
    await keep_reply(wb, LOCAL_OWNER, comparison.conversation_id, "b:two")

What each model is sent is what `resend_pair` would send it: the pairs in view above this one. Until one is kept the
pair, and what stands after it, is as it was; `comparisons.py` reads, keeps, discards and reopens this comparison as
any.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.conversation.comparisons import Comparison, require_models
from app.domain.conversation.conversation import Parameters
from app.domain.conversation.parameters import NO_PARAMETERS
from app.domain.conversation.parts import list_attached, plain_text
from app.domain.errors import InputError
from app.domain.preferences import OverBudget
from app.runs.process.ids import new_id, now
from app.runs.process.shielded import shielded
from app.runs.request.attachments import Attached
from app.runs.resend.compared_runs import begin_comparison
from app.runs.resend.comparisons import NOTHING_COUNTED, start_comparison
from app.runs.resend.in_place import require_unchanged
from app.runs.resend.resend import (
    NOTHING_SEEN,
    Later,
    Seen,
    branch_above,
    plan_resend,
    require_seen,
)
from app.runs.send.commands import LOOK
from app.runs.send.context_selection import ViewOptions
from app.runs.send.planning import Counted, require_counted
from app.runs.workbench import Workbench
from app.store.conversation import pairs


@shielded
async def compare_again(  # noqa: PLR0913 - what a send is made of
    wb: Workbench,
    owner: str,
    pair_id: str,
    models: Sequence[str],
    look: ViewOptions = LOOK,
    *,
    parameters: Parameters | None = None,
    later: Later | None = None,
    over_budget: OverBudget | None = None,
    seen: Seen = NOTHING_SEEN,
    selections: Mapping[str, str] = NOTHING_COUNTED,
) -> Comparison:
    """Put the request of a pair to these models at once. The model of the look does not matter.

    `selections`: the pairs that whoever asks has seen counted, by the model for which. A branch has pairs of its own.
    `later`: what becomes of the pairs after it. Those to be discarded leave when a reply is kept, not before; to
    branch is to compare in a new conversation with copies of the pairs above, as a request that is new there.

    Raises:
        NotFoundError: no such pair of this owner.
        PairChangedError: it is not what was `seen`.
        LaterPairsError: pairs stand after it, and `later` does not say what becomes of them, or not of so many.
        SendLockedError: a reply is running in the conversation.
        ComparingError: a comparison is open in it.
        OverBudgetError: more is in view above it than may be sent to one of them, and nobody said what to do about it.
        SelectionChangedError: a model would be sent other pairs than were counted for it.
        BudgetSpentError: all of them together would go beyond a budget of money.
        InputError: the filter, the models or the time zone cannot be used.
        ProviderError: the provider of one of them lacks its key. Then none is asked.
    """
    require_models(models)
    async with wb.store.read() as session:
        pair = await pairs.load_pair(session, owner, pair_id)
        after = await pairs.load_later_ids(session, owner, pair)
    text, attached = plain_text(pair.request.parts), Attached(list_attached(pair.request.parts))
    if not text.strip() and not attached.parts:
        raise InputError("text", "of this pair is empty. Write something to compare replies to.")
    require_seen(pair, after, later, seen)
    if later is Later.BRANCH:
        again = pair if parameters is None else None
        async with branch_above(wb, owner, pair) as fork_id:
            return await start_comparison(
                wb,
                owner,
                fork_id,
                text,
                models,
                look,
                parameters=parameters,
                over_budget=over_budget,
                again=again,
                attached=attached,
            )
    for model in selections.keys() - set(models):
        schema = (parameters or NO_PARAMETERS).reply_schema
        counted = Counted(
            replace(look, model=model), selections[model], over_budget, schema, pair.position, attached.parts
        )
        await require_counted(wb, owner, pair.conversation_id, text, counted)
    planned = [
        await plan_resend(
            wb,
            owner,
            pair,
            text,
            replace(look, model=model),
            parameters,
            over_budget=over_budget,
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

    return await begin_comparison(wb, owner, comparison, planned, attached, require)
