"""Texts that several parts of usage share: costs, savings and the purpose of a call.

>>> describe_saving(Decimal("0.5")), describe_saving(Decimal("-0.5")), describe_saving(Decimal(0))
('$0.500', '$0.500 more', 'nothing')
>>> describe_purpose("count"), describe_purpose("reply", several=True)
('Exact count', 'Replies')
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
    "reply": ("Reply", "Replies"),
    "summary": ("Summary", "Summaries"),
    "title": ("Title", "Titles"),
    "count": ("Exact count", "Exact counts"),
    "delegated": ("Delegated work", "Delegated work"),
    "comparison": ("Compared reply", "Compared replies"),
    "keep_warm": ("Cache keep-alive", "Cache keep-alive"),
}
"""The labels of the purposes of calls: of one call and of several."""


@dataclass(frozen=True)
class FigureView:
    """A figure with its label. `note` explains it, "" for none."""

    label: str
    value: str
    note: str = ""


def describe_purpose(purpose: str, *, several: bool = False) -> str:
    """Return the label for the purpose of a call, or of several calls. An unknown purpose is returned unchanged."""
    return _PURPOSES.get(purpose, (purpose, purpose))[several]


def describe_charge(spent: Spent) -> str:
    """Return the cost: "at least" an amount if part of it is unknown, "cost unknown" if all of it is."""
    return charged(describe_cost(spent.cost.amount), at_least=spent.cost.at_least)


def charge_alone(spent: Spent) -> str:
    """Return the cost for a place that has the label "Cost": "unknown" instead of "cost unknown"."""
    return describe_charge(spent).removeprefix("cost ")


def describe_tokens(spent: Spent, shown: Callable[[int], str] = number) -> str:
    """Return the number of tokens, with "at least" if a call was cut off before its provider reported its usage.

    >>> from app.domain.usage import Usage
    >>> describe_tokens(Spent(usage=Usage(120))), describe_tokens(Spent(cut=1, usage=Usage(120)))
    ('120', 'at least 120')
    >>> describe_tokens(Spent(cut=1)), count_tokens(Spent(cut=1)), count_tokens(Spent(usage=Usage(1)))
    ('not reported', 'tokens not reported', '1 token')
    """
    return count_partly(spent.usage.all_tokens, spent, shown)


def count_partly(tokens: int, spent: Spent, shown: Callable[[int], str] = number) -> str:
    """Return a number of tokens of these calls in words, like `describe_tokens`."""
    if spent.cut and not tokens:
        return "not reported"
    return f"{'at least ' if spent.cut else ''}{shown(tokens)}"


def count_tokens(spent: Spent, shown: Callable[[int], str] = number) -> str:
    """Return the text of `describe_tokens` with the noun, such as "120 tokens"."""
    if spent.cut and not spent.usage.all_tokens:
        return "tokens not reported"
    return f"{describe_tokens(spent, shown)} {'token' if spent.usage.all_tokens == 1 else 'tokens'}"


def describe_both(spent: Spent) -> str:
    """Return the tokens and the cost in one text, such as "120 tokens · $0.03"; without tokens, the cost alone."""
    charge = describe_charge(spent)
    return f"{count_tokens(spent)} · {charge}" if spent.cut or spent.usage.all_tokens else charge


def describe_saving(saved: Decimal) -> str:
    """Return the amount that caching saved, or the extra amount that it cost."""
    if not saved:
        return "nothing"
    return money(describe_cost(saved)) if saved > 0 else f"{money(describe_cost(-saved))} more"


def label_saving(saved: Decimal) -> str:
    """Return the label that goes with the text of `describe_saving`."""
    return "Caching cost" if saved < 0 else "Saved by caching"
