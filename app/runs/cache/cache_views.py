"""Views of a provider's prompt cache and its keep-alive for the API and the page."""

from __future__ import annotations

from decimal import Decimal

from app.domain.costs.prices import Tariff
from app.runs.cache.cache_state import ComparedCall, PrefixCacheState
from app.runs.cache.keep_alive import KeepAlive, offer_keeping
from app.runs.request.preview import Preview
from app.views.request.cache import CachedCallView, CacheStateView, CacheView, describe_cache
from app.views.request.composition import describe_cost
from app.views.request.keep_warm import KeepWarmOfferView, KeepWarmView, describe_offer


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
    """Describe the cache plan of a planned call. Return None if no cache of its model is known."""
    use = planned.plan.cache
    if use is None:
        return None
    positions = {pair.pair_id: pair.position for pair in planned.sent}
    at = planned.composed.base.as_of
    return describe_cache(planned.built.request, use.plan, use.broken, positions, tariff, at)


def describe_kept(kept: KeepAlive) -> KeepWarmView:
    """Describe the progress and the cost of a keep-alive."""
    one, spent = kept.keeping, kept.spent
    return KeepWarmView(
        on=one.ended_at is None,
        started_at=one.started_at,
        until=one.until,
        ended_at=one.ended_at,
        words=one.words,
        calls=spent.calls,
        cost=describe_cost(spent.cost.amount if spent.calls else Decimal(0)),
        cost_at_least=spent.cost.at_least,
        made_id=one.made_id,
    )


def _describe_offer(planned: Preview, state: PrefixCacheState) -> KeepWarmOfferView:
    use = planned.plan.cache
    expires_at = None if use is None else use.plan.prediction.expires_at
    return describe_offer(offer_keeping(planned, state.tariff, state.at), expires_at, state.at)


def _describe_call(one: ComparedCall) -> CachedCallView:
    use, call = one.use, one.use.call
    usage = call.usage
    return CachedCallView(
        run_id=call.run_id,
        pair_id=use.pair_id,
        started_at=call.at,
        cache_control_index=call.marks[-1].place if call.marks else None,
        frozen=use.frozen,
        predicted_read_tokens=use.predicted.tokens,
        exact=use.predicted.exact,
        read_tokens=None if usage is None else usage.cache_read_tokens,
        write_tokens=None if usage is None else usage.cache_write_tokens + usage.cache_write_1h_tokens,
        outcome=one.judgement.outcome,
        why=one.judgement.why,
        differs=one.differs,
    )
