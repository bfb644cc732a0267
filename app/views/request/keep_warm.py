"""Views of the cache keep-alive: its cost, compared with writing the prefix again, and its status."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

from app.domain.cache.keep_alive import KeepAliveCost
from app.domain.costs.costs import Cost
from app.views.request.composition import describe_cost

CHOICES = (15, 30, 60, 120)
"""The choices of minutes."""


@dataclass(frozen=True, slots=True)
class KeepWarmChoiceView:
    """One choice: the maximum number of refreshes in these minutes, and their total cost."""

    minutes: int
    refreshes: int
    cost: str


@dataclass(frozen=True, slots=True)
class KeepWarmOfferView:
    """The cost of keeping `tokens` warm, in US dollars as decimal text. `why_not`: it is impossible; no other field is
    set.

    A refresh costs `each` and comes every `seconds`. `read` is the price of this prefix in the next send while it is
    cached, `anew` its price after it expired. `worth` is the number of refreshes that cost at most the difference
    (null: a price is unknown).
    """

    why_not: str | None
    tokens: int = 0
    seconds: int = 0
    each: str = "unknown"
    read: str = "unknown"
    anew: str = "unknown"
    worth: int | None = None
    choices: tuple[KeepWarmChoiceView, ...] = ()


@dataclass(frozen=True, slots=True)
class KeepWarmView:
    """A current or past keep-alive: `on` until `until`. `words`: the reason why it ended earlier.

    `calls` is the number of its calls, `cost` their total cost (US dollars as decimal text; with `cost_at_least` it may
    be higher). `made_id` is the conversation of the calls; null: no call was needed yet.
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
    """Return the view of an offer, or of the reason why there is none."""
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
        describe_cost(offer.anew),
        offer.worth,
        tuple(choices),
    )


def describe_keeping(  # noqa: PLR0913, PLR0917 - the inputs of the view
    started_at: datetime,
    until: datetime,
    ended_at: datetime | None,
    words: str | None,
    calls: int,
    cost: Cost,
    made_id: str | None,
) -> KeepWarmView:
    """Return the view of a keep-alive."""
    return KeepWarmView(
        ended_at is None,
        started_at,
        until,
        ended_at,
        words,
        calls,
        describe_cost(cost.amount if calls else Decimal(0)),
        cost.at_least,
        made_id,
    )
