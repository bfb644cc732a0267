"""The table of own prices. The public table comes with the program."""

from __future__ import annotations

from sqlmodel import Field

from app.store.database.row import Row


class PriceRow(Row, table=True):
    """What this installation knows better than the public table: a model's prices from a UTC day on.

    US dollars per million tokens as decimal text. Without `input` and `output` nobody knows the price from that day on.
    """

    owner: str = Field(primary_key=True)
    model: str = Field(primary_key=True)
    since: str = Field(primary_key=True)
    input: str | None
    output: str | None
    cache_read: str | None
    cache_write: str | None
    cache_write_1h: str | None


PRICE = Row.metadata.tables["price"]
