"""The composition of a send: the pairs in view, those that are sent, and the tokens of the send.

A filter can have the term `o` (“inside the context boundary”), so there are two steps. First, the boundary is computed
on the base set: the pairs that the filter without this term selects. Then the boundary is applied to the pairs in view.
The page, the HTTP API, the preview and the send all use these two steps, so the screen shows exactly the pairs that are
sent.

    base = measure(…the filter's base set, oldest first…, estimator)
    drawn = draw_boundary(base, terms, draft=12)
    composition = compose(base, drawn)

The pairs that a filter selects are all measured, one by one. Without a filter, a conversation is measured only down to
the boundary (`pair_index.py`), so a long history takes no more time than a short one.

Not here: the selection by a filter (`filters/`), and the request itself (`context.py`).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import accumulate
from math import ceil
from operator import attrgetter
from typing import Protocol

from app.domain.context.budget import Budget, Limits, RequestSizes, fit_newest, plan_budget
from app.domain.context.context import OutReason
from app.domain.tokens.estimates import THOUSAND, Estimator, PairSizes
from app.domain.tokens.kinds import TextKind
from app.domain.usage import MILLION

NOTHING_YET = RequestSizes()
NEW_TOOLS, NEW_IMAGES = 0.3, 0.1
"""Relative errors of the estimates of tools that were in no reported request, and of images."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A pair that may be in view.

    - `out`: the reason why the pair is never sent; None if it can be sent.
    - `running`: the pair's reply has not ended.
    - `revision`: the revision of the conversation at the last change of the pair. A copy of the pair with another
      revision is out of date.
    """

    pair_id: str
    position: int
    sizes: PairSizes
    out: OutReason | None = None
    running: bool = False
    revision: int = 0

    @property
    def sendable(self) -> bool:
        """True if only the budget can keep the pair out of a send."""
        return self.out is None and not self.running


class SizedPairs(Protocol):
    """A list of pairs, oldest first, with the tokens of each pair for a model.

    The list has some pairs of a conversation (`MeasuredPairs`), or all of them (`FullIndex` in `pair_index.py`).
    """

    @property
    def pairs(self) -> Sequence[Candidate]: ...

    @property
    def tokens(self) -> Sequence[int]:
        """The tokens of each pair."""
        ...

    @property
    def running(self) -> int:
        """The number of pairs whose reply is running."""
        ...

    @property
    def sendable(self) -> int:
        """The number of pairs that a send can include."""
        ...

    @property
    def newest(self) -> int | None:
        """The position of the newest pair that a send can include, or None if there is none."""
        ...

    def __len__(self) -> int: ...

    def fit(self, available: int) -> int | None:
        """Return the position of the oldest pair that fits with all newer pairs into `available` tokens; None: all fit.

        If even the newest pair does not fit, return the position after it.
        """
        ...

    def count_from(self, boundary: int | None) -> int:
        """Return the number of sendable pairs from position `boundary` on. `boundary` None: of all sendable pairs."""
        ...

    def sum_newest(self, count: int) -> tuple[int, int]:
        """Return the tokens of the newest `count` sendable pairs, and the tokens of their images alone."""
        ...

    def list_from(self, boundary: int | None) -> Iterator[Candidate]:
        """Yield the sendable pairs from position `boundary` on, oldest first. `boundary` None: all sendable pairs."""
        ...

    def cut(self, before: int) -> SizedPairs:
        """Return the pairs with a position lower than `before`."""
        ...


@dataclass(frozen=True, slots=True)
class MeasuredPairs:
    """Pairs from a list, such as those that a filter selects, with their tokens.

    `positions` are those of the sendable pairs. `totals` and `image_totals` are the cumulative tokens of the sendable
    pairs, from the newest on.
    """

    pairs: tuple[Candidate, ...]
    tokens: tuple[int, ...]
    positions: tuple[int, ...]
    totals: tuple[int, ...]
    image_totals: tuple[int, ...]
    running: int
    estimator: Estimator

    def __len__(self) -> int:
        return len(self.pairs)

    @property
    def sendable(self) -> int:
        return len(self.positions)

    @property
    def newest(self) -> int | None:
        return self.positions[-1] if self.positions else None

    def fit(self, available: int) -> int | None:
        kept = fit_newest(self.totals, available)
        if kept == len(self.positions):
            return None
        return self.positions[-kept] if kept else self.positions[-1] + 1

    def count_from(self, boundary: int | None) -> int:
        return len(self.positions) - (0 if boundary is None else bisect_left(self.positions, boundary))

    def sum_newest(self, count: int) -> tuple[int, int]:
        return (self.totals[count - 1], self.image_totals[count - 1]) if count else (0, 0)

    def list_from(self, boundary: int | None) -> Iterator[Candidate]:
        start = 0 if boundary is None else bisect_left(self.pairs, boundary, key=attrgetter("position"))
        return (self.pairs[at] for at in range(start, len(self.pairs)) if self.pairs[at].sendable)

    def cut(self, before: int) -> MeasuredPairs:
        end = bisect_left(self.pairs, before, key=attrgetter("position"))
        return measure_as(self.pairs[:end], self.tokens[:end], self.estimator)


@dataclass(frozen=True, slots=True)
class BoundaryInputs:
    """The data from which the context boundary is computed, except the pairs and the draft.

    - `window`: the window of the model in tokens.
    - `system`, `tools`: the estimated tokens of the system text and of the tools.
    - `input_price`: US dollars per million tokens; None if it is unknown.
    - `input_steps`: sizes of requests in tokens above which another input price applies, each with this other price.
    - `free`: the model runs on the user's own machine and costs nothing.
    - `draft_kind`: the kind of the draft's text.
    - `draft_doubt`: the possible error of the draft's estimate in tokens.
    """

    estimator: Estimator
    window: int
    limits: Limits = field(default_factory=Limits)
    system: int = 0
    tools: int = 0
    input_price: Decimal | None = None
    free: bool = False
    input_steps: tuple[tuple[int, Decimal], ...] = ()
    draft_kind: TextKind = TextKind.PLAIN
    draft_doubt: float = 0.0


@dataclass(frozen=True, slots=True)
class Drawn:
    """The context boundary of a base set, with the inputs and the budget from which it was computed.

    `position` is the position of the oldest pair that fits; None if all pairs fit. The docstring of the module explains
    base sets.
    """

    terms: BoundaryInputs
    budget: Budget
    request: RequestSizes
    position: int | None


@dataclass(frozen=True, slots=True)
class Estimate:
    """The estimated tokens of a send.

    - `tokens`: the total.
    - `error_band`: the relative error of the total.
    - `pairs`: the tokens of the pairs, including their `images`.
    - `limit`: the budget.
    - `limited_by`: the name of the limit that sets the budget.
    - `cost`: the price of the request in US dollars without a cache; None if it is unknown.
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
    cost: Decimal | None


@dataclass(frozen=True, slots=True)
class Composition:
    """The pairs in view, oldest first, and the pairs that are sent.

    - `boundary`: the position of the oldest pair that fits; None if all fit, or if all are sent anyway.
    - `boundary_reason`: the reason why pairs older than the boundary are not sent (OUT).
    - `y`, `x`: the number of pairs in view, and the number of those that are sent.

    A pair whose reply is running is visible, but it is neither sent nor OUT, and is not counted.
    """

    visible: SizedPairs
    boundary: int | None
    boundary_reason: OutReason
    x: int
    y: int
    estimate: Estimate

    def out_of(self, pair: Candidate) -> OutReason | None:
        """Return the reason why this visible pair is not sent, or None if it is sent or its reply is running."""
        if not pair.sendable:
            return pair.out
        return None if self.boundary is None or pair.position >= self.boundary else self.boundary_reason

    @property
    def out(self) -> Mapping[str, OutReason]:
        """Every visible pair that is not sent, with the reason."""
        reasons = ((pair.pair_id, self.out_of(pair)) for pair in self.visible.pairs)
        return {pair_id: reason for pair_id, reason in reasons if reason is not None}

    @property
    def sent(self) -> tuple[Candidate, ...]:
        """The pairs that are sent, oldest first."""
        return tuple(self.visible.list_from(self.boundary))

    @property
    def first_sent(self) -> Candidate | None:
        """The oldest pair that is sent, or None if no pair is sent."""
        return next(self.visible.list_from(self.boundary), None)

    @property
    def too_large_alone(self) -> bool:
        """True if draft, system text, tools and reserve exceed the budget without any pair."""
        estimate = self.estimate
        return estimate.system + estimate.tools + estimate.draft + estimate.reserve > estimate.limit

    @property
    def over_budget(self) -> bool:
        """True if a person must decide: a pair in view does not fit, or the request is too large even without any
        pairs.
        """
        if self.too_large_alone:
            return True
        return self.boundary_reason is OutReason.OVER_BUDGET and self.x < self.visible.sendable


def measure(pairs: Sequence[Candidate], estimator: Estimator) -> MeasuredPairs:
    """Return these pairs, oldest first, with the estimated tokens of each."""
    return measure_as(pairs, tuple(estimator.of_pair(pair.sizes) for pair in pairs), estimator)


def measure_as(pairs: Sequence[Candidate], tokens: tuple[int, ...], estimator: Estimator) -> MeasuredPairs:
    """Return these pairs, oldest first, each with its known number of tokens. Nothing is estimated again."""
    sendable = [(pair, count) for pair, count in zip(pairs, tokens, strict=True) if pair.sendable]
    newest_first = sendable[::-1]
    images = (estimator.of_images(pair.sizes) if pair.sizes.images else 0 for pair, _ in newest_first)
    return MeasuredPairs(
        tuple(pairs),
        tokens,
        tuple(pair.position for pair, _ in sendable),
        tuple(accumulate(count for _, count in newest_first)),
        tuple(accumulate(images)),
        sum(pair.running for pair in pairs),
        estimator,
    )


def draw_boundary(base: SizedPairs, terms: BoundaryInputs, draft: int = 0) -> Drawn:
    """Compute the boundary: the oldest pair of the base set that fits into the budget.

    `draft` is the estimated size of the draft in tokens.
    """
    request = RequestSizes(terms.estimator.base + terms.system, terms.tools, draft)
    budget = budget_of(terms, request)
    return Drawn(terms, budget, request, base.fit(budget.available))


def budget_of(terms: BoundaryInputs, request: RequestSizes = NOTHING_YET) -> Budget:
    """Return the budget of a send in tokens.

    `request` has the sizes of everything that is sent in addition to the pairs.
    """
    price = None if terms.free else terms.input_price
    return plan_budget(terms.window, terms.limits, request, input_price=price, input_steps=terms.input_steps)


def compose(
    base: SizedPairs, drawn: Drawn, visible: SizedPairs | None = None, *, explicit: bool = False, forced: bool = False
) -> Composition:
    """Decide which of the pairs in view are sent. `visible` are the pairs of the base set that are in view; None: all.

    - `explicit`: the filter has the term `o` (“inside the context boundary”), so pairs in view that are older than the
      boundary are shown but not sent.
    - `forced`: a person chose to send even the pairs that do not fit.
    """
    shown = base if visible is None else visible
    boundary = None if forced and not explicit else drawn.position
    x = shown.count_from(boundary)
    return Composition(
        shown,
        boundary,
        OutReason.FILTERED if explicit else OutReason.OVER_BUDGET,
        x,
        len(shown) - shown.running,
        _estimate(drawn, x, *shown.sum_newest(x)),
    )


def _estimate(drawn: Drawn, count: int, pairs: int, images: int) -> Estimate:
    request, budget = drawn.request, drawn.budget
    tokens = request.system + request.tools + pairs + request.draft
    return Estimate(
        tokens=tokens,
        error_band=_band(drawn, count, pairs, images, tokens),
        system=request.system,
        tools=request.tools,
        pairs=pairs,
        images=images,
        draft=request.draft,
        reserve=drawn.terms.limits.reserve,
        limit=budget.total,
        available=budget.available,
        limited_by=budget.limited_by,
        cost=price_tokens(drawn.terms, tokens),
    )


def _band(drawn: Drawn, count: int, pairs: int, images: int, tokens: int) -> float:
    """Return the relative error of an estimate: the sum of the errors of its parts."""
    terms, estimator = drawn.terms, drawn.terms.estimator
    if not estimator.band:
        return 0.0
    texts = drawn.request.system + pairs - images
    known = min(texts + drawn.request.tools, estimator.of_text(estimator.known))
    new = texts + drawn.request.tools - known
    new_tools = min(new, drawn.request.tools)
    doubt = (
        estimator.band * known
        + NEW_TOOLS * new_tools
        + estimator.doubt_of_old(new - new_tools, terms.draft_kind)
        + terms.draft_doubt
        + NEW_IMAGES * images
        + estimator.base_doubt
        + estimator.slack * (2 + count)
    )
    return max(estimator.band, ceil(doubt / max(1, tokens) * THOUSAND) / THOUSAND)


def price_tokens(terms: BoundaryInputs, tokens: int) -> Decimal | None:
    """Return the price of these input tokens in US dollars, without a cache; None if the price is unknown."""
    if terms.free:
        return Decimal(0)
    if terms.input_price is None:
        return None
    price = next((price for above, price in reversed(terms.input_steps) if tokens > above), terms.input_price)
    return price * tokens / MILLION
