"""Queries of deliveries: the sends of pages that were stored, so that a repeated send is recognised.

    await insert_delivery(session, owner, token, send_id, conversation_id, at)   # in the transaction of the send
    conversation_id = await load_delivery(session, owner, token, send_id)        # "": this send was not stored

A delivery is deleted with its conversation, and after `KEPT` or `MAX_KEPT` further sends. If a person removes a text of
a conversation, all deliveries of the conversation are deleted: a page that still has the text in its message box may
send it again.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import delete, insert, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from app.store.conversation.conversations import MAX_IDS
from app.store.run.rows_delivery import DELIVERY

KEPT: Final = timedelta(days=7)
"""Maximum age of a delivery. Once it is deleted, a page that repeats the send would send the text a second time."""
MAX_KEPT: Final = 1000
"""Maximum number of deliveries of an owner. If there are more, the oldest are deleted."""


async def load_delivery(session: AsyncSession, owner: str, token: str, send_id: str) -> str:
    """Return the conversation that this send of the tab was stored in, or "" if it was not stored."""
    this = (DELIVERY.c.owner == owner, DELIVERY.c.token == token, DELIVERY.c.send_id == send_id)
    found = (await session.execute(select(DELIVERY.c.conversation_id).where(*this))).scalar_one_or_none()
    return found if isinstance(found, str) else ""


async def insert_delivery(  # noqa: PLR0913, PLR0917 - the columns
    session: AsyncSession, owner: str, token: str, send_id: str, conversation_id: str, at: datetime
) -> None:
    """Store that this send of the tab was stored in this conversation, and delete deliveries that are too old."""
    columns = {
        "owner": owner,
        "token": token,
        "send_id": send_id,
        "conversation_id": conversation_id,
        "created_at": at,
    }
    await session.execute(insert(DELIVERY), columns)
    times = select(DELIVERY.c.created_at).where(DELIVERY.c.owner == owner).order_by(DELIVERY.c.created_at.desc())
    oldest_kept = times.offset(MAX_KEPT - 1).limit(1).scalar_subquery()
    old = or_(DELIVERY.c.created_at < at - KEPT, DELIVERY.c.created_at < oldest_kept)
    await session.execute(delete(DELIVERY).where(DELIVERY.c.owner == owner, old))


async def delete_deliveries(session: AsyncSession, *conversation_ids: str) -> None:
    """Delete the deliveries of conversations, because a person removed a text of them or the conversations."""
    for start in range(0, len(conversation_ids), MAX_IDS):
        some = conversation_ids[start : start + MAX_IDS]
        await session.execute(delete(DELIVERY).where(DELIVERY.c.conversation_id.in_(some)))
