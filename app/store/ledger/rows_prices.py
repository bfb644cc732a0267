"""The table of prices that the user entered. The public price table comes with the program."""

from __future__ import annotations

from sqlmodel import Field

from app.store.database.row import Row


class PriceRow(Row, table=True):
    """The user's prices of a model from a UTC day on. They replace the prices in the public table.

    The prices are US dollars per million tokens, as decimal text. Without `input` or `output`, the price is unknown
    from that day on.
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
