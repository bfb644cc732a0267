"""Pauses: the probability that a prefix is needed again only after more than five minutes, when it has expired.

estimate_pauses(request.prefix, "c1", warmth.calls, now) # 0.2 for a conversation without earlier calls
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from app.domain.cache.prefix import TOOLS, Prefix
from app.domain.cache.rules import FIVE_MINUTES, HOUR
from app.domain.cache.warmth import CachedCall

PRIOR_PAUSES = 2
PRIOR_SENDS = 10
"""The assumption for a new conversation: two of ten sends come after more than five minutes, but within the hour."""
LOOKED_AT = 16
"""Maximum number of the conversation's latest calls that the estimate uses."""


def estimate_pauses(prefix: Prefix, conversation_id: str, calls: Sequence[CachedCall], now: datetime) -> float:
    """Estimate the probability that a prefix is needed again after more than five minutes, but within the hour.

    The estimate uses the past calls of the conversation. A pause is the time since the last call with the same
    beginning, so the time that a person spends with another filter is a pause too.
    """
    here = [call for call in calls if call.conversation_id == conversation_id][-LOOKED_AT:]
    followers = [(call.prefix, call.at) for call in here[1:]] + [(prefix, now)]
    gaps = [_since_last(follower, at, here[:number]) for number, (follower, at) in enumerate(followers, 1)]
    pauses = sum(FIVE_MINUTES <= gap < HOUR for gap in gaps)
    return (PRIOR_PAUSES + pauses) / (PRIOR_SENDS + len(gaps))


def _since_last(prefix: Prefix, at: datetime, earlier: Sequence[CachedCall]) -> float:
    """Return the seconds since the earlier call that shares the longest prefix with this one."""
    places = ((prefix.shared_with(call.prefix), call.at) for call in earlier)
    last = max(((TOOLS - 1 if place is None else place, then) for place, then in places), default=None)
    return 0.0 if last is None else (at - last[1]).total_seconds()
