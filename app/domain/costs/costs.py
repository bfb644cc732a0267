"""Costs: what calls came to in US dollars, and whether that is all of it.

What nobody knows is never zero: a call of a model without a price, or one that was cut off before its provider told
what it used, makes a cost "at least" (shown as "≥"). A sum is at least if one of its parts is.

    >>> Cost(Decimal("0.10")) + Cost(Decimal("0.02"), at_least=True)
    Cost(amount=Decimal('0.12'), at_least=True)
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from app.domain.conversation.conversation import Pair
from app.domain.conversation.lifecycle import RUNNING, Lifecycle
from app.domain.costs.prices import Tariff, price_usage
from app.domain.errors import ErrorClass
from app.domain.usage import Usage


@dataclass(frozen=True, slots=True)
class Cost:
    """US dollars. `at_least`: part of what it stands for is not known."""

    amount: Decimal = Decimal(0)
    at_least: bool = False

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.amount + other.amount, self.at_least or other.at_least)


NOTHING = Cost()
UNKNOWN = Cost(at_least=True)

COUNT = "count"
"""The purpose of a call that only asks how many tokens a request has."""
BILLED_PERHAPS = frozenset({ErrorClass.STREAM, ErrorClass.CANCELED, ErrorClass.INTERRUPTED, ErrorClass.UNKNOWN})
"""Failures that come after a provider began to work. The others are refusals, and calls that never arrived."""


def price_amount(amount: Decimal | None) -> Cost:
    """A price that may be unknown, as a cost."""
    return UNKNOWN if amount is None else Cost(amount)


def price_call(  # noqa: PLR0913 - what a call is known by
    tariff: Tariff | None,
    at: datetime,
    usage: Usage | None,
    outcome: Lifecycle,
    error_class: ErrorClass | None = None,
    *,
    faulty: bool = False,
) -> Cost:
    """The cost of one provider call for a reply. A free model costs nothing, however it ended.

    `faulty`: not all of the report could be read.
    """
    told = NOTHING if usage is None else price_amount(price_usage(usage, tariff, at))
    if not is_cut_short(outcome, error_class, told=usage is not None, faulty=faulty) or is_free(tariff, at):
        return told
    return Cost(told.amount, at_least=True)


def price_pair(pair: Pair, tariff: Tariff | None) -> Cost:
    """What the reply that stands in a pair cost, when it was asked for.

    Other versions of it, and attempts that failed before, stand in the ledger.
    """
    if pair.reply is None or pair.lifecycle in RUNNING:
        return UNKNOWN
    if pair.replayed:
        return NOTHING
    error_class = None if pair.failure is None else pair.failure.error_class
    faulty = pair.usage_is_partial
    return price_call(tariff, pair.reply.created_at, pair.usage, pair.lifecycle, error_class, faulty=faulty)


def is_cut_short(outcome: Lifecycle, error_class: ErrorClass | None, *, told: bool, faulty: bool = False) -> bool:
    """Whether a call may have used more than its provider told.

    One that did not end well was told its counters midway, or not at all. One that was refused, or never arrived,
    used nothing. `faulty`: not all of the report could be read.
    """
    if faulty:
        return True
    if outcome is Lifecycle.SUCCEEDED:
        return not told
    return told or outcome is Lifecycle.CANCELED or error_class in BILLED_PERHAPS


def is_free(tariff: Tariff | None, at: datetime) -> bool:
    """Whether nothing is charged at this instant, known for sure."""
    prices = None if tariff is None else tariff.prices_at(at)
    return prices is not None and not any((prices.input, prices.output))
