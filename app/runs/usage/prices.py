"""Prices of an owner's models, now and at any earlier time.

    tariffs = await learn_tariffs(ctx, owner, {"anthropic:claude-sonnet-4-5"})
    price_usage(usage, tariffs["anthropic:claude-sonnet-4-5"], at)

The prices come from the public table. Prices that the user entered override them. A model on a local server is free if
it has no price, even after the server was removed. A vendor's model that a local server forwards to has the vendor's
price. An unknown price is None, never zero.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import fields
from datetime import date

from app.domain.costs.prices import Tariff
from app.domain.errors import InputError
from app.domain.models.model_profile import Prices, split_model_name
from app.runs.app_context import AppContext
from app.runs.runtime.shielded import shielded
from app.store.ledger.prices import OwnPrice, delete_own_price, save_own_price

MAX_MONEY_A_MILLION = 1_000_000
"""Maximum price in US dollars per million tokens. A higher price is taken for a typing error."""


def known_tariffs(ctx: AppContext, owner: str) -> Mapping[str, Tariff | None]:
    """Return the cached tariffs of an owner's models. The mapping is updated when more tariffs are read."""
    return ctx.catalogue.tariffs.setdefault(owner, {})


async def learn_tariffs(ctx: AppContext, owner: str, models: Collection[str]) -> Mapping[str, Tariff | None]:
    """Load the tariffs of these models, unless they are cached. Return all cached tariffs of the owner, by model.

    While a price that a user entered cannot be read, all prices are unknown. A send reports the error.
    """
    catalogue, known = ctx.catalogue, known_tariffs(ctx, owner)
    # Repeat until all are known, because a provider or price entered meanwhile invalidates the values just read.
    while missing := [model for model in models if model not in known]:
        async with ctx.store.read() as session:
            await catalogue.learn_tariffs(session, owner, await catalogue.usable_providers(session, owner), missing)
    return known


@shielded
async def set_price(ctx: AppContext, owner: str, own: OwnPrice) -> None:
    """Store the price that a user entered for a model. From a UTC day on, this price overrides the public table.

    Raises:
        InputError: the model or a price is invalid.
    """
    split_model_name(own.model)
    for kind in fields(Prices):
        price = None if own.prices is None else getattr(own.prices, kind.name)
        if price is not None and not 0 <= price <= MAX_MONEY_A_MILLION:
            raise InputError(
                kind.name, "must be US dollars per million tokens, 0 or more. Correct it, or leave it out."
            )
    async with ctx.store.write() as session:
        await save_own_price(session, owner, own)
    ctx.catalogue.forget_prices(owner)


@shielded
async def remove_price(ctx: AppContext, owner: str, model: str, since: date) -> None:
    """Delete the price of a model that a user entered and that applies from the day `since`.

    Raises:
        NotFoundError: no entered price of this model starts on this day.
    """
    async with ctx.store.write() as session:
        await delete_own_price(session, owner, model, since)
    ctx.catalogue.forget_prices(owner)
