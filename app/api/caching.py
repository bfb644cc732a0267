"""Prompt caches over HTTP: what a vendor keeps of a conversation, and how predictions came out."""

from __future__ import annotations

from fastapi import APIRouter, Depends
from starlette.responses import Response

from app.api.access import Bench, Owner
from app.api.answers import answer, says
from app.api.conversations import ConversationId
from app.api.keep_warm import describe_kept
from app.api.looking import AskedLook
from app.api.negotiation import JSON, offers
from app.domain.prices import Tariff
from app.runs.cache_state import CacheState, Compared, look_at_cache
from app.runs.keeping import Kept, offer_keeping, read_keeping
from app.runs.planning import Preview
from app.views.cache import CachedCallView, CacheStateView, CacheView, describe_cache, describe_call
from app.views.keep_warm import KeepWarmOfferView, describe_offer

router = APIRouter(prefix="/conversations", tags=["sending"], dependencies=[Depends(offers(JSON))])


@router.get(
    "/{conversation_id}/cache",
    summary="See what the provider keeps of a conversation",
    description="What a send in this look would read of the provider's prompt cache, for how long that is kept, and "
    "what the look would break of it and at which price; then the newest calls, each prediction beside the provider's "
    "report. Worked out from the calls of this installation by the vendor's public rules: nothing is asked.",
    responses=says(CacheStateView, "not-found", "conflict"),
)
async def read(bench: Bench, owner: Owner, conversation_id: ConversationId, look: AskedLook) -> Response:
    kept = await read_keeping(bench, owner, conversation_id)
    return answer(_describe(await look_at_cache(bench, owner, conversation_id, look), kept))


def describe_planned_cache(planned: Preview, tariff: Tariff | None) -> CacheView | None:
    """What a planned call does with the cache, as shown."""
    use = planned.plan.cache
    if use is None:
        return None
    positions = {pair.pair_id: pair.position for pair in planned.sent}
    at = planned.composed.base.as_of
    return describe_cache(planned.built.request, use.plan, use.broken, positions, tariff, at)


def _describe(state: CacheState, kept: Kept | None) -> CacheStateView:
    return CacheStateView(
        model=state.profile.model,
        style=None if state.rules is None else state.rules.style.value,
        minimum_tokens=None if state.rules is None else state.rules.minimum,
        now=state.at,
        next=None if state.next is None else describe_planned_cache(state.next, state.tariff),
        calls=tuple(map(_describe_call, state.calls)),
        offer=None if state.next is None else _offer(state.next, state),
        kept=None if kept is None else describe_kept(kept),
    )


def _offer(planned: Preview, state: CacheState) -> KeepWarmOfferView:
    use = planned.plan.cache
    expires_at = None if use is None else use.plan.prediction.expires_at
    return describe_offer(offer_keeping(planned, state.tariff, state.at), expires_at, state.at)


def _describe_call(one: Compared) -> CachedCallView:
    use, call = one.use, one.use.call
    return describe_call(
        call.run_id,
        use.pair_id,
        call.at,
        call.marks,
        use.predicted,
        call.usage,
        one.judgement,
        one.differs,
        frozen=use.frozen,
    )
