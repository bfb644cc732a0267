"""Costs: the price of calls in US dollars, and whether it is complete.

An unknown cost is never zero. If a model has no price, or a call was cut off before its provider reported the usage,
the cost is "at least" the known amount. A sum is "at least" if one of its parts is.

    >>> Cost(Decimal("0.10")) + Cost(Decimal("0.02"), at_least=True)
    Cost(amount=Decimal('0.12'), at_least=True)
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from app.domain.conversation.conversation import Pair
from app.domain.conversation.lifecycle import RUNNING, Lifecycle
from app.domain.costs.prices import Tariff, price_saving, price_usage
from app.domain.errors import ErrorClass
from app.domain.usage import Usage


@dataclass(frozen=True, slots=True)
class Cost:
    """An amount in US dollars. `at_least`: a part of the cost is unknown, so the real cost may be higher."""

    amount: Decimal = Decimal(0)
    at_least: bool = False

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.amount + other.amount, self.at_least or other.at_least)


NOTHING = Cost()
UNKNOWN = Cost(at_least=True)

COUNT = "count"
"""The purpose of a call that only counts the tokens of a request."""
BILLED_PERHAPS = frozenset({ErrorClass.STREAM, ErrorClass.CANCELED, ErrorClass.INTERRUPTED, ErrorClass.UNKNOWN})
"""Failures after which the provider may bill the call.

After any other failure nothing is billed: the provider refused the call, or the call did not reach the provider.
"""


def price_amount(amount: Decimal | None) -> Cost:
    """Return the cost for a price in US dollars. For a price of None, which is unknown, return "at least" zero."""
    return UNKNOWN if amount is None else Cost(amount)


def price_call(  # noqa: PLR0913 - the facts about a call
    tariff: Tariff | None,
    at: datetime,
    usage: Usage | None,
    outcome: Lifecycle,
    error_class: ErrorClass | None = None,
    *,
    faulty: bool = False,
) -> Cost:
    """Return the cost of one provider call for a reply. A call of a free model costs nothing, whatever its outcome.

    `faulty`: a part of the usage report could not be read.
    """
    cost = NOTHING if usage is None else price_amount(price_usage(usage, tariff, at))
    if not is_cut_short(outcome, error_class, reported=usage is not None, faulty=faulty) or is_free(tariff, at):
        return cost
    return Cost(cost.amount, at_least=True)


def price_pair(pair: Pair, tariff: Tariff | None) -> Cost:
    """Return the cost of the current reply of a pair, with the prices at the time of that reply's call.

    The costs of other versions and of failed attempts are in the ledger.
    """
    if pair.reply is None or pair.lifecycle in RUNNING:
        return UNKNOWN
    if pair.replayed:
        return NOTHING
    error_class = None if pair.failure is None else pair.failure.error_class
    faulty = pair.usage_is_partial
    return price_call(tariff, pair.reply.created_at, pair.usage, pair.lifecycle, error_class, faulty=faulty)


def price_cache_saving(pair: Pair, tariff: Tariff | None) -> Decimal | None:
    """Return the amount that the provider's cache saved at the current reply of a pair; None if it is unknown."""
    if pair.reply is None or pair.usage is None:
        return None
    return price_saving(pair.usage, tariff, pair.reply.created_at)


def is_cut_short(outcome: Lifecycle, error_class: ErrorClass | None, *, reported: bool, faulty: bool = False) -> bool:
    """Return True if a call may have used more than its provider reported.

    If a call does not succeed, its last usage report was made before its end, or there is no report. A call that was
    refused, or never reached the provider, used nothing. `faulty`: a part of the report could not be read.
    """
    if faulty:
        return True
    if outcome is Lifecycle.SUCCEEDED:
        return not reported
    return reported or outcome is Lifecycle.CANCELED or error_class in BILLED_PERHAPS


def is_free(tariff: Tariff | None, at: datetime) -> bool:
    """Return True if the prices at this instant are known, and input and output cost nothing."""
    prices = None if tariff is None else tariff.prices_at(at)
    return prices is not None and not any((prices.input, prices.output))
