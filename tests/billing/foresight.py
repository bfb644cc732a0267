"""The value of knowing the future: the best plan for a talk with unknown pauses, and the best plan with known pauses.

A talk is reduced to what cannot be decided without foresight: every send adds the same number of tokens, nothing is
edited or filtered, and with a given probability there is a pause that outlasts the cache of five minutes. At each send
the new part is processed plainly, written for five minutes, or written for an hour. Both best courses are found
exactly: `price_blind` visits every state of a talk and both possible continuations; `price_foreseen` visits every state
with the pauses known. An entry of an hour never expires here, and breakpoints are not counted: both courses are a
little cheaper than the rules allow.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from tests.billing.anthropic import LONG, PLAIN, READ, SHORT

Rest = Callable[[int, int], float]


@dataclass(frozen=True)
class Talk:
    """`sends` requests; each has the same `head` tokens, and `step` more than the one before."""

    sends: int = 20
    head: int = 1_700
    step: int = 480

    def tokens(self, send: int) -> int:
        """Return the tokens up to the end of a send's request, or 0 for no send (-1)."""
        return 0 if send < 0 else self.head + self.step * (send + 1)

    def price(self, send: int, hour: int, read: int, rest: Rest) -> float:
        """Return the least cost of a send that reads up to the end of an earlier one, plus that of the `rest` after it.

        `hour`: the send up to which the cache lasts an hour. `rest` receives the sends up to which the cache lasts an
        hour and five minutes afterwards.
        """
        new = self.tokens(send) - self.tokens(read)
        ways = (
            PLAIN * new + rest(hour, read),
            SHORT * new + rest(hour, send),
            LONG * new + rest(send, send),
        )
        return READ * self.tokens(read) + min(ways)


def price_blind(talk: Talk, chance: float) -> float:
    """Return the average cost of the best plan that knows only the probability of a pause before each send."""

    @cache
    def go_on(send: int, hour: int, short: int) -> float:
        if send == talk.sends:
            return 0.0

        def rest(long: int, brief: int) -> float:
            return go_on(send + 1, long, brief)

        after_pause = talk.price(send, hour, hour, rest)
        at_once = talk.price(send, hour, max(hour, short), rest)
        return chance * after_pause + (1 - chance) * at_once

    return go_on(0, -1, -1)


def price_foreseen(talk: Talk, pauses: Sequence[bool]) -> float:
    """Return the cost of the best plan that knows the pauses in advance."""

    @cache
    def go_on(send: int, hour: int, short: int) -> float:
        if send == talk.sends:
            return 0.0

        def rest(long: int, brief: int) -> float:
            return go_on(send + 1, long, brief)

        return talk.price(send, hour, hour if pauses[send] else max(hour, short), rest)

    return go_on(0, -1, -1)
