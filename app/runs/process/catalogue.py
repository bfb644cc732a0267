"""The providers that are set up, from the environment and from Settings.

Keys are decrypted when a provider is made and leave this process only in the header of a call.

Not the table of vendors (`providers/registry.py`) and not what is known of models (`providers/models/profiles.py`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import groupby
from operator import attrgetter

from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.costs.budgets import SpendingBudget
from app.domain.costs.prices import Tariff
from app.domain.errors import Failure, InputError, ProviderError
from app.domain.model_profile import ModelProfile, split_model_name
from app.providers.base import Credentials, Provider
from app.providers.models.detection import assume_local_servers, detect_local_servers
from app.providers.models.model_lists import ModelLists
from app.providers.registry import PROVIDERS, build_providers
from app.settings import Settings
from app.store.database.encryption import Cipher
from app.store.ledger.prices import OwnPrice, load_own_prices
from app.store.settings.provider_settings import ProviderSetting, load_provider_settings

OwnPrices = Mapping[str, tuple[OwnPrice, ...]]
"""By model, oldest first."""
DEFAULT_MODEL = "offline:demo"
"""What a conversation is answered by until somebody chooses a model."""
DETECTED_SECONDS = 10.0
"""How long the local servers found are believed to be there."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A provider and its models. `failure`: why they could not be listed; `skipped`: which entries cannot be right."""

    provider: Provider
    models: tuple[ModelProfile, ...]
    failure: Failure | None = None
    skipped: tuple[str, ...] = ()


@dataclass(eq=False)
class Catalogue:
    """The providers of every owner.

    `tariffs`: what is known of their models' prices (`runs/usage/prices.py`). `budgets`: what they may spend
    (`runs/usage/budgets.py`). `offline`: nobody is asked whether they are there; every local server of the table is
    taken to be, on its usual port. `forgotten` is called when something of an owner changed: other processes forget it
    too.
    """

    settings: Settings
    cipher: Cipher
    lists: ModelLists
    offline: bool = False
    forgotten: Callable[[str], None] = field(default=lambda _owner: None, repr=False)
    tariffs: dict[str, dict[str, Tariff | None]] = field(default_factory=dict[str, dict[str, Tariff | None]])
    budgets: dict[str, tuple[SpendingBudget, ...]] = field(default_factory=dict[str, tuple[SpendingBudget, ...]])
    _own_prices: dict[str, OwnPrices] = field(default_factory=dict[str, OwnPrices])
    _entered: dict[str, tuple[ProviderSetting, ...]] = field(default_factory=dict[str, tuple[ProviderSetting, ...]])
    _forgotten: int = 0  # how often entries were; what was read meanwhile may be older
    _made: dict[str, tuple[object, Mapping[str, Provider]]] = field(
        default_factory=dict[str, tuple[object, Mapping[str, Provider]]]
    )
    _detected: tuple[Provider, ...] = ()
    _detected_at: float = float("-inf")
    _detecting: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def providers(self, session: AsyncSession, owner: str) -> Mapping[str, Provider]:
        """Every provider on offer, by name.

        Raises:
            InputError: an entry cannot be used.
            StoreError: a stored key cannot be decrypted.
        """
        entered = await self._load_entered(session, owner)
        made_from = (entered, self._detected)
        kept = self._made.get(owner)
        if kept is None or kept[0] != made_from:
            credentials = {setting.provider: self._decrypt(setting) for setting in entered}
            providers = build_providers(
                _environment(self.settings), credentials, _servers(self.settings), self._detected
            )
            kept = self._made[owner] = (made_from, providers)
            self.tariffs.get(owner, {}).clear()  # another address may be another price
        return kept[1]

    async def find(self, session: AsyncSession, owner: str, model: str) -> tuple[Provider, ModelProfile]:
        """Who is asked for this model, and what is known of it.

        Raises:
            InputError: no such provider is set up.
        """
        name, _ = split_model_name(model)
        provider = (await self.providers(session, owner)).get(name)
        if provider is None and name in PROVIDERS:
            await self.look_around()  # a local server, perhaps started meanwhile
            provider = (await self.providers(session, owner)).get(name)
        if provider is None:
            raise InputError("model", f"no provider {name!r} is set up. Choose another model, or add it in Settings.")
        # In a thread: the first question about a vendor reads the public price table.
        profile = await asyncio.to_thread(self.lists.profile, provider, model)
        mine = (await self.own_prices(session, owner)).get(model)
        return provider, _price_now(profile, mine) if mine else profile

    async def own_prices(self, session: AsyncSession, owner: str) -> OwnPrices:
        """What this owner knows better about prices, by model."""
        if (known := self._own_prices.get(owner)) is None:
            entered = await load_own_prices(session, owner)
            grouped = groupby(entered, key=attrgetter("model"))
            known = self._own_prices[owner] = {model: tuple(prices) for model, prices in grouped}
        return known

    def forget_entries(self, owner: str) -> None:
        """What this owner entered for providers was stored or deleted. Called when that is committed."""
        self._forget_entries(owner)
        self.forgotten(owner)

    def forget_prices(self, owner: str) -> None:
        """Something about prices changed."""
        self._forget_prices(owner)
        self.forgotten(owner)

    def forget_budgets(self, owner: str) -> None:
        """A budget was set or removed."""
        self.budgets.pop(owner, None)
        self.forgotten(owner)

    def forget(self, owner: str | None) -> None:
        """Another process changed something of this owner; None: of anybody."""
        known = {*self._entered, *self._own_prices, *self.tariffs, *self.budgets}
        for one in known if owner is None else (owner,):
            self._forget_entries(one)
            self._forget_prices(one)
            self.budgets.pop(one, None)

    def _forget_entries(self, owner: str) -> None:
        self._forgotten += 1
        self._entered.pop(owner, None)

    def _forget_prices(self, owner: str) -> None:
        self._own_prices.pop(owner, None)
        self.tariffs.get(owner, {}).clear()

    async def offers(self, providers: Mapping[str, Provider], *, afresh: bool = False) -> tuple[Offer, ...]:
        """Those of the providers that can be asked now, with their models, in the order given."""
        ready = [provider for provider in providers.values() if provider.ready]
        return tuple(await asyncio.gather(*(self._offer(provider, afresh=afresh) for provider in ready)))

    async def look_around(self) -> None:
        """Look for local servers on their usual ports, unless that was done just now."""
        clock = asyncio.get_running_loop().time
        async with self._detecting:
            if clock() - self._detected_at > DETECTED_SECONDS:
                self._detected = assume_local_servers() if self.offline else await detect_local_servers()
                self._detected_at = clock()

    async def _load_entered(self, session: AsyncSession, owner: str) -> tuple[ProviderSetting, ...]:
        """Load what this owner entered once: an opened page asks for it five times, a send three times."""
        if (known := self._entered.get(owner)) is None:
            forgotten = self._forgotten
            known = await load_provider_settings(session, owner)
            if forgotten == self._forgotten:
                self._entered[owner] = known
        return known

    async def _offer(self, provider: Provider, *, afresh: bool) -> Offer:
        try:
            models = await self.lists.load(provider, afresh=afresh)
        except ProviderError as error:
            return Offer(provider, (), error.failure)
        return Offer(provider, models, skipped=self.lists.skipped(provider))

    def _decrypt(self, setting: ProviderSetting) -> Credentials:
        key = None if setting.sealed_key is None else self.cipher.decrypt(setting.sealed_key)
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
