"""The options for a request that exceeds the budget of a send, each with its tokens and its cost.

No pair is left out before the person has chosen an option. The boundary is computed in `composition.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from app.domain.context.budget import Allowance
from app.domain.errors import ConflictError


@dataclass(frozen=True, slots=True)
class BudgetOption:
    """One option for a request that exceeds the budget: a different request, with its size and price.

    - `tokens`: the size of that request.
    - `cost`: its price in US dollars; None if it is unknown.
    - `selection`: a description of its pairs (`seen_selection.py`); "" if not known yet.
    """

    tokens: int
    cost: Decimal | None
    selection: str = ""


@dataclass(frozen=True, slots=True)
class LargerModel:
    """An available model with a window that is large enough for all pairs in view."""

    model: str
    name: str
    window: int
    budget_option: BudgetOption


@dataclass(frozen=True, slots=True)
class BudgetOptions:
    """The options for a request to `model` that exceeds the budget.

    - `limit`: the budget in tokens.
    - `limited_by`: the name of the limit that sets the budget.
    - `allowance`: the limit for the conversation or the day that `limit` is the rest of; None if it is no such rest.
    - `reserve`: the tokens of the budget that are kept free for the reply.
    - `fit`: send the newest `x` pairs, which fit; None if the request exceeds the budget even without pairs.
    - `force`: send all `y` pairs in view.
    - `summarise`: the request that reads the older pairs, up to the position `older`, for a summary; None if a summary
      cannot help, or if the model cannot read these pairs in one request.
    - `larger`: the models with a larger window.
    - `stored`: the request is the stored request of a pair, which is sent again byte for byte. None of its `y` pairs
      can be left out, so `force` is the only option except a new request.
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
    stored: bool = False
    allowance: Allowance | None = None


class OverBudgetError(ConflictError):
    """Error: the request exceeds the budget of a send, and the sender chose no option."""

    def __init__(self, budget_options: BudgetOptions) -> None:
        super().__init__(_explain(budget_options))
        self.budget_options = budget_options


def _explain(budget_options: BudgetOptions) -> str:
    x, y, allowance = budget_options.x, budget_options.y, budget_options.allowance
    rest = ""
    if allowance is not None:
        of_money = budget_options.limited_by == "money ceiling"
        amount = f"${allowance.amount:,}" if of_money else f"{allowance.amount:,}"
        rest = f" left of {amount} per {allowance.scope}"
    limit = f"{budget_options.limit:,} tokens{rest}, {budget_options.limited_by}"
    if budget_options.stored:
        return (
            f"The stored request does not fit (limit: {limit}; reserved for the reply: {budget_options.reserve:,} "
            "tokens). Send it anyway, or send the pair again with a new request."
        )
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
