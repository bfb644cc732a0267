"""The composition of a send: which pairs are in view, which of them go out, and what that comes to.

Two steps, as the filter language wants it: the boundary is drawn on the base set, then it is asked of what is in view.
The page, the HTTP API, the preview and the send all do these two, so what is shown is what is sent.

    base = measure(…the filter's base set, oldest first…, estimator)
    drawn = draw_boundary(base, terms, draft=12)
    composition = compose(base, drawn)

Measuring the pairs that a filter selects looks at each of them, and is done once. A whole conversation is measured as
far as the boundary asks (`pair_index.py`): none of this takes longer for a long history than for a short one.

Not here: which pairs a filter selects (`filters/`), and the request itself (`context.py`).
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
from app.domain.tokens.kinds import Kind
from app.domain.usage import MILLION

NOTHING_YET = RequestSizes()
NEW_TOOLS, NEW_IMAGES = 0.3, 0.1
"""By which share of its tokens each may be off before anything was reported of it."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A pair that may be in view. `out`: why it is not sent whatever the budget; `running`: its reply is not over.

    `revision` is the conversation's at the pair's last change: a text read at that revision is the pair's text.
    """

    pair_id: str
    position: int
    sizes: PairSizes
    out: OutReason | None = None
    running: bool = False
    revision: int = 0

    @property
    def sendable(self) -> bool:
        """True if a send includes it when it fits."""
        return self.out is None and not self.running


class Measured(Protocol):
    """Pairs, oldest first, with what each comes to for a model: some of a conversation's, or all (`pair_index.py`)."""

    @property
    def pairs(self) -> Sequence[Candidate]: ...

    @property
    def tokens(self) -> Sequence[int]:
        """Tokens of each pair."""
        ...

    @property
    def running(self) -> int:
        """The number of pairs whose reply is running."""
        ...

    @property
    def sendable(self) -> int:
        """The number of pairs that a send could include."""
        ...

    @property
    def newest(self) -> int | None:
        """The position of the newest pair that could be sent."""
        ...

    def __len__(self) -> int: ...

    def fit(self, available: int) -> int | None:
        """The position of the oldest pair of the longest run of newest ones that fits; None: all fit.

        Where not even the newest fits, the position after it.
        """
        ...

    def count_from(self, boundary: int | None) -> int:
        """The number of sendable pairs at this position or after it."""
        ...

    def sum_newest(self, count: int) -> tuple[int, int]:
        """Tokens of the newest `count` sendable pairs, and of their images alone."""
        ...

    def list_from(self, boundary: int | None) -> Iterator[Candidate]:
        """The sendable pairs at this position or after it, oldest first."""
        ...

    def cut(self, before: int) -> Measured:
        """Those before this position."""
        ...


@dataclass(frozen=True, slots=True)
class MeasuredPairs:
    """Some pairs, named one by one.

    `positions` are those of the pairs that could be sent, `totals` and `image_totals` what these come to, added up
    from the newest one on.
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
class Terms:
    """What the boundary depends on besides the pairs and the draft. `system` and `tools` are estimates, in tokens.

    `window` is the model's, in tokens. `input_price` is US dollars per million tokens, None when nobody knows it.
    `free`: the model runs on a machine of one's own. `input_steps`: past so many tokens another price holds for all.
    `draft_kind` is what the draft looks like, and by `draft_doubt` tokens its estimate may be off.
    """

    estimator: Estimator
    window: int
    limits: Limits = field(default_factory=Limits)
    system: int = 0
    tools: int = 0
    input_price: Decimal | None = None
    free: bool = False
    input_steps: tuple[tuple[int, Decimal], ...] = ()
    draft_kind: Kind = Kind.PLAIN
    draft_doubt: float = 0.0


@dataclass(frozen=True, slots=True)
class Drawn:
    """The boundary on a base set: the position of the oldest pair it keeps, None when it leaves none out."""

    terms: Terms
    budget: Budget
    request: RequestSizes
    position: int | None


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a send comes to, in tokens. `tokens` is all of it; `images` are part of `pairs`; `limit` is the budget.

    `cost` is US dollars for reading the request at the full price, None when the price is unknown.
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
    """What is in view, oldest first, and what becomes of it.

    `boundary` is the position of the oldest pair kept, None when all are; a pair before it is out for
    `boundary_reason`. `x` pairs of the `y` in view are sent. A running pair is in view, neither sent nor out, and not
    counted.
    """

    visible: Measured
    boundary: int | None
    boundary_reason: OutReason
    x: int
    y: int
    estimate: Estimate

    def out_of(self, pair: Candidate) -> OutReason | None:
        """Why this visible pair is not sent; None: it is, or its reply is not over."""
        if not pair.sendable:
            return pair.out
        return None if self.boundary is None or pair.position >= self.boundary else self.boundary_reason

    @property
    def out(self) -> Mapping[str, OutReason]:
        """Every visible pair that is not sent, and why."""
        reasons = ((pair.pair_id, self.out_of(pair)) for pair in self.visible.pairs)
        return {pair_id: reason for pair_id, reason in reasons if reason is not None}

    @property
    def sent(self) -> tuple[Candidate, ...]:
        """The pairs that go out, oldest first."""
        return tuple(self.visible.list_from(self.boundary))

    @property
    def first_sent(self) -> Candidate | None:
        """The oldest pair that goes out."""
        return next(self.visible.list_from(self.boundary), None)

    @property
    def too_large_alone(self) -> bool:
        """Whether the request exceeds the budget without any pair: by its draft, system text, tools and reserve."""
        estimate = self.estimate
        return estimate.system + estimate.tools + estimate.draft + estimate.reserve > estimate.limit

    @property
    def over_budget(self) -> bool:
        """Whether a person has to decide: a pair in view does not fit, or the request is too large without any."""
        if self.too_large_alone:
            return True
        return self.boundary_reason is OutReason.OVER_BUDGET and self.x < self.visible.sendable


def measure(pairs: Sequence[Candidate], estimator: Estimator) -> MeasuredPairs:
    """Count the tokens of these pairs, oldest first."""
    return measure_as(pairs, tuple(estimator.of_pair(pair.sizes) for pair in pairs), estimator)


def measure_as(pairs: Sequence[Candidate], tokens: tuple[int, ...], estimator: Estimator) -> MeasuredPairs:
    """As `measure`, with the tokens of each pair known."""
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


def draw_boundary(base: Measured, terms: Terms, draft: int = 0) -> Drawn:
    """Find the oldest pair of the base set that fits into the budget. `draft` is an estimate, in tokens."""
    request = RequestSizes(terms.estimator.base + terms.system, terms.tools, draft)
    budget = budget_of(terms, request)
    return Drawn(terms, budget, request, base.fit(budget.available))


def budget_of(terms: Terms, request: RequestSizes = NOTHING_YET) -> Budget:
    """The budget of a send in tokens, and the part of it that is free for pairs."""
    price = None if terms.free else terms.input_price
    return plan_budget(terms.window, terms.limits, request, input_price=price)


def compose(
    base: Measured, drawn: Drawn, visible: Measured | None = None, *, explicit: bool = False, forced: bool = False
) -> Composition:
    """What becomes of the pairs in view: those `visible` of the base set, None being all of it.

    `explicit`: the filter speaks of the boundary itself, so who wrote it wants what is beyond it shown and not sent.
    `forced`: what does not fit is sent all the same, as a person chose.
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
    """The share of an estimate by which it may be off: each part by its own, added up."""
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


def price_tokens(terms: Terms, tokens: int) -> Decimal | None:
    """US dollars for reading so many tokens at the full price; None: nobody knows the price."""
    if terms.free:
        return Decimal(0)
    if terms.input_price is None:
        return None
    price = next((price for above, price in reversed(terms.input_steps) if tokens > above), terms.input_price)
    return price * tokens / MILLION
