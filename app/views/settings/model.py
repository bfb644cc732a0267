"""The view of a model: its window, its abilities, its prices. Unknown prices are "unknown", never 0."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, Literal

from app.domain.cache.rules import supports_caching
from app.domain.models.model_profile import ModelProfile, Prices, ThinkingStyle, split_model_name

_CENT: Final = Decimal("0.01")


@dataclass(frozen=True, slots=True)
class AbilitiesView:
    """The abilities of a model. `sampling`: it accepts sampling parameters such as the temperature.

    `structured`: its reply can be restricted to a JSON schema. `supports_caching`: its provider caches prompts and
    reads them at a lower price.
    """

    images: bool
    files: bool
    tools: bool
    sampling: bool
    thinking: ThinkingStyle
    structured: bool
    supports_caching: bool


@dataclass(frozen=True, slots=True)
class PricesView:
    """The prices of a model, in US dollars per million tokens as decimal text.

    Null: the provider states no price for this kind of tokens.
    """

    input: str
    output: str
    cache_read: str | None
    cache_write: str | None
    cache_write_1h: str | None


@dataclass(frozen=True, slots=True)
class ModelView:
    """An available model. `known`: its figures come from a maintained table; otherwise `context_window` is a guess.

    `local`: it runs on the user's own server, and costs nothing unless a price is known.
    """

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
    """Convert the profile of a model to the form that the HTTP API returns."""
    return ModelView(
        model=profile.model,
        provider=split_model_name(profile.model)[0],
        name=profile.name,
        context_window=profile.context_window,
        max_output_tokens=profile.max_output_tokens,
        known=profile.known,
        local=profile.local,
        abilities=AbilitiesView(
            images=profile.images,
            files=profile.files,
            tools=profile.tools,
            sampling=profile.sampling,
            thinking=profile.thinking,
            structured=profile.structured,
            supports_caching=supports_caching(profile),
        ),
        prices="unknown" if profile.prices is None else describe_prices(profile.prices),
    )


def describe_in_short(profile: ModelProfile) -> str:
    """Describe a model in short: its window, its prices of input and output, and if it supports schemas and caching.

    >>> prices = Prices(Decimal("0.3"), Decimal(15), cache_read=Decimal("0.03"))
    >>> describe_in_short(ModelProfile("acme:one", "One", 200_000, known=True, structured=True, prices=prices))
    '200k · $0.30/$15 · JSON · cache'
    """
    figures = [_window(profile.context_window)] if profile.known else []
    if profile.prices is not None:
        figures.append(f"{_dollars(profile.prices.input)}/{_dollars(profile.prices.output)}")
    elif profile.local:
        figures.append("free")
    if profile.structured:
        figures.append("JSON")
    if supports_caching(profile):
        figures.append("cache")
    return " · ".join(figures)


def describe_skipped(skipped: Sequence[str]) -> str:
    """Describe in one line the entries of a provider's list of models that were left out, with the reasons.

    >>> describe_skipped(["entry 2: id is 7", "entry 5: window is -1"])
    'Left out of the list of models: entry 2: id is 7; and 1 more.'
    """
    more = f"; and {len(skipped) - 1:,} more" if len(skipped) > 1 else ""
    return f"Left out of the list of models: {skipped[0]}{more}."


def describe_prices(prices: Prices) -> PricesView:
    """Convert the prices of a model to the form that the HTTP API returns."""
    return PricesView(
        input=_decimal(prices.input),
        output=_decimal(prices.output),
        cache_read=_optional(prices.cache_read),
        cache_write=_optional(prices.cache_write),
        cache_write_1h=_optional(prices.cache_write_1h),
    )


def _window(tokens: int) -> str:
    """Write a context window in short.

    >>> _window(200_000), _window(1_048_576)
    ('200k', '1M')
    """
    return f"{tokens // 1_000_000}M" if tokens >= 1_000_000 else f"{tokens // 1_000}k"


def _dollars(price: Decimal) -> str:
    """Write a price per million tokens, with cents only if it has any.

    >>> _dollars(Decimal(3)), _dollars(Decimal("0.3")), _dollars(Decimal("0.075"))
    ('$3', '$0.30', '$0.075')
    """
    if price == price.to_integral():
        return f"${price.to_integral():f}"
    cents = price.quantize(_CENT)
    return f"${cents if cents == price else price.normalize():f}"


def _optional(price: Decimal | None) -> str | None:
    return None if price is None else _decimal(price)


def _decimal(price: Decimal) -> str:
    """Write a price in plain digits, never with an exponent."""
    return f"{price:f}"
