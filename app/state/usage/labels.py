"""Texts that several parts of usage share: costs, savings, and what a call was made for.

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
class FactView:
    """A figure with its label. `note` explains it, "" if nothing is to be said."""

    label: str
    value: str
    note: str = ""


def describe_purpose(purpose: str) -> str:
    """What a call was made for."""
    return _PURPOSES.get(purpose, purpose)


def describe_charge(spent: Spent) -> str:
    """The cost, with "≥" where part of it is not known."""
    return charged(describe_cost(spent.cost.amount), at_least=spent.cost.at_least)


def describe_tokens(spent: Spent, shown: Callable[[int], str] = number) -> str:
    """The tokens, with "≥" where a call was cut off before its provider told what it used."""
    return f"{'≥ ' if spent.cut else ''}{shown(spent.usage.all_tokens)}"


def describe_saving(saved: Decimal) -> str:
    """What caching saved, or how much more it cost."""
    if not saved:
        return "nothing"
    return money(describe_cost(saved)) if saved > 0 else f"{money(describe_cost(-saved))} more"


def label_saving(saved: Decimal) -> str:
    """The label of what `describe_saving` says."""
    return "Caching cost" if saved < 0 else "Saved by caching"


def short_model(model: str) -> str:
    """A model without its provider."""
    return model.partition(":")[2] or model
