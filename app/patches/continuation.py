"""A text that only grew, as the shortest patch that appends the new part.

    >>> Continuation("ulq3NA", place=1, number=469, text=" give", known=True).wire()
    '+ulq3NA,1,00d1 give'

While a reply streams, nearly every update adds to one text. The first one that does is sent as ever, with a number for
the place that it adds to: the state, the var and the path. Those that follow there say the connection, the place, the
revision of the var in four digits of base 36, and the text as it is, to the end of the frame. Beside the text,
compression leaves the last digit.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from string import ascii_lowercase, digits
from typing import Final

SIGN: Final = "+"
"""What such a packet begins with, where others have a list in JSON."""
NUMBER_DIGITS: Final = 4
BASE: Final = 36
_MAX_NUMBER: Final = BASE**NUMBER_DIGITS - 1

_DIGITS: Final = digits + ascii_lowercase
_PAIRS: Final = tuple(one + other for one in _DIGITS for other in _DIGITS)
_WIRE: Final = re.compile(r"\+([^,]*),(\d+),([0-9a-z]{4})(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Continuation:
    """More `text` for revision `number` of a var. `known`: the browser knows the place, so `wire` says it all."""

    connection: str
    place: int
    number: int
    text: str
    known: bool

    def wire(self) -> str:
        """Return the payload of the packet."""
        high, low = divmod(self.number, BASE * BASE)
        return f"{SIGN}{self.connection},{self.place},{_PAIRS[high]}{_PAIRS[low]}{self.text}"


def can_continue(number: int, text: str) -> bool:
    """Whether this can be written as a continuation: half a surrogate pair cannot, outside of JSON."""
    return number <= _MAX_NUMBER and (text.isascii() or not any("\ud800" <= each <= "\udfff" for each in text))


def read_continuation(payload: str) -> Continuation:
    """Read what `wire` wrote, as `apply.ts` does.

    Raises:
        ValueError: it is no continuation.
    """
    found = _WIRE.fullmatch(payload)
    if found is None:
        raise ValueError(f"No continuation: {payload[:40]!r}")
    connection, place, number, text = found.groups()
    return Continuation(connection, int(place), int(number, BASE), text, known=True)
