"""The budget of a send and the boundary it draws: how much may go out, and which of the newest pairs fit.

All sizes are tokens. Nothing is trimmed here: the boundary is shown before sending, and what to do about pairs beyond
it is a person's choice.

    >>> available = plan_budget(window=8_192, limits=Limits(), sizes=RequestSizes(system=200, draft=15)).available
    >>> available
    6685
    >>> fit_newest([2_000, 6_000, 11_000], available)
    2
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal

from app.domain.usage import MILLION

SOFT_CAP = Decimal("0.94")
"""The share of a window that is used unless a person says otherwise: 120k of 128k."""
RESPONSE_RESERVE = 800
"""Tokens kept free for the reply unless a person says otherwise."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a person allows. Ceilings are unset (None) by default.

    `tokens` and `money` (US dollars) are what may still be spent on this send: the least of what the ceilings of the
    send, the conversation and the day leave.
    """

    soft_cap: Decimal = SOFT_CAP
    reserve: int = RESPONSE_RESERVE
    tokens: int | None = None
    money: Decimal | None = None


@dataclass(frozen=True, slots=True)
class RequestSizes:
    """What a request holds besides its pairs. `draft_pages` are those of the draft that pages of documents come to."""

    system: int = 0
    tools: int = 0
    draft: int = 0
    draft_pages: int = 0


@dataclass(frozen=True, slots=True)
class Budget:
    """`total` is the budget, `available` what is left of it for pairs (never below zero); `limited_by` says why."""

    total: int
    available: int
    limited_by: str


def plan_budget(window: int, limits: Limits, sizes: RequestSizes, *, input_price: Decimal | None = None) -> Budget:
    """What a send may hold. `input_price` is US dollars per million tokens; None: unknown, so money cannot limit.

    A money ceiling is turned into tokens at the full input price, as if nothing were read from a cache.
    """
    ceilings = {"window": int((window * limits.soft_cap).to_integral_value(ROUND_FLOOR))}
    if limits.tokens is not None:
        ceilings["token ceiling"] = limits.tokens
    if limits.money is not None and input_price:
        ceilings["money ceiling"] = int((limits.money / input_price * MILLION).to_integral_value(ROUND_FLOOR))
    limited_by = min(ceilings, key=lambda name: ceilings[name])
    total = max(0, ceilings[limited_by])
    taken = limits.reserve + sizes.system + sizes.tools + sizes.draft
    return Budget(total, max(0, total - taken), limited_by)


def fit_newest(totals: Sequence[int], available: int) -> int:
    """How many of the newest pairs fit. `totals`: what the newest one comes to, what the newest two come to, and so on.

    They are never less than those before them, so an older pair is not taken in the place of a newer one.
    """
    return bisect_right(totals, available)
