"""Cache keep-alive: a small call reads a cached prefix again before it expires, so that the next send can read it.

The call sends the cached part of the next send's request, and requests a reply of one token. It adds nothing to any
context and writes nothing new to the cache. It costs the price of a cache read, and the vendor restarts the lifetime of
the prefix. Keep-alive calls are worth their price while they cost less than writing the prefix again
(`KeepAliveCost.worth`).

    >>> offer = KeepAliveCost(40_000, 300, each=Decimal("0.012"), read=Decimal("0.012"), uncached=Decimal("0.15"))
    >>> offer.worth, offer.count(at := datetime(2026, 5, 1), at + timedelta(minutes=30))
    (11, 7)

This works only where a vendor's public rules say that reading extends the lifetime: see `explain_cold_shoulder`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal
from math import ceil

from app.domain.cache.plan import Prediction
from app.domain.cache.prefix import KEY, SYSTEM, Prefix, weigh
from app.domain.cache.rules import HOUR, CacheRules, CacheStyle
from app.domain.conversation.conversation import Parameters
from app.domain.conversation.parts import Text, ToolCall
from app.domain.costs.prices import Tariff, price_usage
from app.domain.models.model_profile import ModelProfile, ThinkingStyle
from app.domain.request.request import Request, RequestMessage
from app.domain.usage import Usage

MARGIN = timedelta(seconds=30)
"""Minimum time between a keep-alive call and the expiry: the call takes time, and may need a second attempt."""
TAIL = "Keep warm."
"""The user message that is added to a keep-alive call whose cached prefix does not end with a user message.

Without such a message at its end, no vendor answers the call.
"""
CHARACTERS_A_TOKEN = 4
"""Assumed characters per token in the messages that follow the cached prefix.

An assumption is enough, because these messages rarely have more than a few words.
"""
REPLY_TOKENS = 1
MAX_MINUTES = 720


@dataclass(frozen=True, slots=True)
class KeepAliveCost:
    """The cost of keeping a prefix of `tokens` tokens cached, in US dollars. A cost of None is unknown.

    - `lifetime`: the lifetime of the cached prefix in seconds.
    - `each`: the cost of one keep-alive call.
    - `read`: the cost of the prefix in the next send while it is cached.
    - `uncached`: the cost of the prefix in the next send if the prefix has expired and is written again.
    """

    tokens: int
    lifetime: int
    each: Decimal | None
    read: Decimal | None
    uncached: Decimal | None

    @property
    def worth(self) -> int | None:
        """The maximum number of keep-alive calls that cost no more than they save at the next send.

        None if a price is unknown, or if calls are free.
        """
        if self.each is None or self.read is None or self.uncached is None or not self.each:
            return None
        return max(0, int((self.uncached - self.read) / self.each))

    @property
    def step(self) -> timedelta:
        """The time from one keep-alive call to the next."""
        return timedelta(seconds=self.lifetime) - MARGIN

    def count(self, expires_at: datetime, until: datetime) -> int:
        """Return the number of keep-alive calls needed to keep the prefix cached until `until`.

        Without these calls the prefix expires at `expires_at`.
        """
        return max(0, ceil((until - expires_at) / self.step))


def explain_cold_shoulder(
    rules: CacheRules | None, profile: ModelProfile, parameters: Parameters, prediction: Prediction
) -> str | None:
    """Return why keep-alive calls are not possible, as a text for people. Return None if they are possible."""
    if rules is None:
        return "This model has no known prompt cache."
    if rules.style is not CacheStyle.MARKED:
        return (
            "This provider caches prompts automatically and does not state that sending a prompt again extends "
            "its lifetime. Keeping it warm could cost money without effect."
        )
    if prediction.place is None or prediction.expires_at is None:
        return "The provider has cached nothing that the next send would read. Send something first."
    if rules.chat and profile.thinking is ThinkingStyle.BUDGET and parameters.thinking is not False:
        return "This model may think before it replies, and each keep-alive call would pay for that. Turn thinking off."
    if parameters.thinking and profile.thinking is ThinkingStyle.BUDGET:
        return (
            "With thinking on, this model requires a long reply limit, and thinking is part of the cached prompt. "
            "Turn thinking off, or choose a cache lifetime of one hour in Settings."
        )
    return None


def write_refresh(request: Request, place: int) -> Request:
    """Return the request of a keep-alive call: `request` up to a place (see `prefix`), limited to a reply of one token.

    Vendors accept only a request that ends with a user message or tool results. If the shortened request ends
    otherwise, the tool results that follow in `request` are added or, if there are none, a short message.
    """
    messages = request.messages[: max(0, place + 1)]
    if messages and _calls_tools(messages[-1]):
        messages = request.messages[: place + 2]
    if not messages or messages[-1].role == "assistant":
        messages = (*messages, RequestMessage("user", (Text(TAIL),)))
    parameters = replace(request.parameters, max_output_tokens=REPLY_TOKENS, reply_schema=None)
    return replace(request, messages=messages, parameters=parameters)


def cut_prefix(prefix: Prefix, place: int) -> Prefix:
    """Return the part of a prefix that a keep-alive call reads or writes: everything up to a place (see `prefix`)."""
    return Prefix(prefix.tools, prefix.system if place >= SYSTEM else b"", prefix.chain[: max(0, place + 1) * KEY])


def price_keeping(request: Request, prediction: Prediction, tariff: Tariff | None, at: datetime) -> KeepAliveCost:
    """Return the cost of keep-alive calls for the cached prefix that this request would read now (`prediction`)."""
    place = SYSTEM if prediction.place is None else prediction.place
    behind = sum(map(weigh, write_refresh(request, place).messages[max(0, place + 1) :]))
    tokens = prediction.tokens
    long = prediction.lifetime >= HOUR
    written = Usage(cache_write_1h_tokens=tokens) if long else Usage(cache_write_tokens=tokens)
    refresh = Usage(behind // CHARACTERS_A_TOKEN, REPLY_TOKENS, cache_read_tokens=tokens)
    return KeepAliveCost(
        tokens,
        prediction.lifetime,
        each=price_usage(refresh, tariff, at),
        read=price_usage(Usage(cache_read_tokens=tokens), tariff, at),
        uncached=price_usage(written, tariff, at),
    )


def _calls_tools(message: RequestMessage) -> bool:
    return message.role == "assistant" and any(isinstance(part, ToolCall) for part in message.parts)
