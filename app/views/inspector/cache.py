"""The notes about the provider's cache on the page: the cache line, the warning about a lost prefix, the keep-alive."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from zoneinfo import ZoneInfo

from app.views.request.cache import CacheBreakView, CacheStateView, CacheView
from app.views.request.keep_warm import KeepWarmChoiceView, KeepWarmOfferView, KeepWarmView
from app.views.usage.figures import UNKNOWN, charged, extra, money, number, plural

_HOUR = 60


@dataclass(frozen=True, slots=True)
class CacheLineView:
    """The cache line: the next send reads everything above this line from the provider's cache.

    - `place`, `pair_id`: the line is shown after the request or the reply of this pair; place "system": above all
      pairs.
    - `text`: shown in the line.
    - `label`: read by screen readers.
    - `expires_at`: the time when the cached part expires (ISO 8601).
    - `now`: the server's clock (ISO 8601).
    """

    pair_id: str
    place: Literal["system", "request", "reply"]
    label: str
    text: str
    expires_at: str
    now: str


@dataclass(frozen=True, slots=True)
class ColdStartView:
    """The warning that a send with the current view options would not read a cached prefix. `text` has the cost.

    The prefix expires at `expires_at`; `now` is the server's clock. Both are ISO 8601.
    """

    text: str
    expires_at: str
    now: str


@dataclass(frozen=True, slots=True)
class KeepingView:
    """The note about a keep-alive that a person started. `on`: it is running.

    The note begins with a time: `at` (ISO 8601), the planned end or, if the keep-alive has ended, the real end. `text`
    is the rest of the note.
    """

    on: bool
    at: str
    text: str


@dataclass(frozen=True, slots=True)
class KeepingChoice:
    """A duration of the keep-alive that a person can choose, with its price."""

    minutes: int
    name: str
    price: str
    note: str


@dataclass(frozen=True, slots=True)
class KeepingOffer:
    """The content of the dialog that starts a keep-alive: a text about its cost, and the durations to choose from.

    `refusal` is the reason why a keep-alive is impossible; `choices` is then empty.
    """

    refusal: str
    text: str
    choices: tuple[KeepingChoice, ...]


@dataclass(frozen=True, slots=True)
class CacheNotesView:
    """All notes about the provider's cache. A note that does not apply is None.

    - `line`: the cache line.
    - `cold`: the warning that a send would not read a cached prefix.
    - `keeping`: the note about a keep-alive.
    - `offer`: the content of the dialog that starts a keep-alive.
    """

    line: CacheLineView | None = None
    cold: ColdStartView | None = None
    keeping: KeepingView | None = None
    offer: KeepingOffer | None = None


def show_cache(state: CacheStateView, zone: str) -> CacheNotesView:
    """Return the notes about the provider's cache. `zone` is the reader's time zone, as an IANA name."""
    now = state.now
    broken = None if state.next is None else state.next.broken
    return CacheNotesView(
        line=None if state.next is None else _show_line(state.next, now, zone),
        cold=None if broken is None or broken.expires_at <= now else _show_cold(broken, now),
        keeping=None if state.kept is None else _show_keeping(state.kept),
        offer=None if state.offer is None else _show_offer(state.offer),
    )


def _show_line(cache: CacheView, now: datetime, zone: str) -> CacheLineView | None:
    place, expires_at = cache.cached_to, cache.expires_at
    if not cache.predicted_read_tokens or place is None or expires_at is None or expires_at <= now:
        return None
    tokens = f"{'' if cache.exact else '~'}{number(cache.predicted_read_tokens)} tokens"
    is_system = place.kind == "system"
    if not is_system and place.pair_id is None:
        return None  # the breakpoint is after the tools, or at a message that the screen does not show
    return CacheLineView(
        pair_id=place.pair_id or "",
        place="system" if is_system else "request" if place.role == "user" else "reply",
        label=f"Cached to here: {tokens}, until {expires_at.astimezone(ZoneInfo(zone)):%H:%M}",
        text=f"{'Cached: the system text' if is_system else 'Cached to here'} · {tokens} · ",
        expires_at=expires_at.isoformat(),
        now=now.isoformat(),
    )


def _show_cold(broken: CacheBreakView, now: datetime) -> ColdStartView:
    anew = f"{number(broken.tokens)} cached tokens would be read again at full price, {extra(broken.cost)}."
    return ColdStartView(f" {anew} {broken.sentence}", broken.expires_at.isoformat(), now.isoformat())


def _show_keeping(kept: KeepWarmView) -> KeepingView:
    spent = charged(kept.cost, at_least=kept.cost_at_least)
    calls = f" · {plural(kept.calls, 'refresh', 'refreshes')}, {spent}" if kept.calls else ""
    if kept.on:
        return KeepingView(on=True, at=kept.until.isoformat(), text=f"{calls or ' · no refresh needed yet'} ")
    ended_at = kept.until if kept.ended_at is None else kept.ended_at
    return KeepingView(on=False, at=ended_at.isoformat(), text=f"{calls}. {kept.words or ''} ")


def _show_offer(offer: KeepWarmOfferView) -> KeepingOffer:
    if offer.why_not is not None:
        return KeepingOffer(offer.why_not, "", ())
    text = (
        f"Before the provider evicts these {number(offer.tokens)} tokens, Inview reads them again, "
        f"{money(offer.each)} each time. Nothing is added to the conversation. {_describe_alternative(offer)}"
    )
    return KeepingOffer("", text, tuple(_show_choice(choice, offer.worth) for choice in offer.choices))


def _describe_alternative(offer: KeepWarmOfferView) -> str:
    if UNKNOWN in {offer.read, offer.uncached}:
        return "The cost without it is unknown."
    return f"Without it your next send pays {money(offer.uncached)} for them instead of {money(offer.read)}."


def _show_choice(choice: KeepWarmChoiceView, worth: int | None) -> KeepingChoice:
    hours = choice.minutes // _HOUR
    name = f"{choice.minutes} minutes" if not hours else "An hour" if hours == 1 else f"{hours} hours"
    price = "free"
    if choice.refreshes:
        price = money(choice.cost) if choice.cost in {UNKNOWN, "0"} else f"at most {money(choice.cost)}"
    note = f"Up to {plural(choice.refreshes, 'refresh', 'refreshes')}"
    if not choice.refreshes:
        note = "The cache lasts that long without a refresh."
    elif worth is not None:
        note += f": {'less' if choice.refreshes <= worth else 'more'} than the next send saves"
    return KeepingChoice(choice.minutes, name, price, note)
