"""Usage: the token counters of one provider call, as the provider reported them.

Only these counters are stored. Totals, costs and the tokens in a context window are computed from them when they are
read.

The four kinds of prompt tokens never overlap here, even if they do in the vendor's report: `input_tokens` does not
include tokens that were read from or written to a cache. (OpenAI reports cached tokens as a part of the input,
Anthropic separately. The adapters convert both.)

    >>> (Usage(input_tokens=10, output_tokens=5) + Usage(output_tokens=1)).output_tokens
    6
    >>> read_count(7), read_count(1.5), read_count(-1), read_count(True), read_count("7"), read_count(2**63)
    (7, None, None, None, None, None)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from decimal import Decimal
from typing import Final

from app.domain.models.model_profile import Prices

MILLION = Decimal(1_000_000)
MAX_TOKENS: Final = 100_000_000
"""Maximum tokens of a counter of one call: ten times the largest context window of today. A larger value is invalid."""
MAX_SUM: Final = 2**53 - 1
"""Maximum tokens in one counter over many calls: the largest integer that every JSON reader represents exactly."""


@dataclass(frozen=True, slots=True)
class Usage:
    """The token counters of one call, or the sum of several calls (`+`).

    - `cache_write_tokens`: tokens written to the cache for five minutes.
    - `cache_write_1h_tokens`: tokens written to the cache for an hour.
    - `reasoning_tokens`: the part of `output_tokens` that was reasoning.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    cache_write_1h_tokens: int = 0
    reasoning_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cache_read_tokens + other.cache_read_tokens,
            self.cache_write_tokens + other.cache_write_tokens,
            self.cache_write_1h_tokens + other.cache_write_1h_tokens,
            self.reasoning_tokens + other.reasoning_tokens,
        )

    @property
    def prompt_tokens(self) -> int:
        """The number of tokens that the model read: uncached, read from the cache, and written to the cache."""
        return self.input_tokens + self.cache_read_tokens + self.cache_write_tokens + self.cache_write_1h_tokens

    @property
    def all_tokens(self) -> int:
        """The number of all tokens that the model read and wrote."""
        return self.prompt_tokens + self.output_tokens

    def cost(self, prices: Prices) -> Decimal:
        """Return the price of these tokens in US dollars.

        If the price of a kind of cached token is unknown, the input price is used. If the price of cache writes with a
        lifetime of an hour is unknown, the price of five-minute writes is used or, if that is unknown too, the input
        price.
        """
        per_million = (
            self.input_tokens * prices.input
            + self.output_tokens * prices.output
            + self.cache_read_tokens * _first(prices.cache_read, prices.input)
            + self.cache_write_tokens * _first(prices.cache_write, prices.input)
            + self.cache_write_1h_tokens * _first(prices.cache_write_1h, prices.cache_write, prices.input)
        )
        return per_million / MILLION


COUNTERS: Final = tuple(counter.name for counter in fields(Usage))
"""The names of all counters."""


def read_count(value: object, most: int = MAX_TOKENS) -> int | None:
    """Return `value` if it is a token count: an integer from 0 to `most`. Otherwise return None."""
    return value if type(value) is int and 0 <= value <= most else None


def read_usage(stored: Mapping[str, object]) -> Usage | None:
    """Return the usage of one call from its counters by name. Return None if `input_tokens` is not a valid count.

    Any other invalid counter counts as zero.
    """
    return None if read_count(stored.get("input_tokens", 0)) is None else read_counters(stored)


def read_counters(stored: Mapping[str, object], most: int = MAX_TOKENS) -> Usage:
    """Read usage from stored counters, by their names. An invalid or missing counter counts as zero."""
    return Usage(**{name: read_count(stored.get(name, 0), most) or 0 for name in COUNTERS})


def _first(*prices: Decimal | None) -> Decimal:
    return next(price for price in prices if price is not None)
