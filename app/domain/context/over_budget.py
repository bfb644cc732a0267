"""A request that exceeds the budget of a send: the options of a person, each with its tokens and its cost.

Nothing is trimmed without that choice. The boundary is drawn in `composition.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from app.domain.errors import ConflictError


@dataclass(frozen=True, slots=True)
class BudgetOption:
    """One option: the tokens of the request, and its price in US dollars (None: unknown).

    `selection`: the pairs of the request (`seen_selection.py`); "" if not known yet.
    """

    tokens: int
    cost: Decimal | None
    selection: str = ""


@dataclass(frozen=True, slots=True)
class LargerModel:
    """A model that is available now and has a window large enough for all pairs in view."""

    model: str
    name: str
    window: int
    budget_option: BudgetOption


@dataclass(frozen=True, slots=True)
class BudgetOptions:
    """The options for one `model`. `limit` is the budget in tokens, `limited_by` names the limit that sets it, and
    `reserve` is how much of it is kept free for the reply.

    `fit` sends the newest `x` pairs that fit; None if the request exceeds the budget even without pairs. `force` sends
    all `y` pairs in view. `summarise` is the request that reads the older pairs for a summary; None if a summary cannot
    help, or if the model cannot read these pairs in one request. These are the pairs up to the position `older`.
    """

    model: str
    x: int
    y: int
    limit: int
    limited_by: str
    reserve: int
    fit: BudgetOption | None
    force: BudgetOption
    summarise: BudgetOption | None
    larger: tuple[LargerModel, ...] = ()
    older: int = 0


class OverBudgetError(ConflictError):
    """The request exceeds the budget of a send, and the sender chose no option."""

    def __init__(self, budget_options: BudgetOptions) -> None:
        super().__init__(_explain(budget_options))
        self.budget_options = budget_options


def _explain(budget_options: BudgetOptions) -> str:
    x, y, limit = budget_options.x, budget_options.y, f"{budget_options.limit:,} tokens, {budget_options.limited_by}"
    if budget_options.fit is None:
        return (
            f"This does not fit even without earlier pairs (limit: {limit}; reserved for the reply: "
            f"{budget_options.reserve:,} tokens). Shorten it, attach less, choose a larger model, or send it "
            "anyway."
        )
    summary = ", summarise the older ones" if budget_options.summarise is not None else ""
    return (
        f"Of the {y:,} pairs in view {x:,} fit (limit: {limit}). "
        f"Send those that fit, send all of them anyway{summary}, choose a larger model, or bring fewer into view."
    )
