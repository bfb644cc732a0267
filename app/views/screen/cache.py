"""A vendor's prompt cache as the transcript shows it: its reach, what breaks it, and its keep-alive."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from zoneinfo import ZoneInfo

from app.language.translation import translate
from app.views.cache import CacheBreakView, CacheStateView, CacheView, PlaceView
from app.views.figures import UNKNOWN, charged, money, number, plural
from app.views.keep_warm import KeepWarmChoiceView, KeepWarmOfferView, KeepWarmView

_HOUR = 60


@dataclass(frozen=True, slots=True)
class CacheLineView:
    """What the next send reads of the cache. Its line stands after the `place` of pair `pair_id`.

    `place` "system": before all pairs. `expires_at` and `now` are ISO, by the server's clock.
    """

    pair_id: str
    place: Literal["system", "request", "reply"]
    label: str
    text: str
    expires_at: str
    now: str


@dataclass(frozen=True, slots=True)
class ColdStartView:
    """What the provider keeps and these view options would not read."""

    text: str
    expires_at: str
    now: str


@dataclass(frozen=True, slots=True)
class KeepingView:
    """What was asked to be kept. `at` (ISO) is until when, or since when no longer; `text` follows it."""

    on: bool
    at: str
    text: str


@dataclass(frozen=True, slots=True)
class KeepingChoice:
    """For how long it can be kept, at which price."""

    minutes: int
    name: str
    price: str
    note: str


@dataclass(frozen=True, slots=True)
class KeepingOffer:
    """What keeping costs. `refusal`: it cannot be done, and why; then there are no choices."""

    refusal: str
    text: str
    choices: tuple[KeepingChoice, ...]


@dataclass(frozen=True, slots=True)
class CacheNotesView:
    """All of it; None for what there is not."""

    line: CacheLineView | None = None
    cold: ColdStartView | None = None
    keeping: KeepingView | None = None
    offer: KeepingOffer | None = None


def show_cache(state: CacheStateView, zone: str) -> CacheNotesView:
    """The notes about the cache. `zone` is the reader's, by its IANA name."""
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
    about = "" if cache.exact else "~"
    tokens = translate("screen.cache.tokens", tokens=f"{about}{number(cache.predicted_read_tokens)}")
    is_system = place.kind == "system"
    if not is_system and place.pair_id is None:
        return None  # after the tools, or in what is not on screen
    return CacheLineView(
        pair_id=place.pair_id or "",
        place="system" if is_system else "request" if place.role == "user" else "reply",
        label=translate("screen.cache.label", tokens=tokens, time=f"{expires_at.astimezone(ZoneInfo(zone)):%H:%M}"),
        text=f"{translate('screen.cache.system' if is_system else 'screen.cache.to_here')} · {tokens} · ",
        expires_at=expires_at.isoformat(),
        now=now.isoformat(),
    )


def _show_cold(broken: CacheBreakView, now: datetime) -> ColdStartView:
    anew = translate("screen.cache.cold", tokens=broken.tokens, cost=money(broken.cost))
    return ColdStartView(f" {anew} {_name_first(broken.differs)}", broken.expires_at.isoformat(), now.isoformat())


def _name_first(differs: PlaceView) -> str:
    """Which place of the request is the first that is not what was sent before."""
    if differs.kind != "message":
        return translate(f"screen.cache.differs_{differs.kind}")
    if differs.pair_id is None:
        return translate("screen.cache.differs_draft")
    return translate("screen.cache.differs_pair", position=differs.position)


def _show_keeping(kept: KeepWarmView) -> KeepingView:
    spent = charged(kept.cost, at_least=kept.cost_at_least)
    calls = f" · {plural(kept.calls, 'refresh')}, {spent}" if kept.calls else ""
    if kept.on:
        calls = calls or f" · {translate('screen.cache.no_refresh')}"
        return KeepingView(on=True, at=kept.until.isoformat(), text=f"{calls} ")
    ended_at = kept.until if kept.ended_at is None else kept.ended_at
    return KeepingView(on=False, at=ended_at.isoformat(), text=f"{calls}. {kept.words or ''} ")


def _show_offer(offer: KeepWarmOfferView) -> KeepingOffer:
    if offer.why_not is not None:
        return KeepingOffer(offer.why_not, "", ())
    text = translate("screen.cache.offer", tokens=offer.tokens, cost=money(offer.each))
    text = f"{text} {_describe_alternative(offer)}"
    return KeepingOffer("", text, tuple(_show_choice(choice, offer.worth) for choice in offer.choices))


def _describe_alternative(offer: KeepWarmOfferView) -> str:
    if UNKNOWN in {offer.read, offer.anew}:
        return translate("screen.cache.offer_unknown")
    return translate("screen.cache.offer_instead", anew=money(offer.anew), read=money(offer.read))


def _show_choice(choice: KeepWarmChoiceView, worth: int | None) -> KeepingChoice:
    hours = choice.minutes // _HOUR
    if hours:
        name = translate("screen.cache.hours", count=hours)
    else:
        name = translate("screen.cache.minutes", count=choice.minutes)
    if not choice.refreshes:
        return KeepingChoice(choice.minutes, name, translate("figures.free"), translate("screen.cache.by_itself"))
    key = "screen.cache.up_to"
    if worth is not None:
        key = "screen.cache.up_to_less" if choice.refreshes <= worth else "screen.cache.up_to_more"
    note = translate(key, refreshes=plural(choice.refreshes, "refresh"))
    return KeepingChoice(choice.minutes, name, translate("screen.cache.at_most", cost=money(choice.cost)), note)
