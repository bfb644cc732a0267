"""The options when more is in view than may be sent, each with its tokens and price.

Nothing is trimmed without that choice. Not here: where the boundary runs (`composition.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from app.domain.errors import ConflictError


@dataclass(frozen=True, slots=True)
class BudgetOption:
    """One choice: how many tokens the request would have, and US dollars for reading it (None: nobody knows).

    `selection`: the pairs that go along (`selection.py`); "" where that is not known yet.
    """

    tokens: int
    cost: Decimal | None
    selection: str = ""


@dataclass(frozen=True, slots=True)
class LargerModel:
    """A model that can be asked now and whose window holds all that is in view."""

    model: str
    name: str
    window: int
    budget_option: BudgetOption


@dataclass(frozen=True, slots=True)
class BudgetOptions:
    """`fit` sends the `x` newest pairs that fit, `force` all `y` in view; `summarise` is what reading the older ones
    for a summary would come to. `model` is the one that is to answer, `limited_by` says which limit it is.
    """

    model: str
    x: int
    y: int
    limited_by: str
    fit: BudgetOption
    force: BudgetOption
    summarise: BudgetOption
    larger: tuple[LargerModel, ...] = ()


class OverBudgetError(ConflictError):
    """What is in view is more than may be sent, and nobody has said what to do about it."""

    def __init__(self, budget_options: BudgetOptions) -> None:
        super().__init__(
            f"Of the {budget_options.y:,} pairs in view {budget_options.x:,} fit ({budget_options.limited_by}). "
            "Send those that fit, send all of them anyway, summarise the older ones, choose a larger model, "
            "or bring fewer into view."
        )
        self.budget_options = budget_options
