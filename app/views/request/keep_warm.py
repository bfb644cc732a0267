"""Keeping warm as shown: what it would cost, against writing the same anew, and how it goes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

from app.domain.cache.keep_alive import Offer
from app.domain.costs.costs import Cost
from app.views.request.composition import describe_cost

CHOICES = (15, 30, 60, 120)
"""Minutes that are offered."""


@dataclass(frozen=True, slots=True)
class KeepWarmChoiceView:
    """For so many minutes: how many refreshes at most, and what they cost together."""

    minutes: int
    refreshes: int
    cost: str


@dataclass(frozen=True, slots=True)
class KeepWarmOfferView:
    """What keeping `tokens` warm costs, US dollars as decimal text. `why_not`: it cannot be done; nothing else is told.

    `each` refresh comes every `seconds`. Of the next send, `read` is the price of that part while it is kept, `anew`
    once it is not; `worth` is how many refreshes cost no more than that difference (null: nobody knows the prices).
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
    """What is kept warm, or was: `on` until `until`. `words`: it ended before that, and why.

    `calls` were made for it, which came to `cost` (US dollars as decimal text; with `cost_at_least` perhaps more), in
    the conversation `made_id`; null: none was needed yet.
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


def describe_offer(offer: Offer | str, expires_at: datetime | None, at: datetime) -> KeepWarmOfferView:
    """An offer as shown, or why there is none."""
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


def describe_keeping(  # noqa: PLR0913, PLR0917 - what is known of it
    started_at: datetime,
    until: datetime,
    ended_at: datetime | None,
    words: str | None,
    calls: int,
    cost: Cost,
    made_id: str | None,
) -> KeepWarmView:
    """What is kept warm, as shown."""
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
