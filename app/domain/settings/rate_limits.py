"""Rate limits: how many messages a conversation, a person or an address can send per minute, and how many tokens a day.

The environment and the preferences both set limits; the stricter one applies.

    >>> limit = parse_rate_limit("10 sends/minute, 200000 tokens/day")
    >>> limit.sends, limit.tokens, str(limit)
    (10, 200000, '10 sends/minute, 200000 tokens/day')
    >>> stricter(limit, RateLimit(sends=30, tokens=500))
    RateLimit(sends=10, tokens=500)

Not here: counting (`runs/runtime/rate_counter.py`), budgets of money (`domain/costs/budgets.py`), and the limits of one
send (`domain/context/budget.py`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from app.domain.errors import InviewError

MAX_SENDS = 100_000
"""The highest limit of sends per minute. In practice, a higher one would be no limit."""
MAX_DAY_TOKENS = 1_000_000_000
SENDS_SECONDS = 60
"""Seconds over which the limit of sends per minute counts sends."""

_PART = re.compile(r"([0-9]{1,10}) ?(?:(sends?/minute)|(tokens?/day))")


class RateScope(StrEnum):
    """The sends that are counted together: those of a conversation, of a person, or from a network address."""

    CONVERSATION = "conversation"
    PERSON = "person"
    ADDRESS = "address"


@dataclass(frozen=True, slots=True)
class RateLimit:
    """The limits of a scope: sends per minute and tokens per day (UTC). None: no limit."""

    sends: int | None = None
    tokens: int | None = None

    def __str__(self) -> str:
        parts = ((self.sends, "sends/minute"), (self.tokens, "tokens/day"))
        return ", ".join(f"{number} {unit}" for number, unit in parts if number is not None)


NO_RATE_LIMIT = RateLimit()


@dataclass(frozen=True, slots=True)
class RateLimits:
    """The rate limits of each scope."""

    conversation: RateLimit = NO_RATE_LIMIT
    person: RateLimit = NO_RATE_LIMIT
    address: RateLimit = NO_RATE_LIMIT

    def of(self, scope: RateScope) -> RateLimit:
        match scope:
            case RateScope.CONVERSATION:
                return self.conversation
            case RateScope.PERSON:
                return self.person
            case RateScope.ADDRESS:
                return self.address


NO_RATE_LIMITS = RateLimits()


@dataclass(frozen=True, slots=True)
class SendQuota:
    """The state of a limit of sends.

    - `remaining`: the number of sends that are possible now.
    - `reset`: the seconds until one more send is possible.
    """

    scope: RateScope
    limit: int
    remaining: int
    reset: int


class RateLimitedError(InviewError):
    """Error: a rate limit is reached. Nothing was sent. `wait` is the number of seconds until a send may succeed.

    `reason` is the message without the wait.
    """

    def __init__(self, scope: RateScope, maximum: str, wait: int) -> None:
        self.reason = f"{_WHO[scope]} {maximum}. Nothing was sent."
        super().__init__(f"{self.reason} Try again in {describe_wait(wait)}.")
        self.scope = scope
        self.wait = wait


_WHO: Mapping[RateScope, str] = MappingProxyType(
    {
        RateScope.CONVERSATION: "This conversation can",
        RateScope.PERSON: "You can",
        RateScope.ADDRESS: "Your IP address can",
    }
)


def refuse_sends(scope: RateScope, limit: int, wait: int) -> RateLimitedError:
    """Return the error for a send beyond the limit of sends per minute.

    >>> str(refuse_sends(RateScope.PERSON, 2, 41))
    'You can send 2 messages per minute. Nothing was sent. Try again in 41 seconds.'
    """
    return RateLimitedError(scope, f"send {_plural(limit, 'message')} per minute", wait)


def refuse_tokens(scope: RateScope, limit: int, used: int, wait: int) -> RateLimitedError:
    """Return the error for a send after the tokens of the day are used.

    >>> str(refuse_tokens(RateScope.CONVERSATION, 5000, 5120, 7300)).partition(". ")[0]
    'This conversation can use 5,000 tokens per day, and 5,120 are used'
    """
    return RateLimitedError(scope, f"use {_plural(limit, 'token')} per day, and {used:,} are used", wait)


def stricter(one: RateLimit, other: RateLimit) -> RateLimit:
    """Return the lower of both limits, separately for sends and tokens."""
    return RateLimit(_lower(one.sends, other.sends), _lower(one.tokens, other.tokens))


def _lower(one: int | None, other: int | None) -> int | None:
    return min((limit for limit in (one, other) if limit is not None), default=None)


def parse_rate_limit(text: str) -> RateLimit:
    """Parse limits such as `10 sends/minute, 200000 tokens/day`. The empty text means no limit.

    Raises:
        ValueError: the text has another form, or a number is out of range.
    """
    sends: int | None = None
    tokens: int | None = None
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        found = _PART.fullmatch(part)
        if found is None:
            raise ValueError(part)
        number = int(found[1])
        if found[2] and sends is None and 1 <= number <= MAX_SENDS:
            sends = number
        elif found[3] and tokens is None and 1 <= number <= MAX_DAY_TOKENS:
            tokens = number
        else:
            raise ValueError(part)
    return RateLimit(sends, tokens)


def describe_wait(seconds: int) -> str:
    """Describe a wait in the largest unit that fits, rounded up.

    >>> [describe_wait(seconds) for seconds in (1, 90, 3600, 7300)]
    ['1 second', '90 seconds', '60 minutes', '3 hours']
    """
    for unit, length in (("hour", 3600), ("minute", 60)):
        if seconds > 2 * length:
            return _plural(-(-seconds // length), unit)
    return _plural(seconds, "second")


def _plural(number: int, unit: str) -> str:
    return f"{number:,} {unit}{'' if number == 1 else 's'}"
