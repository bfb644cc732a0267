"""Functions that write figures as text: counts, sizes, tokens, money, and how certain they are.

The page and exports show the same text for the same figure. There is no localisation: thousands are separated by
commas, money is US dollars.

>>> number(1482), plural(1, "pair"), plural(2, "reply", "replies"), short(12_345)
('1,482', '1 pair', '2 replies', '12.3k')
>>> band(1482, 0.05), band_note(0.05), band(1482, 0.0), band_note(0.0)
('~1,482', '±5 %', '1,482', 'exact')
>>> money("1.2"), money("0.0341"), money("0.00042"), money("0"), money("unknown")
('$1.20', '$0.034', '$0.0004', 'free', 'price unknown')
>>> charged("0.03", at_least=True), charged("0", at_least=True), charged("0", at_least=False)
('at least $0.030', 'cost unknown', 'free')
>>> extra("0.03"), extra("unknown")
('$0.030 more', 'price unknown')
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import ROUND_HALF_UP, Decimal
from typing import Final

UNKNOWN: Final = "unknown"
"""The text that views use for an unknown cost."""
PRICE_UNKNOWN: Final = "price unknown"
"""The text for the cost of a call that was not made yet, to a model without a price."""
COST_UNKNOWN: Final = "cost unknown"
"""The text for a cost without any known part."""
_SMALLEST: Final = Decimal("0.0001")
_CENT: Final = Decimal("0.01")


def number(count: int) -> str:
    """Write a count with thousands separators."""
    return f"{count:,}"


def plural(count: int, noun: str, several: str = "") -> str:
    """Write a count with its noun. `several` is the plural of the noun, if it is not `noun` with an "s"."""
    return f"{number(count)} {noun if count == 1 else several or noun + 's'}"


def join_words(words: Iterable[str]) -> str:
    """Write a list in words.

    >>> join_words(["a"]), join_words(["a", "b"]), join_words(["a", "b", "c"])
    ('a', 'a and b', 'a, b and c')
    """
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last


def size(count: int) -> str:
    """Write a number of bytes in short.

    >>> size(300), size(12_345), size(1_234_567)
    ('300 B', '12 KB', '1.2 MB')
    """
    if count < 1_000:
        return f"{count} B"
    return f"{count / 1e3:.0f} KB" if count < 1_000_000 else f"{count / 1e6:.1f} MB"


def short(count: int) -> str:
    """Write a count in at most four characters and a unit: "950", "12.3k", "4.5M"."""
    if count < 10_000:
        return number(count)
    divisor, unit = (1_000, "k") if count < 1_000_000 else (1_000_000, "M")
    whole, tenth = count // divisor, count * 10 // divisor % 10
    return f"{number(whole)}{f'.{tenth}' if whole < 100 else ''}{unit}"


def band(tokens: int, share: float) -> str:
    """Write an estimate of tokens, with "~" unless it is exact. `share` is the relative error (0.05: ±5 %)."""
    return f"{'~' if share else ''}{number(tokens)}"


def band_note(share: float) -> str:
    """Write the relative error of an estimate (0.05: ±5 %) in percent, or "exact"."""
    return f"±{max(1, round(share * 100))} %" if share else "exact"


def money(cost: str) -> str:
    """Write US dollars, given as decimal text or "unknown", with as few digits as are readable."""
    if cost == UNKNOWN:
        return PRICE_UNKNOWN
    dollars = Decimal(cost)
    if dollars == 0:
        return "free"
    if dollars >= 1:
        return f"${dollars.quantize(_CENT, ROUND_HALF_UP):,}"
    if dollars < _SMALLEST:
        return f"< ${_SMALLEST}"
    digits = Decimal("0.0001") if dollars < _CENT else Decimal("0.001")
    return f"${dollars.quantize(digits, ROUND_HALF_UP)}"


def charged(cost: str, *, at_least: bool) -> str:
    """Write a cost that may be a lower bound, such as "$0.03", "at least $0.03", "cost unknown" or "free"."""
    if cost == UNKNOWN or (at_least and not Decimal(cost)):
        return COST_UNKNOWN
    if not at_least:
        return money(cost)
    return f"at least {money(cost)}" if Decimal(cost) >= _SMALLEST else "more than $0"


def extra(cost: str) -> str:
    """Write an additional cost, given as decimal text or "unknown", such as "$0.03 more"."""
    return PRICE_UNKNOWN if cost == UNKNOWN else f"{money(cost)} more"
