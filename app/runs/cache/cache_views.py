"""Views of a provider's prompt cache and its keep-alive for the API and the page."""

from __future__ import annotations

from app.domain.costs.prices import Tariff
from app.runs.cache.cache_state import ComparedCall, PrefixCacheState
from app.runs.cache.keep_alive import KeepAlive, offer_keeping
from app.runs.request.preview import Preview
from app.views.request.cache import CachedCallView, CacheStateView, CacheView, describe_cache, describe_call
from app.views.request.keep_warm import KeepWarmOfferView, KeepWarmView, describe_keeping, describe_offer


def describe_cache_state(state: PrefixCacheState, kept: KeepAlive | None) -> CacheStateView:
    """Describe the cache of a conversation and its keep-alive."""
    return CacheStateView(
        model=state.profile.model,
        style=None if state.rules is None else state.rules.style.value,
        minimum_tokens=None if state.rules is None else state.rules.minimum,
        now=state.at,
        next=None if state.next is None else describe_planned_cache(state.next, state.tariff),
        calls=tuple(map(_describe_call, state.calls)),
        offer=None if state.next is None else _describe_offer(state.next, state),
        kept=None if kept is None else describe_kept(kept),
    )


def describe_planned_cache(planned: Preview, tariff: Tariff | None) -> CacheView | None:
    """Describe the cache plan of a planned call; None if no cache of its model is known."""
    use = planned.plan.cache
    if use is None:
        return None
    positions = {pair.pair_id: pair.position for pair in planned.sent}
    at = planned.composed.base.as_of
    return describe_cache(planned.built.request, use.plan, use.broken, positions, tariff, at)


def describe_kept(kept: KeepAlive) -> KeepWarmView:
    """Describe the progress and the cost of a keep-alive."""
    one = kept.keeping
    return describe_keeping(
        one.started_at, one.until, one.ended_at, one.words, kept.spent.calls, kept.spent.cost, one.made_id
    )


def _describe_offer(planned: Preview, state: PrefixCacheState) -> KeepWarmOfferView:
    use = planned.plan.cache
    expires_at = None if use is None else use.plan.prediction.expires_at
    return describe_offer(offer_keeping(planned, state.tariff, state.at), expires_at, state.at)


def _describe_call(one: ComparedCall) -> CachedCallView:
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
