"""Pauses: the probability that a prefix is needed again only after its cache lifetime of five minutes has passed.

estimate_pauses(request.prefix, "c1", warmth.calls, now) # 0.2 for a conversation without earlier calls
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from app.domain.cache.prefix import TOOLS, Prefix
from app.domain.cache.rules import FIVE_MINUTES, HOUR
from app.domain.cache.warmth import CachedCall

PRIOR_PAUSES = 2
"""The assumed number of sends after a pause in a new conversation, out of `PRIOR_SENDS` sends."""
PRIOR_SENDS = 10
"""The assumed number of all sends in a new conversation. `PRIOR_PAUSES` of them come after a pause.

A pause is more than five minutes and less than an hour.
"""
LOOKED_AT = 16
"""Maximum number of the conversation's latest calls that the estimate uses."""


def estimate_pauses(prefix: Prefix, conversation_id: str, calls: Sequence[CachedCall], now: datetime) -> float:
    """Estimate the probability that a prefix is needed again after more than five minutes, but within the hour.

    The estimate uses the past calls of the conversation. The pause of a call is the time since the earlier call that
    has the longest prefix in common with it. So the time that a person spends with another filter is a pause too.
    """
    here = [call for call in calls if call.conversation_id == conversation_id][-LOOKED_AT:]
    followers = [(call.prefix, call.at) for call in here[1:]] + [(prefix, now)]
    gaps = [_since_last(follower, at, here[:number]) for number, (follower, at) in enumerate(followers, 1)]
    pauses = sum(FIVE_MINUTES <= gap < HOUR for gap in gaps)
    return (PRIOR_PAUSES + pauses) / (PRIOR_SENDS + len(gaps))


def _since_last(prefix: Prefix, at: datetime, earlier: Sequence[CachedCall]) -> float:
    """Return the seconds since the earlier call whose request shares the longest prefix with `prefix`."""
    places = ((prefix.shared_with(call.prefix), call.at) for call in earlier)
    last = max(((TOOLS - 1 if place is None else place, then) for place, then in places), default=None)
    return 0.0 if last is None else (at - last[1]).total_seconds()
