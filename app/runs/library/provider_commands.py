"""Commands and queries on providers, for Settings and the model picker.

    await save_provider(wb, LOCAL_OWNER, "anthropic", key="sk-…")
    offers = await list_models(wb, LOCAL_OWNER)

A key goes in and is never given out again: whoever shows a provider learns that there is one.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.errors import ForbiddenError
from app.domain.people.allowances import allows
from app.providers.base import Credentials, Origin, Provider
from app.providers.registry import PROVIDERS, compatible_row, make_provider
from app.runs.process.catalogue import Offer
from app.runs.process.ids import now
from app.runs.process.shielded import shielded
from app.runs.usage.allowances import read_allowance
from app.runs.workbench import Workbench
from app.store.people.people import load_administrators
from app.store.settings.provider_settings import (
    ProviderSetting,
    delete_provider_setting,
    load_provider_settings,
    save_provider_setting,
)


@dataclass(frozen=True, slots=True)
class ProviderSetup:
    """How a provider is set up. `entered`: something of it was entered in Settings; `entered_base_url` is that part."""

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


async def list_providers(wb: Workbench, owner: str) -> tuple[ProviderSetup, ...]:
    """All providers on offer, in the order in which they are shown."""
    await wb.catalogue.look_around()
    async with wb.store.read() as session:
        providers = await wb.catalogue.providers(session, owner)
        entered = {setting.provider: setting for setting in await load_provider_settings(session, owner)}
    return tuple(_describe(provider, entered.get(provider.name)) for provider in providers.values())


async def list_models(wb: Workbench, owner: str, *, afresh: bool = False) -> tuple[Offer, ...]:
    """The providers that can be asked now, each with its models that the owner may use, or why it did not list them.

    `afresh` asks the providers themselves instead of taking a list of some minutes ago.
    """
    await wb.catalogue.look_around()
    async with wb.store.read() as session:
        providers = await wb.catalogue.providers(session, owner)
    return await keep_allowed(wb, owner, await wb.catalogue.offers(providers, afresh=afresh))


async def keep_allowed(wb: Workbench, owner: str, offers: tuple[Offer, ...]) -> tuple[Offer, ...]:
    """The offers with the models that the owner's role may use. One of which nothing is left is left out."""
    allowed = (await read_allowance(wb, owner)).models
    if allowed is None:
        return offers
    kept = [replace(one, models=tuple(each for each in one.models if allows(allowed, each.model))) for one in offers]
    return tuple(after for before, after in zip(offers, kept, strict=True) if after.models or not before.models)


@shielded
async def save_provider(
    wb: Workbench, owner: str, name: str, *, key: str | None = None, base_url: str | None = None
) -> None:
    """Enter a key or a base URL. None leaves what was entered before, an empty text removes it.

    A name that is not in the table of vendors is a compatible server of the owner's own.

    Raises:
        InputError: the name, the key or the base URL cannot be one.
        ForbiddenError: a member enters a base URL, from which this machine and its networks could be reached.
    """
    async with _entering(wb, owner) as session:
        before = {setting.provider: setting for setting in await load_provider_settings(session, owner)}.get(name)
        known_url = before.base_url if before else None
        entered_url = _entered(base_url, known_url)
        if entered_url not in {None, known_url} and not await _may_enter_base_urls(wb, session, owner):
            raise ForbiddenError("Only owners and admins can enter the address of a model server. Ask one of them.")
        sealed_key = before.sealed_key if before else None
        keeps_key = bool(sealed_key) if key is None else bool(key.strip())
        if entered_url is None and not keeps_key:
            await delete_provider_setting(session, owner, name)
            return
        _check(name, Credentials(key, entered_url))
        if key is not None:
            sealed_key = wb.catalogue.cipher.encrypt(key.strip()) if keeps_key else None
        await save_provider_setting(session, owner, ProviderSetting(name, entered_url, sealed_key, now()))


async def may_enter_base_urls(wb: Workbench, owner: str) -> bool:
    """Whether this person may say where a model server is."""
    async with wb.store.read() as session:
        return await _may_enter_base_urls(wb, session, owner)


async def _may_enter_base_urls(wb: Workbench, session: AsyncSession, owner: str) -> bool:
    return not wb.settings.accounts or owner in await load_administrators(session)


@shielded
async def remove_provider(wb: Workbench, owner: str, name: str) -> None:
    """Forget what was entered for a provider. Nothing happens if nothing was."""
    async with _entering(wb, owner) as session:
        await delete_provider_setting(session, owner, name)


@asynccontextmanager
async def _entering(wb: Workbench, owner: str) -> AsyncGenerator[AsyncSession, None]:
    """A transaction that changes what an owner entered. The catalogue reads it again after that."""
    try:
        async with wb.store.write() as session:
            yield session
    finally:
        wb.catalogue.forget_entries(owner)


def _entered(new: str | None, before: str | None) -> str | None:
    return before if new is None else new.strip() or None


def _check(name: str, credentials: Credentials) -> None:
    row = PROVIDERS.get(name) or compatible_row(name, credentials)
    make_provider(row, credentials)


def _describe(provider: Provider, entered: ProviderSetting | None) -> ProviderSetup:
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
    )
