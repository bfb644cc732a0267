"""Cache keep-alive: a cached prefix is read again before it expires, so that the next send finds it.

What is sent is the next send's own beginning, up to what is kept, with one token of reply. It adds nothing to any
context and writes nothing new: it pays the price of reading, and the vendor's clock starts anew. That is worth it as
long as it comes to less than writing the beginning once more (`Offer.worth`).

    >>> offer = Offer(40_000, 300, each=Decimal("0.012"), read=Decimal("0.012"), anew=Decimal("0.15"))
    >>> offer.worth, offer.count(at := datetime(2026, 5, 1), at + timedelta(minutes=30))
    (11, 7)

Only where a vendor's public rules say that reading prolongs: see `explain_cold_shoulder`.
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
from app.domain.model_profile import ModelProfile, ThinkingStyle
from app.domain.request.request import Request, RequestMessage
from app.domain.usage import Usage

MARGIN = timedelta(seconds=30)
"""So long before its end what is kept is read again: a call takes its time, and may have to be made twice."""
TAIL = "Keep warm."
"""What is asked where what is kept does not end with a question: no vendor answers a request that ends otherwise."""
CHARACTERS_A_TOKEN = 4
"""Of what is asked behind what is kept, which is hardly ever more than a few words."""
REPLY_TOKENS = 1
MAX_MINUTES = 720


@dataclass(frozen=True, slots=True)
class Offer:
    """What keeping a beginning of so many `tokens` warm would cost, in US dollars. None: nobody knows the price.

    `each` refresh, against the next send's price for it: `read` while it is kept, written `anew` once it is not.
    """

    tokens: int
    lifetime: int
    each: Decimal | None
    read: Decimal | None
    anew: Decimal | None

    @property
    def worth(self) -> int | None:
        """How many refreshes cost no more than what they save at the next send."""
        if self.each is None or self.read is None or self.anew is None or not self.each:
            return None
        return max(0, int((self.anew - self.read) / self.each))

    @property
    def step(self) -> timedelta:
        """From one refresh to the next."""
        return timedelta(seconds=self.lifetime) - MARGIN

    def count(self, expires_at: datetime, until: datetime) -> int:
        """How many refreshes it takes to keep until then what would be gone at `expires_at`."""
        return max(0, ceil((until - expires_at) / self.step))


def explain_cold_shoulder(
    rules: CacheRules | None, profile: ModelProfile, parameters: Parameters, prediction: Prediction
) -> str | None:
    """Why nothing can be kept warm, in plain words; None: it can."""
    if rules is None:
        return "Nobody knows of a prompt cache of this model."
    if rules.style is not CacheStyle.MARKED:
        return (
            "This vendor keeps what was sent by itself, and does not say that sending it again makes it stay any "
            "longer. So nothing is paid for that."
        )
    if prediction.place is None or prediction.expires_at is None:
        return "The provider keeps nothing that the next send would read. Send something first."
    if parameters.thinking and profile.thinking is ThinkingStyle.BUDGET:
        return (
            "With thinking on, this model must be allowed a long reply, and thinking is part of what is kept. "
            "Turn thinking off, or choose an hour under Settings."
        )
    return None


def write_refresh(request: Request, place: int) -> Request:
    """The request that reads what is kept up to a place, as lawful as any: it ends with a question or with results."""
    messages = request.messages[: max(0, place + 1)]
    if messages and _calls_tools(messages[-1]):
        messages = request.messages[: place + 2]
    if not messages or messages[-1].role == "assistant":
        messages = (*messages, RequestMessage("user", (Text(TAIL),)))
    parameters = replace(request.parameters, max_output_tokens=REPLY_TOKENS, reply_schema=None)
    return replace(request, messages=messages, parameters=parameters)


def cut_prefix(prefix: Prefix, place: int) -> Prefix:
    """What of a request's keys a refresh up to a place has as well: that is all it is to find, and to leave."""
    return Prefix(prefix.tools, prefix.system if place >= SYSTEM else b"", prefix.chain[: max(0, place + 1) * KEY])


def price_keeping(request: Request, prediction: Prediction, tariff: Tariff | None, at: datetime) -> Offer:
    """What keeping what this request would read now would cost."""
    place = SYSTEM if prediction.place is None else prediction.place
    behind = sum(map(weigh, write_refresh(request, place).messages[max(0, place + 1) :]))
    tokens = prediction.tokens
    long = prediction.lifetime >= HOUR
    written = Usage(cache_write_1h_tokens=tokens) if long else Usage(cache_write_tokens=tokens)
    refresh = Usage(behind // CHARACTERS_A_TOKEN, REPLY_TOKENS, cache_read_tokens=tokens)
    return Offer(
        tokens,
        prediction.lifetime,
        each=price_usage(refresh, tariff, at),
        read=price_usage(Usage(cache_read_tokens=tokens), tariff, at),
        anew=price_usage(written, tariff, at),
    )


def _calls_tools(message: RequestMessage) -> bool:
    return message.role == "assistant" and any(isinstance(part, ToolCall) for part in message.parts)
