"""Queries of nodes: entries between the pairs of a conversation that are never sent."""

from __future__ import annotations

from dataclasses import asdict
from datetime import timedelta
from functools import cache
from typing import Any

from sqlalchemy import Select, bindparam, func, insert, select
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.conversation.conversation import Role
from app.domain.costs.accounting import Accounting, Departure
from app.domain.usage import MAX_SUM, read_counters
from app.store.conversation.rows import NODE
from app.store.database.damage import decode_each
from app.store.database.mapping import decode_word

TICK = timedelta(microseconds=1)


async def insert_accounting(session: AsyncSession, owner: str, conversation_id: str, node: Accounting) -> None:
    """Write a node. It is never older than one written before it: their totals are read in the order of time."""
    newest = select(func.max(NODE.c.created_at)).where(NODE.c.conversation_id == conversation_id)
    before = (await session.execute(newest)).scalar_one()
    await session.execute(
        insert(NODE).values(
            id=node.id,
            owner=owner,
            conversation_id=conversation_id,
            after_position=node.after_position,
            role=Role.ACCOUNTING,
            data={
                "reason": node.reason,
                "messages": node.messages,
                "usage": asdict(node.usage),
                "calls": node.calls,
            },
            created_at=node.created_at if before is None else max(node.created_at, before + TICK),
        )
    )


async def load_accounting(session: AsyncSession, owner: str, conversation_id: str) -> tuple[Accounting, ...]:
    """The accounting nodes of a conversation, in the order written."""
    rows = await session.execute(_select_accounting(), {"conversation": conversation_id, "of_owner": owner})
    return tuple(decode_each("node", rows.mappings(), _decode))


@cache
def _select_accounting() -> Select[Any]:
    """What `load_accounting` asks: made once."""
    mine = NODE.c.conversation_id == bindparam("conversation"), NODE.c.owner == bindparam("of_owner")
    return select(NODE).where(*mine, NODE.c.role == Role.ACCOUNTING).order_by(NODE.c.created_at, NODE.c.id)


def _decode(row: Any) -> Accounting:
    return Accounting(
        id=row["id"],
        after_position=row["after_position"],
        reason=decode_word(Departure, row["data"]["reason"]),
        messages=row["data"]["messages"],
        usage=read_counters(row["data"]["usage"], MAX_SUM),
        created_at=row["created_at"],
        calls=row["data"].get("calls"),
    )
