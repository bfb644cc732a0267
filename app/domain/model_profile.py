"""What is known of a model: its window, limits, prices and abilities.

The figures come from a maintained public table (read in `providers`), overridable per installation. A model that the
table does not know gets the stated conservative default, and its prices are unknown, which is never zero.

    >>> split_model_name("anthropic:claude-sonnet-4-5")
    ('anthropic', 'claude-sonnet-4-5')
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from app.domain.errors import InputError

UNKNOWN_WINDOW = 8_192
"""Context window in tokens assumed for a model nobody knows: what the smallest models in use today have."""


class ThinkingStyle(StrEnum):
    """How a model is asked to think: not at all, by itself, adaptively, by a budget, or by an effort."""

    NONE = "none"
    ALWAYS = "always"
    ADAPTIVE = "adaptive"
    BUDGET = "budget"
    EFFORT = "effort"


@dataclass(frozen=True, slots=True)
class Prices:
    """Price per million tokens in US dollars, by kind. None: the provider states none for that kind."""

    input: Decimal
    output: Decimal
    cache_read: Decimal | None = None
    cache_write: Decimal | None = None
    cache_write_1h: Decimal | None = None


@dataclass(frozen=True, slots=True)
class ModelProfile:
    """A model on offer. `model` is "provider:model"; `known` says whether the figures come from the table.

    `context_window` and `max_output_tokens` are tokens; `prices` None means unknown, shown as "≥". `local` models
    run on a server of the person's own and cost nothing, unless a price is known. `input_steps`: past so many tokens of
    a prompt, the price of input is another one. `structured`: its reply can be held to a JSON schema.
    """

    model: str
    name: str
    context_window: int = UNKNOWN_WINDOW
    max_output_tokens: int | None = None
    known: bool = False
    local: bool = False
    images: bool = False
    files: bool = False
    tools: bool = False
    sampling: bool = True
    thinking: ThinkingStyle = ThinkingStyle.NONE
    prices: Prices | None = None
    structured: bool = False
    input_steps: tuple[tuple[int, Decimal], ...] = ()


def takes_thinking(profile: ModelProfile) -> bool:
    """Whether it can be told how hard to think, or not to. Of a model that nobody knows, its server has to say."""
    if profile.thinking is ThinkingStyle.NONE:
        return not profile.known
    return profile.thinking is not ThinkingStyle.ALWAYS


def vendor_and_name(model: str) -> tuple[str, str]:
    """The two halves of a stored model. Its provider is "" where none is named, as another program may have stored it.

    >>> vendor_and_name("offline:demo"), vendor_and_name("demo")
    (('offline', 'demo'), ('', 'demo'))
    """
    provider, colon, name = model.partition(":")
    return (provider, name) if colon else ("", model)


def split_model_name(model: str) -> tuple[str, str]:
    """The provider and the provider's own name of a model written "provider:model".

    Raises:
        InputError: it is not written so.
    """
    provider, colon, name = model.partition(":")
    if not (provider and colon and name):
        raise InputError(
            "model", f'{model!r} is not a model. Write it as "provider:model", for example "offline:demo".'
        )
    return provider, name
