"""The view of preferences. A share is a number, money is decimal text, as everywhere in the API."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from app.domain.cache.rules import CacheLifetime
from app.domain.settings.preferences import OverBudget, Preferences, Theme, TopicOrder


@dataclass(frozen=True, slots=True)
class PreferencesView:
    """All preferences of a person. `keys` has the key of each action whose key differs from the default."""

    soft_cap: float
    reserve: int
    send_tokens: int | None
    send_money: str | None
    conversation_tokens: int | None
    conversation_money: str | None
    day_tokens: int | None
    day_money: str | None
    conversation_minute_sends: int | None
    minute_sends: int | None
    address_minute_sends: int | None
    conversation_day_tokens: int | None
    address_day_tokens: int | None
    over_budget: OverBudget
    auto_enter_view_on_overflow: bool
    topic_order: TopicOrder
    cache: CacheLifetime
    titles: bool
    title_model: str | None
    replay: bool
    trash_days: int | None
    built_in_tools: tuple[str, ...]
    about_me: str
    tell_about_me: bool
    user_name: str
    tell_project: bool
    tell_first_request: bool
    date_zone: str | None
    tell_time: bool
    redact: bool
    theme: Theme
    keys: dict[str, str]


@dataclass(frozen=True, slots=True)
class PreludeView:
    """The text about the person that is sent to models; null: none is sent."""

    text: str | None


@dataclass(frozen=True, slots=True)
class RedactionView:
    """A text after redaction, as it would be sent, and the kinds of the redacted secrets, in the order of the text."""

    text: str
    kinds: tuple[str, ...]


def describe_preferences(preferences: Preferences) -> PreferencesView:
    """Convert a person's preferences to the form that the HTTP API returns."""
    return PreferencesView(
        soft_cap=float(preferences.soft_cap),
        reserve=preferences.reserve,
        send_tokens=preferences.send_tokens,
        send_money=_money(preferences.send_money),
        conversation_tokens=preferences.conversation_tokens,
        conversation_money=_money(preferences.conversation_money),
        day_tokens=preferences.day_tokens,
        day_money=_money(preferences.day_money),
        conversation_minute_sends=preferences.conversation_minute_sends,
        minute_sends=preferences.minute_sends,
        address_minute_sends=preferences.address_minute_sends,
        conversation_day_tokens=preferences.conversation_day_tokens,
        address_day_tokens=preferences.address_day_tokens,
        over_budget=preferences.over_budget,
        auto_enter_view_on_overflow=preferences.auto_enter_view_on_overflow,
        topic_order=preferences.topic_order,
        cache=preferences.cache,
        titles=preferences.titles,
        title_model=preferences.title_model,
        replay=preferences.replay,
        trash_days=preferences.trash_days,
        built_in_tools=preferences.built_in_tools,
        about_me=preferences.about_me,
        tell_about_me=preferences.tell_about_me,
        user_name=preferences.user_name,
        tell_project=preferences.tell_project,
        tell_first_request=preferences.tell_first_request,
        date_zone=preferences.date_zone,
        tell_time=preferences.tell_time,
        redact=preferences.redact,
        theme=preferences.theme,
        keys=preferences.keys,
    )


def _money(amount: Decimal | None) -> str | None:
    return None if amount is None else f"{amount:f}"
