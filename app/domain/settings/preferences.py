"""Preferences: a person's settings for all conversations, and the default of each.

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
from app.domain.context.middleware import UserOptions
from app.domain.errors import InputError
from app.domain.models.model_profile import split_model_name
from app.domain.privacy.user_context import MAX_ABOUT, MAX_USER_NAME, UserContext
from app.domain.settings.rate_limits import MAX_SENDS, RateLimit, RateLimits

LEAST_SOFT_CAP = Decimal("0.05")
MAX_TOKENS = 1_000_000_000
MAX_MONEY = Decimal(1_000_000)
MAX_KEYS = 200
MAX_TRASH_DAYS = 3650
MAX_BUILT_IN = 100

_ACTION = re.compile(r"[a-z][a-z0-9_.-]{0,59}")
_MAX_KEY = 40


class OverBudget(StrEnum):
    """The action when the pairs in view do not fit: ask each time, send the pairs that fit, or send all."""

    ASK = "ask"
    FIT = "fit"
    FORCE = "force"


class TopicOrder(StrEnum):
    """The order of topics: the most recently used first, or as arranged by hand."""

    RECENT = "recent"
    MANUAL = "manual"


class Theme(StrEnum):
    """The colours of the page: the device's setting, always light, or always dark."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


@dataclass(frozen=True, slots=True)
class Preferences:
    """The settings of a person.

    Limits. The limits per send, conversation and day are in tokens and US dollars; None: no limit.

    - `soft_cap`: the share of a model's window that a send may fill.
    - `reserve`: the tokens that are kept free for the reply.
    - `trash_days`: the number of days that a deleted item can be restored; None: until the trash is emptied.

    Rate limits (`rate_limits.py`); None: no limit. Further sends are refused; the person is not asked:

    - `conversation_minute_sends`, `minute_sends`, `address_minute_sends`: sends per minute in each conversation, in all
      of them, and from each network address.
    - `conversation_day_tokens`, `address_day_tokens`: tokens per day (UTC) of each conversation and each address.

    Behaviour:

    - `titles`: the first successful reply of an untitled conversation starts a title call.
    - `title_model`: the model of this call; None: the model of the conversation.
    - `replay`: a request that was answered before gets the stored answer.
    - `keys`: the actions whose key a person changed; "": the action has no key.
    - `built_in_tools`: the names of the built-in tools for models. If it is empty, an installation without servers
      sends no tools.

    Privacy:

    - `about_me`: the text about the person that is sent to models, unless `tell_about_me` is false.
    - `user_name`: a name or an id of the person that is sent to models; "": none is sent.
    - `tell_project`: the name of the folder of a conversation is sent as its project.
    - `tell_first_request`: the first request of the conversation is sent again with each later one.
    - `date_zone`: the time zone of the date that is sent to models; None: no date is sent.
    - `tell_time`: the time of day is sent with the date.
    - `redact`: secrets in requests are replaced by placeholders.
    """

    soft_cap: Decimal = SOFT_CAP
    reserve: int = RESPONSE_RESERVE
    send_tokens: int | None = None
    send_money: Decimal | None = None
    conversation_tokens: int | None = None
    conversation_money: Decimal | None = None
    day_tokens: int | None = None
    day_money: Decimal | None = None
    conversation_minute_sends: int | None = None
    minute_sends: int | None = None
    address_minute_sends: int | None = None
    conversation_day_tokens: int | None = None
    address_day_tokens: int | None = None
    over_budget: OverBudget = OverBudget.ASK
    auto_enter_view_on_overflow: bool = True
    topic_order: TopicOrder = TopicOrder.RECENT
    cache: CacheLifetime = CacheLifetime.AUTO
    titles: bool = True
    title_model: str | None = None
    replay: bool = False
    trash_days: int | None = 30
    built_in_tools: tuple[str, ...] = ()
    about_me: str = ""
    tell_about_me: bool = True
    user_name: str = ""
    tell_project: bool = False
    tell_first_request: bool = False
    date_zone: str | None = None
    tell_time: bool = False
    redact: bool = False
    theme: Theme = Theme.SYSTEM
    keys: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def limits(self) -> Limits:
        """The limits of one send. Earlier spending is not subtracted."""
        return Limits(self.soft_cap, self.reserve, self.send_tokens, self.send_money)

    @property
    def rate_limits(self) -> RateLimits:
        """The rate limits that the person set. Those of the environment also apply."""
        return RateLimits(
            RateLimit(self.conversation_minute_sends, self.conversation_day_tokens),
            RateLimit(self.minute_sends),
            RateLimit(self.address_minute_sends, self.address_day_tokens),
        )


def read_user_options(
    preferences: Preferences, now: datetime, first_request: str = "", project: str = ""
) -> UserOptions:
    """Return the settings that change every request: the text about the person, the date at `now`, and redaction.

    `first_request` and `project` are those of the conversation; "": there is none yet.
    """
    zone = preferences.date_zone
    here = None if zone is None else now.astimezone(ZoneInfo(zone))
    context = UserContext(
        about=preferences.about_me if preferences.tell_about_me else "",
        name=preferences.user_name,
        project=project if preferences.tell_project else "",
        first_request=first_request if preferences.tell_first_request else "",
        today=None if here is None else here.date(),
        time=f"{here:%H:%M} ({zone})" if here is not None and preferences.tell_time else "",
    )
    return UserOptions(context, preferences.redact)


CEILINGS_IN_TOKENS = (
    "send_tokens",
    "conversation_tokens",
    "day_tokens",
    "conversation_day_tokens",
    "address_day_tokens",
)
CEILINGS_IN_MONEY = ("send_money", "conversation_money", "day_money")
LIMITS_IN_SENDS = ("conversation_minute_sends", "minute_sends", "address_minute_sends")


def require_usable(preferences: Preferences) -> None:
    """Refuse preferences with an invalid value.

    Raises:
        InputError: a value is invalid. The error names the first such preference.
    """
    if not LEAST_SOFT_CAP <= preferences.soft_cap <= 1:
        raise InputError("soft_cap", f"must be a share of the model's window from {LEAST_SOFT_CAP} to 1.")
    if not 0 <= preferences.reserve <= MAX_TOKENS:
        raise InputError("reserve", f"must be a number of tokens from 0 to {MAX_TOKENS:,}.")
    _require_limits(preferences)
    if preferences.title_model is not None:
        _require_model("title_model", preferences.title_model)
    if preferences.trash_days is not None and not 1 <= preferences.trash_days <= MAX_TRASH_DAYS:
        raise InputError("trash_days", f"must be a number of days from 1 to {MAX_TRASH_DAYS:,}, or null for no limit.")
    if len(preferences.built_in_tools) > MAX_BUILT_IN:
        raise InputError("built_in_tools", f"can have at most {MAX_BUILT_IN} names.")
    _require_about(preferences)
    if len(preferences.keys) > MAX_KEYS:
        raise InputError("keys", f"has {len(preferences.keys)} actions. The maximum is {MAX_KEYS}.")
    for action, key in preferences.keys.items():
        _require_key(action, key)


def _require_limits(preferences: Preferences) -> None:
    for name in CEILINGS_IN_TOKENS:
        tokens = getattr(preferences, name)
        if tokens is not None and not 1 <= tokens <= MAX_TOKENS:
            raise InputError(name, f"must be a number of tokens from 1 to {MAX_TOKENS:,}, or null for no limit.")
    for name in CEILINGS_IN_MONEY:
        money = getattr(preferences, name)
        if money is not None and not 0 < money <= MAX_MONEY:
            raise InputError(name, f"must be above 0 and at most {MAX_MONEY:,} US dollars, or null for no limit.")
    for name in LIMITS_IN_SENDS:
        sends = getattr(preferences, name)
        if sends is not None and not 1 <= sends <= MAX_SENDS:
            raise InputError(name, f"must be a number of sends from 1 to {MAX_SENDS:,}, or null for no limit.")


def _require_about(preferences: Preferences) -> None:
    for name, text, most in (
        ("about_me", preferences.about_me, MAX_ABOUT),
        ("user_name", preferences.user_name, MAX_USER_NAME),
    ):
        if len(text) > most:
            raise InputError(name, f"can have at most {most:,} characters.")
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise InputError(
                name, f"has an incomplete character (a lone surrogate) at position {error.start}. Correct it."
            ) from None
    if preferences.user_name and not preferences.user_name.isprintable():
        raise InputError("user_name", "must be one line without control characters.")
    if preferences.date_zone is not None:
        try:
            ZoneInfo(preferences.date_zone)
        except (KeyError, ValueError, OSError):  # no zone has this name, or the name is that of a folder of zones
            raise InputError("date_zone", "is not a time zone. Write it like Europe/Berlin.") from None


def _require_model(name: str, model: str) -> None:
    try:
        split_model_name(model)
    except InputError as error:
        raise InputError(name, error.reason) from None


def _require_key(action: str, key: str) -> None:
    if not _ACTION.fullmatch(action):
        raise InputError("keys", f"{action[:60]!a} is not an action. Use lower-case letters, digits, -, _ and dots.")
    if len(key) > _MAX_KEY or not key.isprintable():
        raise InputError(
            f"keys.{action}", f"must be the name of a key with at most {_MAX_KEY} characters, or empty for no key."
        )
