"""The budget of a send, and the newest pairs that fit into it.

All sizes are tokens. This module only computes: the screen shows the boundary before a send, and a person decides about
the pairs that do not fit.

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
from typing import Literal

from app.domain.usage import MILLION

SOFT_CAP = Decimal("0.94")
"""Default share of the window that a request may use: 120k of 128k."""
RESPONSE_RESERVE = 800
"""Default number of tokens that are kept free for the reply."""


@dataclass(frozen=True, slots=True)
class Allowance:
    """A limit for each conversation or each day, and what was used of it so far, in tokens or in US dollars."""

    scope: Literal["conversation", "day"]
    amount: Decimal
    used: Decimal

    @property
    def left(self) -> Decimal:
        return max(self.amount - self.used, Decimal(0))


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits that a person set for a send.

    - `soft_cap`: the share of the window that the request may use.
    - `reserve`: the tokens that are kept free for the reply.
    - `tokens`, `money`: the maximum for this send, in tokens and in US dollars; None: no limit. Each is the lowest of
      three numbers: the limit for a send, the remaining limit for the conversation, and the remaining limit for the
      day.
    - `tokens_of`, `money_of`: the limit for the conversation or the day that `tokens` or `money` is the rest of; None:
      it is the limit for a send.
    """

    soft_cap: Decimal = SOFT_CAP
    reserve: int = RESPONSE_RESERVE
    tokens: int | None = None
    money: Decimal | None = None
    tokens_of: Allowance | None = None
    money_of: Allowance | None = None

    def allowance_of(self, limited_by: str) -> Allowance | None:
        """Return the limit for the conversation or the day that this limit of a `Budget` is the rest of."""
        return {"token ceiling": self.tokens_of, "money ceiling": self.money_of}.get(limited_by)


@dataclass(frozen=True, slots=True)
class RequestSizes:
    """The tokens of everything in a request except its pairs."""

    system: int = 0
    tools: int = 0
    draft: int = 0


@dataclass(frozen=True, slots=True)
class Budget:
    """The budget of a send in tokens.

    - `total`: the budget.
    - `available`: the part of the budget that is free for pairs (never negative).
    - `limited_by`: the name of the limit that sets the budget.
    """

    total: int
    available: int
    limited_by: str


def plan_budget(
    window: int,
    limits: Limits,
    sizes: RequestSizes,
    *,
    input_price: Decimal | None = None,
    input_steps: Sequence[tuple[int, Decimal]] = (),
) -> Budget:
    """Compute the budget of a send.

    `input_price` is in US dollars per million tokens; None: no limit in money applies. If the price depends on the size
    of the request, `input_steps` has the sizes in tokens above which another price applies, each with that price, which
    then applies to all tokens of the request. A limit in money is converted to tokens at the full input price, as if no
    token were read from a cache.
    """
    ceilings = {"window": int((window * limits.soft_cap).to_integral_value(ROUND_FLOOR))}
    if limits.tokens is not None:
        ceilings["token ceiling"] = limits.tokens
    if limits.money is not None and input_price:
        ceilings["money ceiling"] = _buy(limits.money, input_price, input_steps)
    limited_by = min(ceilings, key=lambda name: ceilings[name])
    total = max(0, ceilings[limited_by])
    taken = limits.reserve + sizes.system + sizes.tools + sizes.draft
    return Budget(total, max(0, total - taken), limited_by)


def _buy(money: Decimal, price: Decimal, steps: Sequence[tuple[int, Decimal]]) -> int:
    """Return the largest number of tokens that cost at most this money.

    >>> _buy(Decimal(1), Decimal(2), ((400_000, Decimal(4)),)), _buy(Decimal(2), Decimal(2), ((400_000, Decimal(4)),))
    (400000, 500000)
    """
    most = int((money / price * MILLION).to_integral_value(ROUND_FLOOR))
    for above, higher in steps:
        if most > above:
            most = max(above, int((money / higher * MILLION).to_integral_value(ROUND_FLOOR)))
    return most


def fit_newest(totals: Sequence[int], available: int) -> int:
    """Return the number of the newest pairs that fit into `available` tokens.

    `totals` are the tokens of the newest pair, of the newest two, and so on. They never decrease, so an older pair
    never replaces a newer one.
    """
    return bisect_right(totals, available)
