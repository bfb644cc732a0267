"""Builds the profile of a model from the provider's list, the public price table and the table of abilities.

The list takes precedence over the tables. A value that none of them has gets the cautious default of `ModelProfile`;
unknown prices stay unknown. All data is on this machine: genai-prices contains the price table.

    >>> from datetime import UTC, datetime
    >>> from app.providers.registry import PROVIDERS, Credentials, make_provider
    >>> anthropic = make_provider(PROVIDERS["anthropic"], Credentials())
    >>> build_profile(anthropic, ListedModel("claude-opus-4-5"), datetime(2026, 1, 1, tzinfo=UTC)).context_window
    200000
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from datetime import datetime
from ipaddress import ip_address
from typing import Any, TypeVar
from urllib.parse import urlsplit

from app.domain.errors import SettingsError
from app.domain.models.model_profile import UNKNOWN_WINDOW, ModelProfile
from app.providers.base import ListedModel, Provider
from app.providers.models.abilities import abilities_of
from app.providers.models.alibaba_models import OwnEntry
from app.providers.models.tariffs import find_entry, read_tariff

Fact = TypeVar("Fact")
Overrides = Mapping[str, Mapping[str, Any]]
"""Fields of profiles that this installation overrides, by model ("provider:model")."""


def build_profile(
    provider: Provider, listed: ListedModel, now: datetime, overrides: Overrides | None = None
) -> ModelProfile:
    """Build the profile of the `listed` model with the prices at `now`.

    Raises:
        SettingsError: an override names a field that profiles do not have.
    """
    model = f"{provider.name}:{listed.name}"
    entry = find_entry(provider.row.prices, listed.name) if provider.row.prices else None
    tariff = read_tariff(provider.prices, listed.name) if provider.prices else None
    abilities = entry.abilities if isinstance(entry, OwnEntry) else abilities_of(listed.name)
    own = provider.row.protocol in {"anthropic", "openai"} or isinstance(entry, OwnEntry)
    profile = ModelProfile(
        model=model,
        name=listed.label or (entry.name if entry else None) or listed.name,
        context_window=listed.context_window or (entry.context_window if entry else None) or UNKNOWN_WINDOW,
        max_output_tokens=_first_known(listed.max_output_tokens, abilities.max_output_tokens),
        known=entry is not None or provider.row.protocol == "offline",
        local=is_local(provider),
        images=_first_known(listed.images, abilities.images),
        files=_first_known(listed.files, abilities.files),
        tools=_first_known(listed.tools, abilities.tools),
        structured=_first_known(listed.structured, abilities.structured if own else provider.row.dialect.json_schema),
        sampling=abilities.sampling,
        thinking=_first_known(listed.thinking, abilities.thinking),
        prices=tariff.prices_at(now) if tariff else None,
        input_steps=tariff.input_steps_at(now) if tariff else (),
    )
    return _override(profile, (overrides or {}).get(model, {}))


def is_local(provider: Provider) -> bool:
    """Return True if the provider's address is on the user's own machines or network. Its calls cost nothing."""
    if provider.row.protocol == "offline":
        return True
    host = urlsplit(provider.base_url).hostname or ""
    try:
        return ip_address(host).is_private
    except ValueError:
        return host == "localhost" or host.endswith((".localhost", ".local", ".internal", ".lan")) or "." not in host


def _first_known(listed: Fact | None, otherwise: Fact) -> Fact:
    return otherwise if listed is None else listed


def _override(profile: ModelProfile, changes: Mapping[str, Any]) -> ModelProfile:
    unknown = changes.keys() - {field.name for field in fields(ModelProfile)}
    if unknown:
        raise SettingsError(f"A profile of {profile.model} has no field {min(unknown)!r} to override.")
    return replace(profile, **changes)
