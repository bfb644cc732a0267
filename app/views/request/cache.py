"""Views of the provider's prompt cache: the effect of a send on it, and the quality of earlier predictions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from typing import Literal

from app.domain.cache.misses import Break, Outcome, describe_place
from app.domain.cache.plan import CachePlan
from app.domain.cache.prefix import SYSTEM, TOOLS
from app.domain.cache.rules import HOUR
from app.domain.costs.prices import Tariff, price_usage
from app.domain.request.request import Request, WireRole
from app.domain.usage import Usage
from app.views.request.composition import describe_cost
from app.views.request.keep_warm import KeepWarmOfferView, KeepWarmView

Kind = Literal["tools", "system", "message"]


@dataclass(frozen=True, slots=True)
class PlaceView:
    """A place in a request: the end of its tools, of its system text, or of a message.

    `message` is the index of the message; null: tools or system text. `pair_id` and `position` identify its pair; null:
    the message is the draft, or the place is not in a message.
    """

    kind: Kind
    message: int | None
    role: WireRole | None
    pair_id: str | None
    position: int | None


@dataclass(frozen=True, slots=True)
class BreakpointView:
    """A cache breakpoint: the provider caches the prefix up to the place `after` for `seconds` seconds."""

    after: PlaceView
    seconds: int


@dataclass(frozen=True, slots=True)
class CacheBreakView:
    """A prefix of `tokens` tokens that the provider has cached and that a send would not read.

    - `differs`: the first place where the send differs from this prefix.
    - `sentence`: describes this place.
    - `cost`: the extra price of processing these tokens again, in US dollars as decimal text.
    """

    tokens: int
    cost: str
    differs: PlaceView
    sentence: str
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class CacheView:
    """The predicted effect of a send on the provider's cache.

    The send reads the prefix up to `cached_to` (null: it reads nothing), which expires at `expires_at`.

    - `exact`: the provider has reported the size of this prefix; otherwise the size is an estimate.
    - `breakpoints`: the cache breakpoints of the request.
    - `cache_control_index`: the place of the last breakpoint.
    - `cost`, `cost_uncached`: the prices of the prompt alone, with and without the cache, in US dollars as decimal
      text.
    - `broken`: a cached prefix that the send would not read; null: there is none.
    """

    predicted_read_tokens: int
    exact: bool
    expires_at: datetime | None
    cached_to: PlaceView | None
    predicted_write_tokens: int
    cache_control_index: int | None
    breakpoints: tuple[BreakpointView, ...]
    cost: str
    cost_uncached: str
    broken: CacheBreakView | None


@dataclass(frozen=True, slots=True)
class CachedCallView:
    """A provider call: the predicted use of the cache, and the use that the provider reported (null: no report).

    - `outcome`: compares both.
    - `why`: explains a wrong prediction.
    - `differs`: describes the first place where the request differs from the previous request; null: it begins with the
      whole previous request.
    - `frozen`: the call read from the cache and did not write to it.
    """

    run_id: str
    pair_id: str
    started_at: datetime
    cache_control_index: int | None
    frozen: bool
    predicted_read_tokens: int
    exact: bool
    read_tokens: int | None
    write_tokens: int | None
    outcome: Outcome
    why: str | None
    differs: str | None


@dataclass(frozen=True, slots=True)
class CacheStateView:
    """The state of the provider's cache for a conversation.

    - `style`: the kind of the provider's cache; null: no cache is known.
    - `next`: the effect of the next send; null: nothing is cached.
    - `now`: the server's clock, for a countdown.
    - `calls`: the last calls, newest first.
    - `offer`: the cost of a keep-alive ("keep warm") for the prefix that `next` reads.
    - `kept`: the newest keep-alive; null: none was started.
    """

    model: str
    style: Literal["marked", "stepped", "newest"] | None
    minimum_tokens: int | None
    now: datetime
    next: CacheView | None
    calls: tuple[CachedCallView, ...]
    offer: KeepWarmOfferView | None
    kept: KeepWarmView | None


def describe_cache(  # noqa: PLR0913, PLR0917 - the inputs of the view
    request: Request,
    plan: CachePlan,
    broken: Break | None,
    positions: Mapping[str, int],
    tariff: Tariff | None,
    at: datetime,
) -> CacheView:
    """Describe the predicted effect of a request on the provider's cache, at the time `at`.

    - `plan`: the cache plan of the request.
    - `broken`: the cached prefix that the request would not read; None: there is none.
    - `positions` has the positions of pairs by id.
    - `tariff` has the prices; None: they are unknown.
    """

    def place_of(place: int) -> PlaceView:
        return _describe_place(request, place, positions)

    read, written = plan.prediction.tokens, plan.written
    used = _usage(plan, read, written)
    plain = Usage(input_tokens=plan.tokens)
    return CacheView(
        predicted_read_tokens=read,
        exact=plan.prediction.exact,
        expires_at=plan.prediction.expires_at,
        cached_to=None if plan.prediction.place is None else place_of(plan.prediction.place),
        predicted_write_tokens=written,
        cache_control_index=plan.index,
        breakpoints=tuple(BreakpointView(place_of(mark.place), mark.lifetime) for mark in plan.marks),
        cost=describe_cost(price_usage(used, tariff, at)),
        cost_uncached=describe_cost(price_usage(plain, tariff, at)),
        broken=None if broken is None else _describe_break(broken, plan, place_of(broken.place), tariff, at),
    )


def _usage(plan: CachePlan, read: int, written: int) -> Usage:
    rest = max(0, plan.tokens - read - written)
    if plan.marks and plan.marks[-1].lifetime == HOUR:
        return Usage(input_tokens=rest, cache_read_tokens=read, cache_write_1h_tokens=written)
    return Usage(input_tokens=rest, cache_read_tokens=read, cache_write_tokens=written)


def _describe_break(
    broken: Break, plan: CachePlan, differs: PlaceView, tariff: Tariff | None, at: datetime
) -> CacheBreakView:
    written = min(broken.tokens, plan.written)
    anew = price_usage(_usage(replace(plan, tokens=broken.tokens), 0, written), tariff, at)
    kept = price_usage(Usage(cache_read_tokens=broken.tokens), tariff, at)
    cost: Decimal | None = None if anew is None or kept is None else max(Decimal(0), anew - kept)
    where = describe_place(broken.place)
    if differs.kind == "message":
        where = "The draft" if differs.pair_id is None else f"Pair {differs.position}"
    sentence = f"{where} is the first part that differs from the last send."
    return CacheBreakView(broken.tokens, describe_cost(cost), differs, sentence, broken.expires_at)


def _describe_place(request: Request, place: int, positions: Mapping[str, int]) -> PlaceView:
    if place in {TOOLS, SYSTEM}:
        return PlaceView("tools" if place == TOOLS else "system", None, None, None, None)
    message = request.messages[place] if place < len(request.messages) else None
    pair_id = None if message is None else message.pair_id
    return PlaceView(
        "message",
        place,
        None if message is None else message.role,
        pair_id,
        None if pair_id is None else positions.get(pair_id),
    )
