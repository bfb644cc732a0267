"""The table of deliveries: the sends of pages that were stored as a pair, as a queued text or as a comparison."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Field

from app.store.database.row import Row


class DeliveryRow(Row, table=True):
    """A send that a conversation received. `token` is the id of the tab, `send_id` the id that the tab gave to it."""

    owner: str = Field(primary_key=True)
    token: str = Field(primary_key=True)
    send_id: str = Field(primary_key=True)
    conversation_id: str = Field(foreign_key="conversation.id", ondelete="CASCADE", index=True)
    created_at: datetime


DELIVERY = Row.metadata.tables["delivery"]
