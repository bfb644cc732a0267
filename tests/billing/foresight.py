"""What knowing the future is worth: the best plan of a talk whose pauses nobody can foresee, and of one who can.

A talk is cut down to what cannot be decided without foresight: every send says as much as the one before, nothing is
edited or filtered, and with a certain chance there is a pause in which what is kept for five minutes is lost. At each
send what is new is processed plainly, written for five minutes or for an hour. For that both best courses are found
exactly: `price_blind` by looking at every state a talk can be in and both ways it may go on, `price_foreseen` by
looking at every state with the pauses known. What is kept for an hour is never lost here, and breakpoints are not
counted: both courses are a little cheaper than the rules allow.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from tests.billing.anthropic import LONG, PLAIN, READ, SHORT

Rest = Callable[[int, int], float]


@dataclass(frozen=True)
class Talk:
    """`sends` requests; each has `head` tokens that are always the same, and `step` more than the one before."""

    sends: int = 20
    head: int = 1_700
    step: int = 480

    def tokens(self, send: int) -> int:
        """The tokens up to the end of a send's request; of none (-1): nothing."""
        return 0 if send < 0 else self.head + self.step * (send + 1)

    def price(self, send: int, hour: int, read: int, rest: Rest) -> float:
        """The least for a send that reads up to the end of an earlier one, and for the `rest` after it.

        `hour`: what is kept for an hour. The rest is told what is kept for an hour, and for five minutes, after it.
        """
        new = self.tokens(send) - self.tokens(read)
        ways = (
            PLAIN * new + rest(hour, read),
            SHORT * new + rest(hour, send),
            LONG * new + rest(send, send),
        )
        return READ * self.tokens(read) + min(ways)


def price_blind(talk: Talk, chance: float) -> float:
    """What the best plan costs on average that knows the chance of a pause before each send, and nothing else."""

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
    """What the best plan costs that knows before which sends there will be a pause."""

    @cache
    def go_on(send: int, hour: int, short: int) -> float:
        if send == talk.sends:
            return 0.0

        def rest(long: int, brief: int) -> float:
            return go_on(send + 1, long, brief)

        return talk.price(send, hour, hour if pauses[send] else max(hour, short), rest)

    return go_on(0, -1, -1)
