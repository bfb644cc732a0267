"""The available providers: local servers, and providers that were set up in the environment or in Settings.

Keys are stored encrypted. They are decrypted when a `Provider` is created, and leave this process only in the header of
a call.

Not here: the table of vendors (`providers/registry.py`) and the profiles of models (`providers/models/profiles.py`).
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import groupby
from operator import attrgetter
from time import monotonic

from sqlalchemy.ext.asyncio import AsyncSession

from app.config.settings import Settings
from app.domain.conversation.damage import DamagedRowError
from app.domain.costs.budgets import SpendingBudget
from app.domain.costs.prices import Tariff
from app.domain.errors import ErrorClass, Failure, InputError, ProviderError, StoreError, failure
from app.domain.models.model_profile import ModelProfile, split_model_name, vendor_and_name
from app.domain.usage import MAX_TOKENS
from app.providers.base import Credentials, Provider
from app.providers.models.detection import detect_local_servers
from app.providers.models.models import ModelLists
from app.providers.registry import PROVIDERS, build_providers, missing_provider
from app.runs.runtime.tariff_search import OwnPrices, find_tariffs
from app.store.database.database import began_at
from app.store.database.encryption import Seal
from app.store.ledger.prices import OwnPrice, load_own_prices
from app.store.settings.provider_settings import ProviderSetting, load_provider_settings, load_provider_stamp

DEFAULT_MODEL = "offline:demo"
"""The model that answers until the user chooses another."""
DETECTED_SECONDS = 10.0
"""Maximum age, in seconds, of the result of a search for local servers."""


@dataclass(frozen=True, slots=True)
class ProviderModels:
    """A provider and its models.

    - `failure`: the reason why the models could not be listed.
    - `skipped`: the invalid entries of the provider's list.
    """

    provider: Provider
    models: tuple[ModelProfile, ...]
    failure: Failure | None = None
    skipped: tuple[str, ...] = ()


@dataclass(eq=False)
class Catalogue:
    """The providers of every owner.

    `tariffs` caches the known prices of their models (`runs/usage/prices.py`). `budgets` caches the owners' budgets of
    money (`runs/usage/budgets.py`).
    """

    settings: Settings
    seal: Seal
    lists: ModelLists
    tariffs: dict[str, dict[str, Tariff | None]] = field(default_factory=dict[str, dict[str, Tariff | None]])
    budgets: dict[str, tuple[SpendingBudget, ...]] = field(default_factory=dict[str, tuple[SpendingBudget, ...]])
    price_changes: int = 0
    """Number of price changes so far. If it grows while a value is read, this value is not cached."""
    _priced_at: float = float("-inf")  # the time of the last change of a user's prices
    _own_prices: dict[str, OwnPrices] = field(default_factory=dict[str, OwnPrices])
    _made: dict[str, tuple[object, Mapping[str, Provider]]] = field(
        default_factory=dict[str, tuple[object, Mapping[str, Provider]]]
    )
    _detected: tuple[Provider, ...] = ()
    _detected_at: float = float("-inf")
    _detecting: asyncio.Lock = field(default_factory=asyncio.Lock)
    _reading: asyncio.Lock = field(default_factory=asyncio.Lock)  # only one task at a time reads settings or prices

    async def providers(self, session: AsyncSession, owner: str, stamp: str | None = None) -> Mapping[str, Provider]:
        """Return all providers that this owner can choose, by name. Providers without a key are included.

        `stamp`: the stamp of the provider settings (`select_provider_stamp`), if this session has read it already. The
        settings themselves are read only if the stamp has changed.

        Raises:
            InputError: a stored setting of a provider cannot be used.
            StoreError: a stored key cannot be unsealed.
            DamagedRowError: a stored setting cannot be read.
        """
        if stamp is None:
            stamp = await load_provider_stamp(session, owner)
        async with self._reading:
            made_from = (stamp, self._detected)
            kept = self._made.get(owner)
            if kept is None or kept[0] != made_from:
                entered = await load_provider_settings(session, owner)
                credentials = {setting.provider: self._unseal(setting) for setting in entered}
                environment, servers = _environment(self.settings), _servers(self.settings)
                providers = build_providers(environment, credentials, servers, made_from[1])
                kept = self._made[owner] = (made_from, providers)
                self._forget_tariffs(owner)  # another address may have other prices
        return kept[1]

    async def usable_providers(
        self, session: AsyncSession, owner: str, stamp: str | None = None
    ) -> Mapping[str, Provider]:
        """Return the providers for display. If a setting cannot be used, return an empty mapping instead of an error.

        A send then reports the error. `stamp`: as in `providers`.
        """
        try:
            return await self.providers(session, owner, stamp)
        except (InputError, StoreError, DamagedRowError):
            return {}

    async def recognise(
        self, session: AsyncSession, owner: str, model: str, *, stamp: str | None = None, searches: bool = True
    ) -> tuple[Provider, ModelProfile]:
        """Return the provider and the profile of a model that is named in stored data, even if it cannot be called now.

        If the provider is not set up, its field `missing` is true. The limits of its models are unknown, so the profile
        accepts images, files and any number of tokens: no part of a conversation is then shown as unsupported or too
        large. `stamp`, `searches`: as in `find`.
        """
        try:
            return await self.find(session, owner, model, stamp=stamp, searches=searches)
        except (InputError, StoreError, DamagedRowError):
            profile = ModelProfile(model, model, context_window=MAX_TOKENS, images=True, files=True)
            return missing_provider(vendor_and_name(model)[0]), profile

    async def find(
        self, session: AsyncSession, owner: str, model: str, *, stamp: str | None = None, searches: bool = True
    ) -> tuple[Provider, ModelProfile]:
        """Return the provider and the profile of a model that will be called. For display, use `recognise`.

        - `stamp`: as in `providers`.
        - `searches`: search again for local servers if the provider is one that the last search did not find.

        Raises:
            InputError: no such provider is set up, or a stored setting cannot be used.
            StoreError: a stored key cannot be unsealed.
            DamagedRowError: a stored setting of a provider, or a price, cannot be read.
        """
        name, _ = split_model_name(model)
        provider = (providers := await self.providers(session, owner, stamp)).get(name)
        if provider is None and searches and name in PROVIDERS:
            await self.look_around()  # a local server may have been started since the last search
            provider = (providers := await self.providers(session, owner, stamp)).get(name)
        if provider is None:
            raise InputError(
                "model",
                (
                    f"provider {name!r} is not configured. Choose another model, or add the provider in Settings "
                    "→ Providers."
                ),
            )
        await self.learn_tariffs(session, owner, providers, [model])
        # This runs in a thread, because the first look-up for a vendor reads the public price table.
        profile = await asyncio.to_thread(self.lists.profile, provider, model)
        mine = (await self.own_prices(session, owner)).get(model)
        return provider, _price_now(profile, mine) if mine else profile

    def name_of(self, owner: str, model: str) -> str:
        """Return the display name of a model, as the menu of models shows it.

        A model whose provider is not set up, or was not read yet (`load_names`), is named by its id "provider:model".
        """
        made = self._made.get(owner)
        vendor, name = vendor_and_name(model)
        provider = None if made is None else made[1].get(vendor)
        return model if provider is None or not name else self.lists.name(provider, model)

    def names_of(self, owner: str, models: Iterable[str]) -> dict[str, str]:
        """Return the display names of these models, by model.

        If several of these models have the same name, the provider follows each name: "GPT-5 (openrouter)". If they
        also have the same provider, the provider's name for the model follows: "GPT-5 (gpt-5-2025-08-07)".
        """
        names = {model: self.name_of(owner, model) for model in models}
        for part in (0, 1):
            count = Counter(names.values())
            names = {
                model: name if count[name] == 1 else f"{self.name_of(owner, model)} ({vendor_and_name(model)[part]})"
                for model, name in names.items()
            }
        return names

    async def load_names(self, session: AsyncSession, owner: str, models: Iterable[str]) -> dict[str, str]:
        """Return the names of these models, as `names_of` does. Read the providers first, if they were not read yet."""
        await self.usable_providers(session, owner)
        return self.names_of(owner, models)

    async def own_prices(self, session: AsyncSession, owner: str) -> OwnPrices:
        """Return the prices that this owner entered, by model.

        Raises:
            DamagedRowError: one of the prices cannot be read.
        """
        async with self._reading:
            kept = self._own_prices
            if (known := kept.get(owner)) is None:
                entered = await load_own_prices(session, owner)
                grouped = groupby(entered, key=attrgetter("model"))
                known = {model: tuple(prices) for model, prices in grouped}
                if self._sees_prices(session):
                    kept[owner] = known
        return known

    async def learn_tariffs(
        self, session: AsyncSession, owner: str, providers: Mapping[str, Provider], models: Collection[str]
    ) -> None:
        """Cache the tariffs of these models, unless a price or a provider changes meanwhile.

        `providers`: those of the owner, read just now. If the session began before the last change of a price, nothing
        is cached, because the session does not see that change.
        """
        known, changes = self.tariffs.setdefault(owner, {}), self.price_changes
        if not (missing := [model for model in models if model not in known]):
            return
        try:
            own = await self.own_prices(session, owner)
        except DamagedRowError:
            own = None
        # This runs in a thread, because the first look-up for a vendor reads the public price table.
        found = await asyncio.to_thread(find_tariffs, providers, own, missing)
        if self.price_changes == changes and self._sees_prices(session):
            known |= found

    def forget_budgets(self) -> None:
        """Drop the cached budgets, because one was changed.

        The cache is a new mapping: a read that started earlier fills the old one, which is not used any more.
        """
        self.budgets = {}

    def forget_prices(self, owner: str) -> None:
        """Drop the cached prices, because one was changed.

        The cache is a new mapping: a read that started earlier fills the old one, which is not used any more.
        """
        self._own_prices, self._priced_at = {}, monotonic()
        self._forget_tariffs(owner)

    def _sees_prices(self, session: AsyncSession) -> bool:
        """Return True if this session sees the last change of a user's prices."""
        return began_at(session) > self._priced_at

    def _forget_tariffs(self, owner: str) -> None:
        self.price_changes += 1
        self.tariffs.get(owner, {}).clear()

    async def offers(
        self, providers: Mapping[str, Provider], *, afresh: bool = False, patience: float | None = None
    ) -> tuple[ProviderModels, ...]:
        """List the given providers that can be called now, each with its models. The order is kept.

        A provider that needs more than `patience` seconds is listed with its known models, and its request continues.
        `afresh`: request new lists from the providers instead of using lists that are some minutes old.
        """
        ready = [provider for provider in providers.values() if provider.ready]
        tasks = [
            asyncio.create_task(self._offer(provider, afresh=afresh), name=f"offer of {provider.name}")
            for provider in ready
        ]
        try:
            if tasks:
                await asyncio.wait(tasks, timeout=patience)
            answers = zip(ready, tasks, strict=True)
            return tuple([task.result() if task.done() else await self._late(who) for who, task in answers])
        finally:
            for task in tasks:
                task.cancel()

    async def look_around(self) -> None:
        """Search for local servers on their usual ports, unless that was done a few seconds ago."""
        clock = asyncio.get_running_loop().time
        async with self._detecting:
            if clock() - self._detected_at > DETECTED_SECONDS:
                self._detected = await detect_local_servers()
                self._detected_at = clock()

    async def _offer(self, provider: Provider, *, afresh: bool) -> ProviderModels:
        try:
            models = await self.lists.load(provider, afresh=afresh)
        except ProviderError as error:
            return ProviderModels(provider, (), error.failure)
        return ProviderModels(provider, models, skipped=self.lists.skipped(provider))

    async def _late(self, provider: Provider) -> ProviderModels:
        message = f"{provider.row.label} has not listed its models yet. The list shows its previously known models."
        reason = replace(
            failure(ErrorClass.NETWORK, message), next_step="The request is still running. Reload in a moment."
        )
        return ProviderModels(provider, await asyncio.to_thread(self.lists.known, provider), reason)

    def _unseal(self, setting: ProviderSetting) -> Credentials:
        key = None if setting.sealed_key is None else self.seal.open(setting.sealed_key)
        return Credentials(key, setting.base_url)


def _price_now(profile: ModelProfile, mine: Sequence[OwnPrice]) -> ModelProfile:
    now = datetime.now(UTC)
    if not any(price.period.holds(now) for price in mine):
        return profile
    return replace(profile, prices=Tariff(tuple(price.period for price in mine)).prices_at(now), input_steps=())


def _environment(settings: Settings) -> dict[str, str]:
    return {**{name: key.reveal() for name, key in settings.vendor_keys.items()}, **settings.vendor_base_urls}


def _servers(settings: Settings) -> dict[str, Credentials]:
    return {
        server.name: Credentials(server.api_key and server.api_key.reveal(), server.base_url)
        for server in settings.compatible
    }
