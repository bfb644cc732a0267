"""Queries of nodes. A node is an entry between the pairs of a conversation; it is never sent."""

from __future__ import annotations

from dataclasses import asdict, replace
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import func, insert, select
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.child_calls.child_calls import REPLY_ROLES
from app.domain.conversation.accounting import Accounting, RemovalReason
from app.domain.conversation.conversation import Role
from app.domain.errors import StoreError
from app.domain.usage import MAX_SUM, Usage, read_counters
from app.store.conversation.rows import NODE
from app.store.database.damage import UNKNOWN_TIME, Reading, a_number, a_text, a_time
from app.store.database.mapping import decode_word
from app.store.database.row_names import show_id

TICK = timedelta(microseconds=1)


async def insert_accounting(session: AsyncSession, owner: str, conversation_id: str, node: Accounting) -> None:
    """Insert an accounting node: the tokens that had been used when messages were removed.

    Its stored time is later than the times of all other nodes of the conversation, because totals are read in time
    order.
    """
    newest = select(func.max(NODE.c.created_at)).where(NODE.c.conversation_id == conversation_id)
    before = (await session.execute(newest)).scalar_one()
    await session.execute(
        insert(NODE),
        {
            "id": node.id,
            "owner": owner,
            "conversation_id": conversation_id,
            "after_position": node.after_position,
            "role": Role.ACCOUNTING,
            "data": {
                "reason": node.reason,
                "messages": node.messages,
                "usage": asdict(node.usage),
                "calls": node.calls,
            },
            "created_at": max(node.created_at, before + TICK) if isinstance(before, datetime) else node.created_at,
        },
    )


async def load_accounting(session: AsyncSession, owner: str, conversation_id: str) -> tuple[Accounting, ...]:
    """Return the accounting nodes of a conversation, oldest first, including nodes whose role cannot be read."""
    query = (
        select(NODE)
        .where(NODE.c.conversation_id == conversation_id, NODE.c.owner == owner, NODE.c.role.not_in(REPLY_ROLES))
        .order_by(NODE.c.created_at, NODE.c.id)
    )
    return tuple(map(read_accounting, (await session.execute(query)).mappings()))


def read_accounting(row: Any) -> Accounting:
    """Decode the row of an accounting node.

    If the node is damaged, only the id, the position and the time are decoded, as far as they can be read.
    """
    take = (reading := Reading("node", show_id(row["id"]))).take
    node_id = take("id", row["id"], a_text, "(its id cannot be read)")
    take("role", row["role"], _require_accounting, None)
    place = take("after_position", row["after_position"], a_number, 0)
    at = take("created_at", row["created_at"], a_time, UNKNOWN_TIME)

    def decode(data: Any) -> Accounting:
        return Accounting(
            id=node_id,
            after_position=place,
            reason=decode_word(RemovalReason, data["reason"]),
            messages=a_number(data["messages"]),
            usage=read_counters(data["usage"], MAX_SUM),
            created_at=at,
            calls=data.get("calls"),
        )

    unknown = Accounting(node_id, place, None, 0, Usage(), at)
    node = unknown if reading.damage else take("data", row["data"], decode, unknown)
    return replace(node, damage=tuple(reading.damage))


def _require_accounting(stored: Any) -> None:
    if decode_word(Role, stored) is not Role.ACCOUNTING:
        raise StoreError(f"no node has the role {stored!r}")
