"""The table of copies: for a copied pair, the pair it was copied from.

It hangs on the copy alone: the source may be changed, deleted or gone, and the copy stays what it is.
"""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Field

from app.store.database.row import Row


class PairSourceRow(Row, table=True):
    """Which pair, in which version, the pair `pair_id` was copied from."""

    pair_id: str = Field(foreign_key="pair.id", ondelete="CASCADE", primary_key=True)
    owner: str
    source_conversation_id: str
    source_pair_id: str
    source_version: int
    copied_at: datetime


PAIR_SOURCE = Row.metadata.tables["pair_source"]
