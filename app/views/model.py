"""Models as shown: what a picker and a program need to choose one. Unknown prices are "unknown", never 0."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from app.domain.model_profile import ModelProfile, Prices, ThinkingStyle, split_model_name


@dataclass(frozen=True, slots=True)
class AbilitiesView:
    """What the model takes and does. `sampling`: it accepts temperature and the like."""

    images: bool
    files: bool
    tools: bool
    sampling: bool
    thinking: ThinkingStyle


@dataclass(frozen=True, slots=True)
class PricesView:
    """US dollars per million tokens, as decimal text; null: the provider states none for that kind."""

    input: str
    output: str
    cache_read: str | None
    cache_write: str | None
    cache_write_1h: str | None


@dataclass(frozen=True, slots=True)
class ModelView:
    """A model on offer. `known`: the figures come from a maintained table, else the window is a cautious guess."""

    model: str
    provider: str
    name: str
    context_window: int
    max_output_tokens: int | None
    known: bool
    local: bool
    abilities: AbilitiesView
    prices: PricesView | Literal["unknown"]


def describe_model(profile: ModelProfile) -> ModelView:
    """The model as shown."""
    return ModelView(
        model=profile.model,
        provider=split_model_name(profile.model)[0],
        name=profile.name,
        context_window=profile.context_window,
        max_output_tokens=profile.max_output_tokens,
        known=profile.known,
        local=profile.local,
        abilities=AbilitiesView(profile.images, profile.files, profile.tools, profile.sampling, profile.thinking),
        prices="unknown" if profile.prices is None else describe_prices(profile.prices),
    )


def describe_skipped(skipped: Sequence[str]) -> str:
    """Which entries of a provider's list were left out, in a line.

    >>> describe_skipped(["entry 2: id is 7", "entry 5: window is -1"])
    'Left out of its list: entry 2: id is 7; and 1 more.'
    """
    more = f"; and {len(skipped) - 1:,} more" if len(skipped) > 1 else ""
    return f"Left out of its list: {skipped[0]}{more}."


def describe_prices(prices: Prices) -> PricesView:
    """The prices as shown."""
    return PricesView(
        input=_decimal(prices.input),
        output=_decimal(prices.output),
        cache_read=_optional(prices.cache_read),
        cache_write=_optional(prices.cache_write),
        cache_write_1h=_optional(prices.cache_write_1h),
    )


def _optional(price: Decimal | None) -> str | None:
    return None if price is None else _decimal(price)


def _decimal(price: Decimal) -> str:
    """Plain digits, never an exponent."""
    return f"{price:f}"
