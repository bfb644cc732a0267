"""The profile of a model: its window, limits, prices and abilities.

The values come from a maintained public table (read in `providers`); an installation can override them. A model that is
not in the table gets the conservative defaults below. Its prices are unknown, which does not mean zero.

    >>> split_model_name("anthropic:claude-sonnet-4-5")
    ('anthropic', 'claude-sonnet-4-5')
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from app.domain.errors import InputError

UNKNOWN_WINDOW = 8_192
"""Assumed context window of an unknown model, in tokens: as small as in the smallest models of today."""


class ThinkingStyle(StrEnum):
    """The way to set the thinking of a model: none, always on, adaptive, a budget in tokens, or an effort.

    With adaptive thinking the model itself decides how long it thinks.
    """

    NONE = "none"
    ALWAYS = "always"
    ADAPTIVE = "adaptive"
    BUDGET = "budget"
    EFFORT = "effort"


@dataclass(frozen=True, slots=True)
class Prices:
    """Price per million tokens in US dollars, by kind of token. None: the provider states no price for that kind."""

    input: Decimal
    output: Decimal
    cache_read: Decimal | None = None
    cache_write: Decimal | None = None
    cache_write_1h: Decimal | None = None


@dataclass(frozen=True, slots=True)
class ModelProfile:
    """A model that a user can choose. `model` is its id "provider:model", `name` its name on the screen.

    - `known`: the values come from the public table.
    - `context_window`, `max_output_tokens`: limits in tokens.
    - `local`: the model runs on the user's own server, and costs nothing unless a price is known.
    - `images`, `files`, `tools`: the model accepts these.
    - `sampling`: the model accepts parameters such as the temperature.
    - `structured`: its reply can be restricted to a JSON schema.
    - `prices`: None if they are unknown. Then costs are unknown too.
    - `input_steps`: numbers of prompt tokens, each with the input price that applies above it.
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
    """Return true if a request can set how much the model thinks.

    It is true for an unknown model, because that model may support this setting.
    """
    if profile.thinking is ThinkingStyle.NONE:
        return not profile.known
    return profile.thinking is not ThinkingStyle.ALWAYS


def vendor_and_name(model: str) -> tuple[str, str]:
    """Split a stored model name at its first colon into provider and name. Without a colon, the provider is "".

    Every text is accepted, because a stored name may come from another program. `split_model_name` is strict.

    >>> vendor_and_name("offline:demo"), vendor_and_name("demo")
    (('offline', 'demo'), ('', 'demo'))
    """
    provider, colon, name = model.partition(":")
    return (provider, name) if colon else ("", model)


def split_model_name(model: str) -> tuple[str, str]:
    """Split a model written as "provider:model" into the provider and the provider's name for the model.

    Raises:
        InputError: the name does not have this form.
    """
    provider, colon, name = model.partition(":")
    if not (provider and colon and name):
        raise InputError(
            "model", f'{model!r} is not a model. Write it as "provider:model", for example "offline:demo".'
        )
    return provider, name
