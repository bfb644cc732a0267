"""Views of costs, in US dollars as decimal text. A cost without any known part is "unknown", never zero."""

from __future__ import annotations

from dataclasses import dataclass

from app.domain.costs.costs import Cost
from app.views.request.composition import describe_cost


@dataclass(frozen=True, slots=True)
class CostView:
    """A cost. `amount` is US dollars as decimal text. `at_least`: a part is unknown, so the cost may be higher."""

    amount: str
    at_least: bool


def describe_amount(cost: Cost) -> str:
    """Return the known amount of a cost as decimal text; "unknown" if no part of it is known.

    >>> from decimal import Decimal
    >>> describe_amount(Cost(Decimal("0.50"))), describe_amount(Cost(at_least=True))
    ('0.5', 'unknown')
    """
    return describe_cost(None if cost.at_least and not cost.amount else cost.amount)
