"""Queries of the user's prices. From a day on, a price of the user replaces the model's price in the public table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import astuple, dataclass, fields
from datetime import date
from decimal import Decimal
from typing import Any

from sqlalchemy import delete, insert, select
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.costs.prices import Period, PriceTier
from app.domain.errors import NotFoundError
from app.domain.models.model_profile import Prices
from app.store.database.damage import require_row
from app.store.ledger.rows_prices import PRICE

_KINDS = tuple(kind.name for kind in fields(Prices))


@dataclass(frozen=True, slots=True)
class OwnPrice:
    """The user's prices of a model from a UTC day on, until the next entry. `prices` is None if they are unknown."""

    model: str
    since: date
    prices: Prices | None

    @property
    def period(self) -> Period:
        return Period(() if self.prices is None else (PriceTier(0, self.prices),), self.since)


async def load_own_prices(session: AsyncSession, owner: str) -> tuple[OwnPrice, ...]:
    """Return an owner's prices, ordered by model and day.

    Raises:
        DamagedRowError: a price cannot be read, so the cost of a call is unknown.
    """
    query = select(PRICE).where(PRICE.c.owner == owner).order_by(PRICE.c.model, PRICE.c.since)
    return tuple(require_row(PRICE, row, decode_price) for row in (await session.execute(query)).mappings())


async def save_own_price(session: AsyncSession, owner: str, own: OwnPrice) -> None:
    """Store a price. It replaces one for the same model and day."""
    await session.execute(_delete(owner, own.model, own.since))
    stated = (
        dict.fromkeys(_KINDS) if own.prices is None else dict(zip(_KINDS, map(_text, astuple(own.prices)), strict=True))
    )
    await session.execute(insert(PRICE).values(owner=owner, model=own.model, since=own.since.isoformat(), **stated))


async def delete_own_price(session: AsyncSession, owner: str, model: str, since: date) -> None:
    """Delete a price. An older price of the user, or the price in the public table, applies again.

    Raises:
        NotFoundError: there is no price from that day on.
    """
    if (await session.execute(_delete(owner, model, since).returning(PRICE.c.model))).one_or_none() is None:
        raise NotFoundError("price", f"{model} from {since}")


def _delete(owner: str, model: str, since: date) -> Any:
    return delete(PRICE).where(PRICE.c.owner == owner, PRICE.c.model == model, PRICE.c.since == since.isoformat())


def decode_price(row: Mapping[Any, Any]) -> OwnPrice:
    """Decode the row of a price that the user entered."""
    return OwnPrice(row["model"], date.fromisoformat(row["since"]), _decode(row))


def _decode(row: Mapping[Any, Any]) -> Prices | None:
    if row["input"] is None:
        return None
    paid, answered, *cached = (None if row[kind] is None else Decimal(row[kind]) for kind in _KINDS)
    return None if paid is None or answered is None else Prices(paid, answered, *cached)


def _text(price: Decimal | None) -> str | None:
    return None if price is None else f"{price:f}"
