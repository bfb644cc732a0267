"""The tariffs of models: the prices that the owner entered and, for all other times, those of the public table.

`Catalogue.learn_tariffs` caches them, `runs/usage/prices.py` reads them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from app.domain.costs.prices import FREE, Tariff
from app.domain.models.model_profile import vendor_and_name
from app.providers.base import Provider
from app.providers.models.profiles import is_local
from app.providers.models.tariffs import read_tariff
from app.providers.registry import PROVIDERS
from app.store.ledger.prices import OwnPrice

OwnPrices = Mapping[str, tuple[OwnPrice, ...]]
"""The prices that an owner entered, by model, oldest first."""


def find_tariffs(
    providers: Mapping[str, Provider], own: OwnPrices | None, models: Collection[str]
) -> dict[str, Tariff | None]:
    """Return the tariffs of these models. If `own` is None (an entered price cannot be read), no tariff is known."""
    if own is None:
        return dict.fromkeys(models)
    return {model: _find_tariff(providers, own, model) for model in models}


def _find_tariff(providers: Mapping[str, Provider], own: OwnPrices, model: str) -> Tariff | None:
    table = _read_table(providers, model)
    mine = own.get(model, ())
    return (table or Tariff(())).changed(price.period for price in mine) if mine else table


def _read_table(providers: Mapping[str, Provider], model: str) -> Tariff | None:
    vendor, name = vendor_and_name(model)
    provider, row = providers.get(vendor), PROVIDERS.get(vendor)
    row = row if provider is None else provider.row
    if row is None:
        return None
    prices = row.prices if provider is None else provider.prices
    if prices and (tariff := read_tariff(prices, name)) is not None:
        return tariff
    at_home = row.local_port is not None if provider is None else is_local(provider)
    return FREE if at_home else None
