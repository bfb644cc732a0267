"""Queries of queues: the waiting sends of a conversation in order, and why they are held.

    queue = await load_queue(session, owner, conversation_id)

What stands in the queue is deleted in the transaction that stores its pair, so no text is ever sent twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import Select, bindparam, delete, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.errors import StoreError
from app.domain.preferences import OverBudget
from app.domain.run.queue import Hold, HoldReason, Queue, QueuedText
from app.store.database.damage import decode_each, note_damage
from app.store.database.mapping import decode_parameters, decode_word, encode_parameters
from app.store.database.parts_json import decode_parts, encode_parts
from app.store.run.rows_queue import QUEUE_HOLD, QUEUED


async def load_queue(session: AsyncSession, owner: str, conversation_id: str) -> Queue:
    """What waits in a conversation; nothing in one that is not there."""
    asked = {"conversation": conversation_id, "of_owner": owner}
    rows = (await session.execute(_waiting(), asked)).mappings().all()
    if not rows:
        return Queue()
    held = select(QUEUE_HOLD).where(QUEUE_HOLD.c.conversation_id == conversation_id, QUEUE_HOLD.c.owner == owner)
    hold = (await session.execute(held)).mappings().one_or_none()
    return Queue(
        tuple(decode_each("queued", rows, _decode)),
        None if hold is None else _decode_hold(hold),
    )


@cache
def _waiting() -> Select[Any]:
    """The texts that wait: asked at each opening and after each reply, so made once."""
    here = QUEUED.c.conversation_id == bindparam("conversation"), QUEUED.c.owner == bindparam("of_owner")
    return select(QUEUED).where(*here).order_by(QUEUED.c.place, QUEUED.c.id)


async def insert_queued(session: AsyncSession, owner: str, item: QueuedText) -> None:
    """A text that waits; its place is given by `write_order`."""
    columns = asdict(item) | {
        "owner": owner,
        "place": 0,
        "parameters": encode_parameters(item.parameters),
        "attached": encode_parts(item.attached),
    }
    await session.execute(insert(QUEUED).values(columns))


async def write_text(session: AsyncSession, item: QueuedText, text: str) -> None:
    """Let it say something else."""
    await session.execute(update(QUEUED).where(QUEUED.c.id == item.id).values(text=text, version=item.version + 1))


async def write_order(session: AsyncSession, ids: Sequence[str]) -> None:
    """Let them stand in this order."""
    for place, queued_id in enumerate(ids):
        await session.execute(update(QUEUED).where(QUEUED.c.id == queued_id).values(place=place))


async def delete_queued(session: AsyncSession, queued_id: str) -> None:
    await session.execute(delete(QUEUED).where(QUEUED.c.id == queued_id))


async def count_all_waiting(session: AsyncSession) -> int:
    """How many texts wait in the queues of all conversations."""
    return (await session.execute(select(func.count()).select_from(QUEUED))).scalar_one()


async def write_hold(session: AsyncSession, owner: str, conversation_id: str, hold: Hold | None, now: datetime) -> None:
    """Hold a queue, or (None) let it go on."""
    await session.execute(delete(QUEUE_HOLD).where(QUEUE_HOLD.c.conversation_id == conversation_id))
    if hold is not None:
        values = {"conversation_id": conversation_id, "owner": owner, "held_at": now, **asdict(hold)}
        await session.execute(insert(QUEUE_HOLD).values(values))


async def hold_waiting(session: AsyncSession, owner: str, conversation_id: str, hold: Hold, now: datetime) -> None:
    """Hold a queue if anything waits in it."""
    if (await load_queue(session, owner, conversation_id)).items:
        await write_hold(session, owner, conversation_id, hold, now)


def _decode_hold(row: Any) -> Hold:
    """Why it is held. One that cannot be read holds the queue all the same: nothing is sent unasked."""
    try:
        return Hold(decode_word(HoldReason, row["reason"]), row["message"])
    except StoreError as fault:
        note_damage("queue_hold", row["conversation_id"], "reason", str(fault))
        return Hold(HoldReason.PAUSED, row["message"])


def _decode(row: Any) -> QueuedText:
    return QueuedText(
        id=row["id"],
        conversation_id=row["conversation_id"],
        text=row["text"],
        filter=row["filter"],
        model=row["model"],
        agent_id=row["agent_id"],
        topic=row["topic"],
        zone=row["zone"],
        parameters=decode_parameters(row["parameters"]),
        over_budget=None if row["over_budget"] is None else decode_word(OverBudget, row["over_budget"]),
        created_at=row["created_at"],
        version=row["version"],
        attached=decode_parts(row["attached"]),
    )
