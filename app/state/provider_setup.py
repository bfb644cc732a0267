"""What a person does to a provider on the Settings page: enter it, forget it, try it.

A key comes in, is sealed and stored, and never goes out again: all that is ever shown are its last four characters.
"""

from __future__ import annotations

from app.domain.errors import InputError, ProviderError
from app.providers.base import Credentials, Provider
from app.providers.registry import PROVIDERS, compatible_row, make_provider
from app.runs.ids import now
from app.runs.workbench import Workbench
from app.store.provider_settings import (
    ProviderSetting,
    delete_provider_setting,
    load_provider_settings,
    save_provider_setting,
)


async def save_provider(wb: Workbench, owner: str, name: str, key: str, base_url: str) -> None:
    """Store what was entered. An empty `key` keeps the one there is; an empty `base_url` means the vendor's own.

    Raises:
        InputError: the name, the key or the address cannot be one.
    """
    credentials = Credentials(key.strip() or None, base_url.strip() or None)
    make_provider(PROVIDERS.get(name) or compatible_row(name, credentials), credentials)  # only to see that it can be
    sealed = None if credentials.key is None else wb.catalogue.seal.close(credentials.key)
    async with wb.store.write() as session:
        kept = {entry.provider: entry.sealed_key for entry in await load_provider_settings(session, owner)}
        setting = ProviderSetting(name, credentials.base_url, sealed or kept.get(name), now())
        if setting.base_url is None and setting.sealed_key is None:
            await delete_provider_setting(session, owner, name)
        else:
            await save_provider_setting(session, owner, setting)


async def forget_provider(wb: Workbench, owner: str, name: str) -> None:
    """Delete what was entered; what the environment says holds again."""
    async with wb.store.write() as session:
        await delete_provider_setting(session, owner, name)


async def test_provider(wb: Workbench, owner: str, name: str) -> str:
    """Ask it for its models, and say in a sentence what came of it.

    Raises:
        InputError: there is no such provider.
    """
    provider = (await providers_of(wb, owner)).get(name)
    if provider is None:
        raise InputError("provider", f"there is no {name!r} any more. Reload the page.")
    try:
        models = await wb.catalogue.lists.load(provider, afresh=True)
    except ProviderError as error:
        return f"{error} {error.failure.next_step}"
    return f"It works: {len(models)} {'model' if len(models) == 1 else 'models'} on offer."


async def providers_of(wb: Workbench, owner: str) -> dict[str, Provider]:
    """Every provider set up here, by name, local servers that answer now included."""
    await wb.catalogue.look_around()
    async with wb.store.read() as session:
        return dict(await wb.catalogue.providers(session, owner))


async def entered_by(wb: Workbench, owner: str) -> dict[str, ProviderSetting]:
    """What was entered on the page, by provider."""
    async with wb.store.read() as session:
        return {entry.provider: entry for entry in await load_provider_settings(session, owner)}
