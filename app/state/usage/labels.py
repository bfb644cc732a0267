"""Texts that several parts of usage share: costs, savings and the purpose of a call.

>>> describe_saving(Decimal("0.5")), describe_saving(Decimal("-0.5")), describe_saving(Decimal(0))
('$0.500', '$0.500 more', 'nothing')
>>> describe_purpose("count"), short_model("offline:demo")
('Exact count', 'demo')
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from app.domain.costs.spending import Spent
from app.views.request.composition import describe_cost
from app.views.usage.figures import charged, money, number

INPUT: Final = "Input"
CACHE_READ: Final = "Cache read"
CACHE_WRITE: Final = "Cache write"
CACHE_WRITE_1H: Final = "Cache write, 1 h"
OUTPUT: Final = "Output"
UNTITLED: Final = "Untitled"

_PURPOSES: Final = {
    "reply": "Reply",
    "summary": "Summary",
    "title": "Title",
    "count": "Exact count",
    "delegated": "Delegated work",
    "comparison": "Compared reply",
    "keep_warm": "Cache keep-alive",
}


@dataclass(frozen=True)
class FigureView:
    """A figure with its label. `note` explains it, "" for none."""

    label: str
    value: str
    note: str = ""


def describe_purpose(purpose: str) -> str:
    """Return the label for the purpose of a call. An unknown purpose is returned unchanged."""
    return _PURPOSES.get(purpose, purpose)


def describe_charge(spent: Spent) -> str:
    """Return the cost, with "≥" if part of it is unknown."""
    return charged(describe_cost(spent.cost.amount), at_least=spent.cost.at_least)


def describe_tokens(spent: Spent, shown: Callable[[int], str] = number) -> str:
    """Return the number of tokens, with "≥" if a call was cut off before its provider reported its usage."""
    return f"{'≥ ' if spent.cut else ''}{shown(spent.usage.all_tokens)}"


def describe_saving(saved: Decimal) -> str:
    """Return the amount that caching saved, or the extra amount that it cost."""
    if not saved:
        return "nothing"
    return money(describe_cost(saved)) if saved > 0 else f"{money(describe_cost(-saved))} more"


def label_saving(saved: Decimal) -> str:
    """Return the label that goes with the text of `describe_saving`."""
    return "Caching cost" if saved < 0 else "Saved by caching"


def short_model(model: str) -> str:
    """Return the name of a model without its provider."""
    return model.partition(":")[2] or model
