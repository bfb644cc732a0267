"""Setup of providers and their lists of models, for the Settings page and the model picker.

    await save_provider(ctx, LOCAL_OWNER, "anthropic", key="sk-…")
    offers = await list_models(ctx, LOCAL_OWNER)

A key is stored and never returned: a page gets only the fact that a provider has a key.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from app.domain.errors import ErrorClass, NotFoundError
from app.domain.models.provider_trials import Trial
from app.domain.run.run import Failed, Succeeded
from app.providers.base import Credentials, Origin, Provider
from app.providers.registry import PROVIDERS, compatible_row, make_provider
from app.runs.app_context import AppContext
from app.runs.engine.live import LiveRun
from app.runs.runtime.catalogue import ProviderModels
from app.runs.runtime.ids import now
from app.runs.runtime.shielded import shielded
from app.store.settings.provider_settings import (
    ProviderSetting,
    delete_provider_setting,
    load_provider_settings,
    save_provider_setting,
)

PATIENCE_SECONDS: Final = 3.0
"""Seconds that a list of all models waits for a slow provider. Most providers answer within one second."""


@dataclass(frozen=True, slots=True)
class ProviderSetup:
    """The setup of a provider.

    - `entered`: its key or base URL was entered in Settings.
    - `entered_base_url`: that URL.
    - `trial`: the result of the last request for its list of models.
    - `skipped`: the invalid entries of that list.
    - `regions`: the names of the vendor's other regions and their base URLs.
    """

    name: str
    label: str
    base_url: str
    needs_key: bool
    has_key: bool
    ready: bool
    origin: Origin
    entered: bool
    entered_key: bool
    entered_base_url: str | None
    key_page: str | None
    trial: Trial
    skipped: tuple[str, ...]
    regions: tuple[tuple[str, str], ...] = ()


async def list_providers(ctx: AppContext, owner: str) -> tuple[ProviderSetup, ...]:
    """List all providers, in the order of the Settings page."""
    await ctx.catalogue.look_around()
    async with ctx.store.read() as session:
        providers = await ctx.catalogue.providers(session, owner)
        entered = {setting.provider: setting for setting in await load_provider_settings(session, owner)}
    return tuple(_describe(ctx, provider, entered.get(provider.name)) for provider in providers.values())


async def try_provider(ctx: AppContext, owner: str, name: str) -> None:
    """Request a provider's list of models now. After that, `list_providers` returns the outcome in `trial`.

    Nothing is requested if the provider lacks its key.

    Raises:
        NotFoundError: there is no such provider.
    """
    async with ctx.store.read() as session:
        provider = (await ctx.catalogue.providers(session, owner)).get(name)
    if provider is None:
        raise NotFoundError("provider", name)
    await ctx.catalogue.offers({name: provider}, afresh=True)


async def list_models(ctx: AppContext, owner: str, *, afresh: bool = False) -> tuple[ProviderModels, ...]:
    """List the providers that can be called now, each with its models, or with the reason why it did not list them.

    A slow provider delays no other: after `PATIENCE_SECONDS` its known models are listed. `afresh` requests new lists
    from the providers instead of using lists that are some minutes old.
    """
    await ctx.catalogue.look_around()
    async with ctx.store.read() as session:
        providers = await ctx.catalogue.providers(session, owner)
    return await ctx.catalogue.offers(providers, afresh=afresh, patience=PATIENCE_SECONDS)


@shielded
async def save_provider(
    ctx: AppContext, owner: str, name: str, *, key: str | None = None, base_url: str | None = None
) -> None:
    """Store a key or a base URL for a provider. None leaves the stored value, an empty text removes it.

    A name that is not in the table of vendors means a server with an OpenAI-compatible API.

    Raises:
        InputError: the name, the key or the base URL is invalid.
    """
    async with ctx.store.write() as session:
        before = {setting.provider: setting for setting in await load_provider_settings(session, owner)}.get(name)
        entered_url = _entered(base_url, before.base_url if before else None)
        sealed_key = before.sealed_key if before else None
        keeps_key = bool(sealed_key) if key is None else bool(key.strip())
        if entered_url is None and not keeps_key:
            await delete_provider_setting(session, owner, name)
            return
        _check(name, Credentials(key, entered_url))
        if key is not None:
            sealed_key = ctx.catalogue.seal.close(key.strip()) if keeps_key else None
        await save_provider_setting(session, owner, ProviderSetting(name, entered_url, sealed_key, now()))


@shielded
async def remove_provider(ctx: AppContext, owner: str, name: str) -> None:
    """Delete the stored key and base URL of a provider. Does nothing if there are none."""
    async with ctx.store.write() as session:
        await delete_provider_setting(session, owner, name)


def _entered(new: str | None, before: str | None) -> str | None:
    return before if new is None else new.strip() or None


def _check(name: str, credentials: Credentials) -> None:
    row = PROVIDERS.get(name) or compatible_row(name, credentials)
    make_provider(row, credentials)


def _describe(ctx: AppContext, provider: Provider, entered: ProviderSetting | None) -> ProviderSetup:
    return ProviderSetup(
        name=provider.name,
        label=provider.row.label,
        base_url=provider.base_url,
        needs_key=provider.row.needs_key,
        has_key=bool(provider.key),
        ready=provider.ready,
        origin=provider.origin,
        entered=entered is not None,
        entered_key=entered is not None and entered.sealed_key is not None,
        entered_base_url=entered.base_url if entered else None,
        key_page=provider.row.key_page,
        trial=ctx.catalogue.lists.trial(provider),
        skipped=ctx.catalogue.lists.skipped(provider),
        regions=tuple((region.name, region.base_url) for region in provider.row.regions if region.base_url),
    )


async def note_key(ctx: AppContext, run: LiveRun) -> None:
    """Note whether the provider of a run that ended accepted the key. Settings show this for each provider."""
    match run.state.outcome:
        case Failed(reason) if reason.error_class is ErrorClass.AUTH and run.provider.key:
            ctx.catalogue.lists.note_rejected_key(run.provider, reason)
        case Succeeded():
            ctx.catalogue.lists.note_accepted_key(run.provider)
        case _:
            pass
