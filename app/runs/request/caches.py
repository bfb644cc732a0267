"""Prompt caches in a send: the probable content of the provider's cache, loaded for the plan of a request.

    caching = await load_caching(ctx.store, owner, profile, CallToCache(conversation_id, 12_000))
    plan = await plan_send(view, profile, provider, caching=caching)
    await runs.insert_run(session, runs.NewRun(place, start, process_id, at, sent, plan.cache))

All decisions are in `domain.cache`. For a model without known cache rules, nothing is loaded or planned.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from app.domain.cache.misses import find_break
from app.domain.cache.plan import CallToCache, make_cache_request, plan_cache
from app.domain.cache.rules import DAY, CacheLifetime, find_rules
from app.domain.cache.warmth import Warmth, replay
from app.domain.models.model_profile import ModelProfile
from app.domain.request.request import Request
from app.runs.runtime.ids import now
from app.store.cache.prompt_caches import CacheUse, load_cached_calls
from app.store.database.database import Store
from app.store.settings.preferences import load_preferences


@dataclass(frozen=True, slots=True)
class Caching:
    """The values that a cache plan needs in addition to the request.

    - `warmth`: the prefixes that the provider probably has cached at the time `at`.
    - `lifetime`: the cache lifetime that the person chose.
    """

    warmth: Warmth
    at: datetime
    lifetime: CacheLifetime
    call: CallToCache


async def load_caching(store: Store, owner: str, profile: ModelProfile, call: CallToCache) -> Caching | None:
    """Load the input of a cache plan. Return None if the cache rules of the model are unknown.

    The calls of all conversations with this model are loaded.
    """
    rules = find_rules(profile.model)
    if rules is None:
        return None
    at = now()
    async with store.read() as session:
        preferences = await load_preferences(session, owner)
        # A cached prefix may be hours older than the call that last read it, because a read extends its lifetime.
        calls = await load_cached_calls(session, owner, profile.model, at - timedelta(seconds=DAY))
    warmth = replay(calls, rules)
    return Caching(warmth, at, preferences.cache, call)


def plan_use(request: Request, hashes: tuple[str, ...], caching: Caching) -> CacheUse:
    """Plan the breakpoints of a request, and predict how many tokens it reads from the cache. Pure."""
    call = caching.call
    cache_request = make_cache_request(request, hashes, call, caching.warmth.rules)
    plan = plan_cache(cache_request, caching.warmth, caching.at, lifetime=caching.lifetime, frozen=call.frozen)
    broken = find_break(cache_request, plan.prediction, caching.warmth, caching.at)
    return CacheUse(cache_request.prefix, plan, call.frozen, broken)
