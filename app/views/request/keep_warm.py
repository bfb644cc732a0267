"""Views of the cache keep-alive: its cost before it is started, and its status."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from app.domain.cache.keep_alive import KeepAliveCost
from app.views.request.composition import describe_cost

CHOICES = (15, 30, 60, 120)
"""The durations that the page suggests, in minutes."""


@dataclass(frozen=True, slots=True)
class KeepWarmChoiceView:
    """One duration of the keep-alive: the maximum number of refreshes in these minutes, and their total cost."""

    minutes: int
    refreshes: int
    cost: str


@dataclass(frozen=True, slots=True)
class KeepWarmOfferView:
    """The cost of a keep-alive ("keep warm") for a cached prefix of `tokens` tokens, in US dollars as decimal text.

    - `why_not`: the reason why a keep-alive is impossible; no other field is set then.
    - `each`: the cost of one refresh.
    - `seconds`: the seconds between two refreshes.
    - `read`: the price of the prefix in the next send while it is cached.
    - `uncached`: its price after it has expired.
    - `worth`: the maximum number of refreshes that cost no more than the saving at the next send, which is `uncached`
      minus `read`; null: a price is unknown.
    """

    why_not: str | None
    tokens: int = 0
    seconds: int = 0
    each: str = "unknown"
    read: str = "unknown"
    uncached: str = "unknown"
    worth: int | None = None
    choices: tuple[KeepWarmChoiceView, ...] = ()


@dataclass(frozen=True, slots=True)
class KeepWarmView:
    """A keep-alive that is running (`on`) or has ended. `until` is its planned end.

    - `words`: the reason why it ended earlier.
    - `calls`: the number of its calls.
    - `cost`: their total cost in US dollars as decimal text.
    - `cost_at_least`: the real cost may be higher.
    - `made_id`: the conversation of the calls; null: no call was needed yet.
    """

    on: bool
    started_at: datetime
    until: datetime
    ended_at: datetime | None
    words: str | None
    calls: int
    cost: str
    cost_at_least: bool
    made_id: str | None


def describe_offer(offer: KeepAliveCost | str, expires_at: datetime | None, at: datetime) -> KeepWarmOfferView:
    """Convert the cost of a keep-alive for the HTTP API. `offer` is this cost, or the reason why it is impossible.

    `expires_at` is the time when the prefix expires, `at` the current time.
    """
    if isinstance(offer, str) or expires_at is None:
        return KeepWarmOfferView(str(offer))
    choices: list[KeepWarmChoiceView] = []
    for minutes in CHOICES:
        count = offer.count(expires_at, at + timedelta(minutes=minutes))
        cost = None if offer.each is None else count * offer.each
        choices.append(KeepWarmChoiceView(minutes, count, describe_cost(cost)))
    return KeepWarmOfferView(
        None,
        offer.tokens,
        int(offer.step.total_seconds()),
        describe_cost(offer.each),
        describe_cost(offer.read),
        describe_cost(offer.uncached),
        offer.worth,
        tuple(choices),
    )
