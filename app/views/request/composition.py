"""Views of the size of a send: its estimate, its boundary, and the options if it exceeds the budget."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from types import MappingProxyType
from typing import Final

from app.domain.context.composition import Composition, Estimate
from app.domain.context.context import OutReason
from app.domain.context.over_budget import BudgetOption, BudgetOptions, LargerModel

NAMES_OF_LIMITS: Final[Mapping[str, str]] = MappingProxyType(
    {"window": "the model's window", "token ceiling": "your token limit", "money ceiling": "your cost limit"}
)
"""The names that people see for the limits in `domain.context.budget`."""


@dataclass(frozen=True, slots=True)
class EstimateView:
    """The estimate of a send: the tokens of its parts, with `tokens` as their sum. `pairs` includes `images`.

    - `error_band`: the relative error (0.05: ± 5 %).
    - `limit`: the budget in tokens.
    - `limited_by`: names the limit that sets it.
    - `available`: the tokens of the budget that are left for pairs.
    - `reserve`: the tokens that are kept free for the reply.
    - `cost`: the price of the input in US dollars as decimal text.
    """

    tokens: int
    error_band: float
    system: int
    tools: int
    pairs: int
    images: int
    draft: int
    reserve: int
    limit: int
    available: int
    limited_by: str
    cost: str


@dataclass(frozen=True, slots=True)
class WayOutView:
    """One option of an over-budget send: the tokens and the cost of its request, and its selection of pairs.

    If `selection` is "", the pairs are not known yet.
    """

    tokens: int
    cost: str
    selection: str


@dataclass(frozen=True, slots=True)
class LargerModelView:
    """A model whose window is large enough for all pairs in view, with the tokens and the cost of such a send."""

    model: str
    name: str
    window: int
    tokens: int
    cost: str


@dataclass(frozen=True, slots=True)
class WaysOutView:
    """The options of an over-budget send: `x` of the `y` pairs in view fit into `limit` tokens.

    - `fit`: sends the newest pairs that fit.
    - `force`: sends all pairs.
    - `summarise`: the request that reads the older pairs for a summary.
    - `larger`: models with a window that is large enough.

    An option of None would not help.
    """

    x: int
    y: int
    limit: int
    limited_by: str
    fit: WayOutView | None
    force: WayOutView
    summarise: WayOutView | None
    larger: tuple[LargerModelView, ...]


def describe_estimate(estimate: Estimate) -> EstimateView:
    """Convert the estimate of a send to the form that the HTTP API returns."""
    return EstimateView(
        tokens=estimate.tokens,
        error_band=estimate.error_band,
        system=estimate.system,
        tools=estimate.tools,
        pairs=estimate.pairs,
        images=estimate.images,
        draft=estimate.draft,
        reserve=estimate.reserve,
        limit=estimate.limit,
        available=estimate.available,
        limited_by=estimate.limited_by,
        cost=describe_cost(estimate.cost),
    )


def boundary_of(composition: Composition) -> tuple[int | None, OutReason | None]:
    """Return the position of the oldest pair that is sent, and the reason why older pairs are OUT (not sent).

    If all pairs are sent, return None and None.
    """
    if composition.boundary is None:
        return None, None
    return composition.boundary, composition.boundary_reason


def describe_ways_out(budget_options: BudgetOptions) -> WaysOutView:
    """Convert the options for a send that exceeds its budget to the form that the HTTP API returns."""
    return WaysOutView(
        budget_options.x,
        budget_options.y,
        budget_options.limit,
        budget_options.limited_by,
        budget_options.fit and _describe_way_out(budget_options.fit),
        _describe_way_out(budget_options.force),
        budget_options.summarise and _describe_way_out(budget_options.summarise),
        tuple(map(_describe_larger, budget_options.larger)),
    )


def describe_cost(cost: Decimal | None) -> str:
    """Return US dollars as decimal text without an exponent; "unknown" for None.

    >>> describe_cost(Decimal("0.0030")), describe_cost(Decimal(0)), describe_cost(None)
    ('0.003', '0', 'unknown')
    """
    return "unknown" if cost is None else f"{cost.normalize():f}"


def _describe_way_out(budget_option: BudgetOption) -> WayOutView:
    return WayOutView(budget_option.tokens, describe_cost(budget_option.cost), budget_option.selection)


def _describe_larger(larger: LargerModel) -> LargerModelView:
    budget_option = larger.budget_option
    return LargerModelView(
        larger.model, larger.name, larger.window, budget_option.tokens, describe_cost(budget_option.cost)
    )
