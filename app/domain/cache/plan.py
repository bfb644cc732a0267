"""The cache plan of a request: the places of its breakpoints, and its predicted cache read.

There are at most four breakpoints, and they cost nothing. Each is at one of these places:

- the newest message that the next request will also have;
- the message in front of it, and a place a few pairs earlier, because people edit the newest pairs;
- the longest cached entry of this request, unless another breakpoint finds it: from each breakpoint, a vendor searches
  only some positions backwards (the lookback);
- the system text and the tools, which stay the same under any filter, if nothing after them is cached;
- the place where this request differs from an earlier one, because people often go back to the earlier view.

A request for a title or a summary is `frozen`: it reads cached entries and writes none, because no later request would
read them.

An entry is cached for five minutes or an hour. For an hour, each written token costs 0.75 of the input price more, but
the whole prefix is protected, now and for later sends. An hour is chosen if this extra price is lower than the expected
loss: the tokens that a pause would lose, times the probability of such a pause soon. Even then, the newest message is
cached for five minutes, because its loss costs least. Providers report the tokens of the two lifetimes separately, so
such a report also has the size of the part that is cached for an hour. Among similar places, the plan prefers one whose
size a provider has reported: then the predicted read is exactly the billed read.

    plan = plan_cache(make_cache_request(request, hashes, CallToCache("c1", 12_000)), warmth, now)
    plan.prediction.tokens                  # the predicted cache read
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import accumulate

from app.domain.cache.pauses import estimate_pauses
from app.domain.cache.prefix import (
    SYSTEM,
    TOOLS,
    Prefix,
    can_be_marked,
    can_be_marked_in_chat,
    count_contents,
    count_positions,
    prefix_of,
    weigh,
)
from app.domain.cache.rules import FIVE_MINUTES, HOUR, CacheLifetime, CacheRules, CacheStyle
from app.domain.cache.warmth import Breakpoint, CachedCall, CachedPrefix, Size, Warmth
from app.domain.request.request import Request

DEAR = 0.75
"""Extra price of a token that is written for an hour instead of five minutes, as a multiple of the input price."""
LOSS = 1.15
"""Extra price of a token that is written again instead of read, as a multiple of the input price."""
SOON = 2
"""Number of sends whose expected losses must exceed the extra price of an hour. Otherwise, five minutes are chosen.

Found by trials (decision 0026).
"""
SURELY = 1.1
"""Minimum length of a cacheable prefix of estimated size, as a multiple of the vendor's minimum length."""
EDITED_BACK = 7
"""Distance in messages from the newest message to the breakpoint for edits: people edit the last four pairs."""
NEAR = 2
"""Maximum number of messages by which the breakpoint for edits moves back to a place of known size."""


@dataclass(frozen=True, slots=True)
class CallToCache:
    """A call that needs cache breakpoints.

    - `conversation_id`: the conversation whose pauses between calls the plan uses.
    - `tokens`: the estimated size of the whole request.
    - `frozen`: set no new breakpoint, as for a title or a summary.
    - `unstable`: the number of newest messages of this request that the next request will not contain; None: the next
      request will share only the tools and the system text with this one.
    - `tools_apart`: the system text may change, and the tools must stay cached even then. So a breakpoint after the
      tools is set before any other, except those after the system text and after the newest message.
    """

    conversation_id: str
    tokens: int
    frozen: bool = False
    unstable: int | None = 0
    tools_apart: bool = False


@dataclass(frozen=True, slots=True)
class CacheRequest:
    """The input of a cache plan: a request with its keys and sizes. A place is an index in the request (`prefix.py`).

    - `prefix`: the keys of the request.
    - `positions`: the number of blocks of each message, as the vendor's search for cached entries counts them
      (`count_positions`, or `count_contents` in Chat Completions).
    - `totals`: the length of the request up to the end of the system text, then up to the end of each message, in any
      unit.
    - `tokens`: the estimate for the whole request.
    - `unmarkable`: the places that cannot have a breakpoint.
    - `stable`: the last place that the next request will also have; None: all places. Some filters drop the newest pair
      from the next view, or the oldest with each send.
    - `tools_apart`: the system text may change, and the tools must stay cached even then. So a breakpoint after the
      tools is set before any other, except those after the system text and after the newest message.
    """

    prefix: Prefix
    positions: Sequence[int]
    totals: Sequence[int]
    tokens: int
    unmarkable: frozenset[int] = frozenset()
    conversation_id: str = ""
    stable: int | None = None
    tools_apart: bool = False


@dataclass(frozen=True, slots=True)
class Prediction:
    """The probable cache read of a request.

    - `place`: the request reads everything up to this place; None: it reads nothing.
    - `tokens`: the size of the read.
    - `exact`: True if the provider has reported this size before.
    - `expires_at`: the time when the cache entry expires.
    - `lifetime`: the lifetime of the entry in seconds.
    """

    place: int | None = None
    tokens: int = 0
    exact: bool = True
    expires_at: datetime | None = None
    lifetime: int = 0


NOTHING = Prediction()


@dataclass(frozen=True, slots=True)
class CachePlan:
    """The breakpoints of a request in order, and the predicted read.

    `written` is the number of tokens that the request will write to the cache, `tokens` the size of the whole request.
    """

    marks: tuple[Breakpoint, ...] = ()
    prediction: Prediction = NOTHING
    written: int = 0
    tokens: int = 0

    @property
    def index(self) -> int | None:
        """The place of the last breakpoint in the request, or None if there is no breakpoint."""
        return self.marks[-1].place if self.marks else None


def make_cache_request(
    request: Request, hashes: tuple[str, ...], call: CallToCache, rules: CacheRules | None = None
) -> CacheRequest:
    """Make the input of a plan from a request, its content hashes and the call that sends it.

    `rules` are the cache rules of the request's model; None: those of Anthropic.
    """
    chat = rules is not None and rules.chat
    count, markable = (count_contents, can_be_marked_in_chat) if chat else (count_positions, can_be_marked)
    head = sum(len(tool.name) + len(tool.description) + len(tool.input_schema_json) for tool in request.tools)
    totals = accumulate((weigh(message) for message in request.messages), initial=head + len(request.system))
    unmarkable = {place for place, message in enumerate(request.messages) if not markable(message)}
    if chat:
        unmarkable |= {TOOLS} if request.system else {TOOLS, SYSTEM}
    return CacheRequest(
        prefix_of(request, hashes),
        tuple(map(count, request.messages)),
        tuple(totals),
        call.tokens,
        frozenset(unmarkable),
        call.conversation_id,
        SYSTEM if call.unstable is None else len(request.messages) - 1 - call.unstable,
        call.tools_apart,
    )


def plan_cache(
    request: CacheRequest,
    warmth: Warmth,
    now: datetime,
    *,
    lifetime: CacheLifetime = CacheLifetime.AUTO,
    frozen: bool = False,
) -> CachePlan:
    """Return the breakpoints of a request and its predicted read. `frozen`: the request must not write to the cache."""
    rules = warmth.rules
    if rules.style is CacheStyle.STEPPED:
        return CachePlan((), _predict_stepped(request, warmth, now), 0, request.tokens)
    if rules.style is CacheStyle.NEWEST:
        marks: tuple[Breakpoint, ...] = (Breakpoint(request.prefix.last, rules.lifetimes[0]),)
    elif lifetime is CacheLifetime.OFF:
        return CachePlan(tokens=request.tokens)
    else:
        marks = _place_marks(request, warmth, now, lifetime, frozen=frozen)
    prediction = predict_read(request, marks, warmth, now)
    newest = 0
    if marks and (size := measure_request(request, marks[-1].place, warmth.sizes).tokens) >= rules.minimum:
        newest = size
    return CachePlan(marks, prediction, max(0, newest - prediction.tokens), request.tokens)


def predict_read(request: CacheRequest, marks: Sequence[Breakpoint], warmth: Warmth, now: datetime) -> Prediction:
    """Predict the cache read of a request with the breakpoints `marks`: the longest cached entry that the vendor finds.

    From each breakpoint, the vendor searches a limited number of positions backwards (the lookback).
    """
    places = [mark.place for mark in marks]
    mine = sorted(
        (entry for entry in warmth.alive(now) if entry.begins(request.prefix)), key=lambda entry: -entry.place
    )
    for entry in mine:
        size = _size_of(entry, request, warmth.sizes)
        long_enough = size.exact or size.tokens >= warmth.rules.minimum * SURELY
        if long_enough and _finds(request, warmth, places, entry.place):
            return Prediction(entry.place, size.tokens, size.exact, entry.expires_at, entry.lifetime)
    return NOTHING


@dataclass(frozen=True, slots=True)
class TokenSize:
    """A size in tokens. `exact` is false for an estimate."""

    tokens: int
    exact: bool


def measure_request(request: CacheRequest, place: int, sizes: Sequence[Size]) -> TokenSize:
    """Return the size of a request up to a place: the reported size if it is known, otherwise an estimate.

    The estimate is the known size of the nearest earlier place, plus a share of the remaining tokens, in
    proportion to the length.
    """
    known = [size for size in sizes if size.place <= place and request.prefix.begins_with(size.place, size.key)]
    start = max(known, key=lambda size: size.place, default=None)
    if start is not None and start.place == place:
        return TokenSize(start.tokens, exact=True)
    before = _weight(request, start.place) if start else 0
    base = start.tokens if start else 0
    rest = request.totals[-1] - before
    share = (_weight(request, place) - before) / rest if rest else 0
    return TokenSize(base + round(max(0, request.tokens - base) * share), exact=False)


# --- marking ---


def _place_marks(
    request: CacheRequest, warmth: Warmth, now: datetime, lifetime: CacheLifetime, *, frozen: bool
) -> tuple[Breakpoint, ...]:
    prefix = request.prefix
    mine = [entry for entry in warmth.alive(now) if entry.begins(prefix) and entry.place not in request.unmarkable]
    deepest = max(mine, key=lambda entry: entry.place, default=None)
    places = [] if frozen else _writing_places(request, warmth, deepest)
    chosen = _choose(request, warmth, places)
    if deepest is not None and not _finds(request, warmth, chosen, deepest.place):
        chosen = _choose(request, warmth, [deepest.place, *places])
    if not chosen:
        return ()
    hour = _hour_up_to(request, warmth, now, lifetime, chosen, deepest)
    if hour < (before := max(chosen) - 1) and deepest is not None and before - 1 <= deepest.place < before:
        # Set no breakpoint at `before`. So after an edit, a request reads the existing entry, whose size is known. The
        # size of a new entry at `before` would never be reported.
        fewer = [place for place in chosen if place != before]
        chosen = fewer if _finds(request, warmth, fewer, deepest.place) else chosen
    return tuple(Breakpoint(place, HOUR if place <= hour else FIVE_MINUTES) for place in sorted(chosen))


def _writing_places(request: CacheRequest, warmth: Warmth, deepest: CachedPrefix | None) -> list[int]:
    """Return the places after the longest cached entry where a new entry is useful, the most important place first."""
    prefix = request.prefix
    newest = prefix.last if request.stable is None else request.stable
    parting = _parting(prefix, warmth.calls)
    last = [*([] if parting is None else [parting]), _edited_back(request, newest, warmth.sizes)]
    tools = [TOOLS, newest - 1, *last] if request.tools_apart else [newest - 1, *last, TOOLS]
    places = [newest, SYSTEM, *tools]
    kept = TOOLS - 1 if deepest is None else deepest.place
    return [place for place in places if kept < place <= newest]


def _edited_back(request: CacheRequest, newest: int, sizes: Sequence[Size]) -> int:
    """Return the place of the breakpoint for edits of the last pairs.

    If the size of an earlier place nearby is known, that place is returned instead.
    """
    place = newest - EDITED_BACK
    known = (size.place for size in sizes if size.place <= place and size.key == request.prefix.key(size.place))
    return max((one for one in known if one >= place - NEAR), default=place)


def _choose(request: CacheRequest, warmth: Warmth, places: Sequence[int]) -> list[int]:
    """Return those of the `places` that can have a breakpoint, in their order, up to the allowed number."""
    rules = warmth.rules
    return [
        place
        for place in dict.fromkeys(places)
        if request.prefix.key(place)
        and place not in request.unmarkable
        and measure_request(request, place, warmth.sizes).tokens >= rules.minimum
    ][: rules.marks]


def _finds(request: CacheRequest, warmth: Warmth, marks: Sequence[int], place: int) -> bool:
    """Return true if the lookback from one of the breakpoints `marks` reaches the cached entry at `place`."""
    lookback = warmth.rules.lookback
    return any(mark >= place and (lookback is None or _distance(request, place, mark) < lookback) for mark in marks)


def _parting(prefix: Prefix, calls: Sequence[CachedCall]) -> int | None:
    """Return the last place that this request shares with an earlier call before the two differ.

    The earlier call is the one with the longest shared prefix; None: no earlier call differs after a shared message.
    """
    shared = ((prefix.shared_with(call.prefix), call.prefix.last) for call in calls)
    return max((place for place, last in shared if place is not None and 0 <= place < last), default=None)


def _hour_up_to(  # noqa: PLR0913, PLR0917 - the inputs of the choice
    request: CacheRequest,
    warmth: Warmth,
    now: datetime,
    lifetime: CacheLifetime,
    chosen: Sequence[int],
    deepest: CachedPrefix | None,
) -> int:
    """Return the place up to which the request is cached for an hour; `TOOLS - 1`: no part is."""
    newest = max(chosen)
    if HOUR not in warmth.rules.lifetimes:
        return TOOLS - 1
    match lifetime:
        case CacheLifetime.SHORT | CacheLifetime.OFF:
            return TOOLS - 1
        case CacheLifetime.LONG:
            return newest
        case CacheLifetime.AUTO:
            pass
    whole = measure_request(request, newest, warmth.sizes).tokens
    read = _size_of(deepest, request, warmth.sizes).tokens if deepest else 0
    safe = max(
        (
            _size_of(entry, request, warmth.sizes).tokens
            for entry in warmth.entries
            if entry.lifetime == HOUR
            and entry.begins(request.prefix)
            and entry.expires_at > now + timedelta(seconds=HOUR / 2)
        ),
        default=0,
    )
    chance = estimate_pauses(request.prefix, request.conversation_id, warmth.calls, now)
    at_stake, new = chance * LOSS * (whole - safe), whole - read
    pair = whole - measure_request(request, max(SYSTEM, newest - 2), warmth.sizes).tokens
    # An hour costs more per written token. It is not chosen if the expected loss is too small, and not yet if it will
    # cost less at the next send: then only one more pair is written, but an hour can protect the whole prefix.
    if SOON * at_stake <= DEAR * new or at_stake < DEAR * (new - pair):
        return SYSTEM
    return newest - 1 if newest - 1 in chosen else newest


# --- predicting what the next request reads from the cache ---


def _predict_stepped(request: CacheRequest, warmth: Warmth, now: datetime) -> Prediction:
    """Predict the read of a stepped cache: the longest prefix shared with a cached request, rounded down to a step."""
    rules, best = warmth.rules, NOTHING
    lifetime = timedelta(seconds=rules.lifetimes[0])
    for call in warmth.calls:
        if call.at + lifetime <= now or call.usage is None:
            continue
        place = request.prefix.shared_with(call.prefix)
        if place is None or place < SYSTEM:
            continue
        size = measure_request(request, place, warmth.sizes)
        if size.tokens >= rules.minimum and size.tokens >= best.tokens:
            tokens = rules.minimum + (size.tokens - rules.minimum) // rules.step * rules.step
            best = Prediction(place, tokens, size.exact, call.at + lifetime)
    return best


def _size_of(entry: CachedPrefix, request: CacheRequest, sizes: Sequence[Size]) -> TokenSize:
    return measure_request(request, entry.place, sizes) if entry.tokens is None else TokenSize(entry.tokens, exact=True)


def _distance(request: CacheRequest, earlier: int, later: int) -> int:
    """Return the number of blocks (`positions`) between the ends of two places."""
    return sum(request.positions[max(0, earlier + 1) : later + 1]) + max(0, SYSTEM - earlier) if later > earlier else 0


def _weight(request: CacheRequest, place: int) -> int:
    """Return the length of a request up to a place, in the unit of `CacheRequest.totals`."""
    return request.totals[max(0, place + 1)]
