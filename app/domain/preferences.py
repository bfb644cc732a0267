"""Preferences: what a person set for all conversations. What they did not set has the default that stands here.

>>> Preferences().limits.reserve
800
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from zoneinfo import ZoneInfo

from app.domain.cache.rules import CacheLifetime
from app.domain.context.budget import RESPONSE_RESERVE, SOFT_CAP, Limits
from app.domain.context.middleware import Wishes
from app.domain.errors import InputError
from app.domain.model_profile import split_model_name
from app.domain.privacy.user_context import MAX_ABOUT
from app.domain.retention import MAX_DAYS, require_days

LEAST_SOFT_CAP = Decimal("0.05")
MAX_TOKENS = 1_000_000_000
MAX_MONEY = Decimal(1_000_000)
MAX_KEYS = 200
MAX_MINUTES = 7 * 24 * 60
"""Of a temporary conversation: a week."""
MAX_TRASH_DAYS = 3650
MAX_BUILT_IN = 100
MAX_SHARED_SERVERS = 200
MAX_SERVER_ID = 64

_LANGUAGE = re.compile(r"[a-z]{2,3}")
_ACTION = re.compile(r"[a-z][a-z0-9_.-]{0,59}")
_MAX_KEY = 40


class OverBudget(StrEnum):
    """What becomes of pairs that do not fit: ask each time, send those that fit, or send all the same."""

    ASK = "ask"
    FIT = "fit"
    FORCE = "force"


class TopicOrder(StrEnum):
    """How topics are listed: those used last first, or as arranged by hand."""

    RECENT = "recent"
    MANUAL = "manual"


class Theme(StrEnum):
    """Colours of the page: as the system of the device says, always light, or always dark."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


@dataclass(frozen=True, slots=True)
class Preferences:
    """Ceilings are tokens and US dollars, per send, per conversation and per day; None: no ceiling.

    `trash_days`: how long what was deleted can be brought back; None: until the trash is emptied. After so many
    `temporary_minutes` without anything new a temporary conversation is deleted, after `chat_days` a chat and after
    `child_days` a child conversation goes to the trash; None: never. After `imported_days` an imported chat does;
    None: as other chats, 0: never.

    `titles`: the first success brings an unnamed conversation a title, asked of `title_model` (None: of the model of
    the conversation). `replay`: a request that was answered before is answered with what was said then. `keys` gives
    actions other keys than the usual ones; an empty one means that the action has none. `built_in_tools` are the names
    of those that models may be told of; without any, an installation without servers sends what it always sent.
    `shared_servers` are the ids of servers that others share and of whose tools models may be told.

    `about_me` is what models are told of the person, unless that is switched off by `tell_about_me`; `date_zone` the
    time zone in which they are told the day (None: they are not). `redact`: secrets go out as marks. `language` is
    that of the screen, such as "de" (None: the one that the browser asks for).
    """

    soft_cap: Decimal = SOFT_CAP
    reserve: int = RESPONSE_RESERVE
    send_tokens: int | None = None
    send_money: Decimal | None = None
    conversation_tokens: int | None = None
    conversation_money: Decimal | None = None
    day_tokens: int | None = None
    day_money: Decimal | None = None
    over_budget: OverBudget = OverBudget.ASK
    auto_enter_view_on_overflow: bool = True
    topic_order: TopicOrder = TopicOrder.RECENT
    cache: CacheLifetime = CacheLifetime.AUTO
    titles: bool = True
    title_model: str | None = None
    replay: bool = False
    trash_days: int | None = 30
    temporary_minutes: int | None = 30
    chat_days: int | None = None
    child_days: int | None = None
    imported_days: int | None = None
    built_in_tools: tuple[str, ...] = ()
    shared_servers: tuple[str, ...] = ()
    about_me: str = ""
    tell_about_me: bool = True
    date_zone: str | None = None
    redact: bool = False
    theme: Theme = Theme.SYSTEM
    language: str | None = None
    keys: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def limits(self) -> Limits:
        """The limits of a send, as if nothing had been spent yet."""
        return Limits(self.soft_cap, self.reserve, self.send_tokens, self.send_money)


def read_wishes(preferences: Preferences, now: datetime) -> Wishes:
    """What is preferred of the middleware around calls, at this instant."""
    zone = preferences.date_zone
    return Wishes(
        about=preferences.about_me if preferences.tell_about_me else "",
        today=None if zone is None else now.astimezone(ZoneInfo(zone)).date(),
        redact=preferences.redact,
    )


CEILINGS_IN_TOKENS = ("send_tokens", "conversation_tokens", "day_tokens")
CEILINGS_IN_MONEY = ("send_money", "conversation_money", "day_money")


def require_usable(preferences: Preferences) -> None:
    """Refuse what nobody could mean.

    Raises:
        InputError: at the first preference that cannot be used.
    """
    if not LEAST_SOFT_CAP <= preferences.soft_cap <= 1:
        raise InputError("soft_cap", f"is a share of the model's window, from {LEAST_SOFT_CAP} to 1.")
    if not 0 <= preferences.reserve <= MAX_TOKENS:
        raise InputError("reserve", f"is a number of tokens kept for the reply, from 0 to {MAX_TOKENS:,}.")
    for name in CEILINGS_IN_TOKENS:
        tokens = getattr(preferences, name)
        if tokens is not None and not 1 <= tokens <= MAX_TOKENS:
            raise InputError(name, f"is a ceiling in tokens, from 1 to {MAX_TOKENS:,}, or null for none.")
    for name in CEILINGS_IN_MONEY:
        money = getattr(preferences, name)
        if money is not None and not 0 < money <= MAX_MONEY:
            raise InputError(name, f"is a ceiling in US dollars above 0, {MAX_MONEY:,} at most, or null for none.")
    if preferences.title_model is not None:
        _require_model("title_model", preferences.title_model)
    if preferences.trash_days is not None and not 1 <= preferences.trash_days <= MAX_TRASH_DAYS:
        raise InputError("trash_days", f"is a number of days, from 1 to {MAX_TRASH_DAYS:,}, or null for no end.")
    _require_retention(preferences)
    if len(preferences.built_in_tools) > MAX_BUILT_IN:
        raise InputError("built_in_tools", f"are {MAX_BUILT_IN} at most.")
    _require_servers(preferences)
    _require_about(preferences)
    _require_language(preferences)
    if len(preferences.keys) > MAX_KEYS:
        raise InputError("keys", f"has {len(preferences.keys)} actions; {MAX_KEYS} is the most.")
    for action, key in preferences.keys.items():
        _require_key(action, key)


def _require_retention(preferences: Preferences) -> None:
    for name, most, unit in (
        ("temporary_minutes", MAX_MINUTES, "minutes"),
        ("chat_days", MAX_DAYS, "days"),
        ("child_days", MAX_DAYS, "days"),
    ):
        count: int | None = getattr(preferences, name)
        if count is not None and not 1 <= count <= most:
            raise InputError(name, f"is a number of {unit}, from 1 to {most:,}, or null for never.")
    require_days("imported_days", preferences.imported_days)


def _require_servers(preferences: Preferences) -> None:
    if len(preferences.shared_servers) > MAX_SHARED_SERVERS:
        raise InputError("shared_servers", f"are {MAX_SHARED_SERVERS} at most.")
    if any(len(server_id) > MAX_SERVER_ID for server_id in preferences.shared_servers):
        raise InputError("shared_servers", f"are ids of tool servers, {MAX_SERVER_ID} characters at most.")


def _require_about(preferences: Preferences) -> None:
    if len(preferences.about_me) > MAX_ABOUT:
        raise InputError("about_me", f"is {MAX_ABOUT:,} characters at most.")
    try:
        preferences.about_me.encode()
    except UnicodeEncodeError as error:
        raise InputError("about_me", f"has half a character at place {error.start}. Correct it there.") from None
    if preferences.date_zone is not None:
        try:
            ZoneInfo(preferences.date_zone)
        except (KeyError, ValueError, OSError):  # not a name, or one of a folder of zones
            raise InputError("date_zone", "is no time zone. Write it as in Europe/Berlin.") from None


def _require_language(preferences: Preferences) -> None:
    if preferences.language is not None and not _LANGUAGE.fullmatch(preferences.language):
        raise InputError("language", 'is the code of a language, as in "de", or null for that of the browser.')


def _require_model(name: str, model: str) -> None:
    try:
        split_model_name(model)
    except InputError as error:
        raise InputError(name, error.reason) from None


def _require_key(action: str, key: str) -> None:
    if not _ACTION.fullmatch(action):
        raise InputError("keys", f"{action[:60]!a} is no action: those are small letters, digits, -, _ and dots.")
    if len(key) > _MAX_KEY or not key.isprintable():
        raise InputError(f"keys.{action}", f"is the name of a key, {_MAX_KEY} characters at most; empty for none.")
