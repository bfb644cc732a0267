"""Queries of queues: the queued texts of a conversation in their order, and the reason why the queue is held.

    queue = await load_queue(session, owner, conversation_id)

A queued text is deleted in the transaction that stores its pair, so no text is sent twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import Select, bindparam, delete, insert, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.conversation.parameters import NO_PARAMETERS
from app.domain.run.queue import Hold, HoldReason, Queue, QueuedText
from app.domain.settings.preferences import OverBudget
from app.store.database.damage import (
    UNKNOWN_TIME,
    Reading,
    a_model_or_none,
    a_number,
    a_text,
    a_text_or_none,
    a_time,
    read_row,
)
from app.store.database.mapping import decode_parameters, decode_word, encode_parameters
from app.store.database.parts_json import decode_parts, encode_parts
from app.store.database.row_names import show_id
from app.store.run.rows_queue import QUEUE_HOLD, QUEUED

UNREADABLE_TEXT = "(This text cannot be read. Remove it.)"
UNREADABLE_HOLD = Hold(HoldReason.PAUSED, "The reason for the hold cannot be read.")


async def load_queue(session: AsyncSession, owner: str, conversation_id: str) -> Queue:
    """Return the queue of a conversation. It is empty if the conversation does not exist."""
    values = {"conversation": conversation_id, "of_owner": owner}
    rows = (await session.execute(_waiting(), values)).mappings().all()
    if not rows:
        return Queue()
    held = select(QUEUE_HOLD).where(QUEUE_HOLD.c.conversation_id == conversation_id, QUEUE_HOLD.c.owner == owner)
    hold = (await session.execute(held)).mappings().one_or_none()
    items = tuple(_decode(row) for row in rows if isinstance(row["id"], str))
    return Queue(items, None if hold is None else read_row(QUEUE_HOLD, hold, _decode_hold, UNREADABLE_HOLD))


@cache
def _waiting() -> Select[Any]:
    """Build the query of queued texts once: it runs whenever a conversation is opened and after each reply."""
    here = QUEUED.c.conversation_id == bindparam("conversation"), QUEUED.c.owner == bindparam("of_owner")
    return select(QUEUED).where(*here).order_by(QUEUED.c.place, QUEUED.c.id)


async def insert_queued(session: AsyncSession, owner: str, item: QueuedText) -> None:
    """Insert a queued text, without its place in the queue: call `write_order` next."""
    columns = asdict(item)
    del columns["damage"]
    columns |= {
        "owner": owner,
        "place": 0,
        "parameters": encode_parameters(item.parameters),
        "attached": encode_parts(item.attached),
    }
    await session.execute(insert(QUEUED), columns)


async def write_text(session: AsyncSession, item: QueuedText, text: str) -> None:
    """Replace the text of an entry of the queue, and increase the version of the entry."""
    await session.execute(update(QUEUED).where(QUEUED.c.id == item.id), {"text": text, "version": item.version + 1})


async def write_order(session: AsyncSession, ids: Sequence[str]) -> None:
    """Store the order of queued texts, which is the order of `ids`."""
    for place, queued_id in enumerate(ids):
        await session.execute(update(QUEUED).where(QUEUED.c.id == queued_id).values(place=place))


async def delete_queued(session: AsyncSession, queued_id: str) -> None:
    await session.execute(delete(QUEUED).where(QUEUED.c.id == queued_id))


async def write_hold(session: AsyncSession, owner: str, conversation_id: str, hold: Hold | None, now: datetime) -> None:
    """Hold a queue, so that none of its texts is sent, or resume it if `hold` is None."""
    await session.execute(delete(QUEUE_HOLD).where(QUEUE_HOLD.c.conversation_id == conversation_id))
    if hold is not None:
        values = {"conversation_id": conversation_id, "owner": owner, "held_at": now, **asdict(hold)}
        await session.execute(insert(QUEUE_HOLD), values)


async def hold_waiting(session: AsyncSession, owner: str, conversation_id: str, hold: Hold, now: datetime) -> None:
    """Hold a queue that is not empty, so that none of its texts is sent."""
    if (await load_queue(session, owner, conversation_id)).items:
        await write_hold(session, owner, conversation_id, hold, now)


def _decode_hold(row: Any) -> Hold:
    return Hold(decode_word(HoldReason, row["reason"]), row["message"])


def _decode(row: Any) -> QueuedText:
    """Decode a queued text. `damage` lists the columns that cannot be read."""
    take = (reading := Reading("queued", show_id(row["id"]))).take

    def text_or_none(column: str) -> str | None:
        return take(column, row[column], a_text_or_none, None)

    take("place", row["place"], a_number, 0)
    item = QueuedText(
        id=row["id"],
        conversation_id=row["conversation_id"],
        text=take("text", row["text"], a_text, ""),
        filter=take("filter", row["filter"], a_text, ""),
        model=take("model", row["model"], a_model_or_none, None),
        agent_id=text_or_none("agent_id"),
        topic=text_or_none("topic"),
        zone=take("zone", row["zone"], a_text, ""),
        parameters=take("parameters", row["parameters"], decode_parameters, NO_PARAMETERS),
        over_budget=take("over_budget", row["over_budget"], _decode_choice, None),
        created_at=take("created_at", row["created_at"], a_time, UNKNOWN_TIME),
        version=take("version", row["version"], a_number, 1),
        attached=take("attached", row["attached"], decode_parts, ()),
    )
    if not reading.damage:
        return item
    return replace(item, text=item.text or UNREADABLE_TEXT, damage=tuple(reading.damage))


def _decode_choice(stored: Any) -> OverBudget | None:
    return None if stored is None else decode_word(OverBudget, stored)
