"""Deletes everything that a person owns except the ledger: no text of theirs stays.

    while await delete_some_conversations(session, person_id): ...      # a transaction each: others write in between
    await delete_the_rest(session, person_id, at)

Every table with a column `owner` is one of these; a new table is deleted from without being named here.
"""

from __future__ import annotations

from datetime import datetime
from typing import Final

from sqlalchemy import delete, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.conversation.lifecycle import RUNNING
from app.store.people.rows_people import DELETED_PERSON
from app.store.tables import Row

KEPT: Final = frozenset({"ledger", "usage_day", "usage_account"})
"""The ledger and its sums: what was spent stays known. They have numbers and ids, and no text."""
BATCH: Final = 20
"""Conversations deleted in one transaction."""

_TABLES: Final = Row.metadata.tables
_CONVERSATION: Final = _TABLES["conversation"]
_PAIR: Final = _TABLES["pair"]
_TOPIC: Final = _TABLES["topic"]
_RUNNING: Final = tuple(one.value for one in RUNNING)


async def count_running(session: AsyncSession, owner: str) -> int:
    """How many replies of an owner are running, in whatever process."""
    query = select(func.count()).select_from(_PAIR).where(_PAIR.c.owner == owner, _PAIR.c.lifecycle.in_(_RUNNING))
    return (await session.execute(query)).scalar_one()


async def delete_some_conversations(session: AsyncSession, owner: str) -> int:
    """Delete some conversations of an owner with all that hangs on them; how many that were."""
    some = select(_CONVERSATION.c.id).where(_CONVERSATION.c.owner == owner).limit(BATCH)
    ids = tuple((await session.execute(some)).scalars())
    if ids:
        await session.execute(delete(_CONVERSATION).where(_CONVERSATION.c.id.in_(ids)))
    return len(ids)


async def delete_the_rest(session: AsyncSession, owner: str, at: datetime) -> None:
    """Delete what an owner has beside the ledger. From now on their notes in the audit trail can go."""
    await session.execute(insert(DELETED_PERSON).values(id=owner, deleted_at=at))
    await session.execute(update(_TOPIC).where(_TOPIC.c.owner == owner).values(parent_id=None))
    for table in reversed(Row.metadata.sorted_tables):
        if "owner" in table.c and table.name not in KEPT:
            await session.execute(delete(table).where(table.c.owner == owner))
