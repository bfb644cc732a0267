"""Queries of folders, and of where conversations are in the list.

before = await load_placements(session, owner, ids)
await write_placement(session, owner, ids, {"archived": True})
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import Select, and_, bindparam, delete, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.conversation.placement import Folder, Placement
from app.domain.errors import NotFoundError
from app.store.conversation.conversations import MAX_IDS, PLACEMENT_COLUMNS, decode_placement
from app.store.conversation.rows import CONVERSATION
from app.store.conversation.wanted import IN_VIEW
from app.store.organise.rows_folders import FOLDER


async def load_folders(session: AsyncSession, owner: str) -> tuple[Folder, ...]:
    """An owner's folders in alphabetical order, with how many conversations are in each."""
    rows = await session.execute(_select_folders(), {"of_owner": owner})
    return tuple(Folder(row.id, row.name, row.conversations, row.retention_days) for row in rows)


@cache
def _select_folders() -> Select[Any, Any, Any, int]:
    """What `load_folders` asks, and so every open page after each change: made once."""
    here = and_(
        CONVERSATION.c.folder_id == FOLDER.c.id,
        CONVERSATION.c.owner == FOLDER.c.owner,
        CONVERSATION.c.archived.is_(False),
        IN_VIEW,
    )
    count = select(func.count()).where(here).correlate(FOLDER).scalar_subquery()
    query = select(FOLDER.c.id, FOLDER.c.name, FOLDER.c.retention_days, count.label("conversations"))
    return query.where(FOLDER.c.owner == bindparam("of_owner")).order_by(func.lower(FOLDER.c.name), FOLDER.c.id)


async def load_folder_days(session: AsyncSession, owner: str) -> dict[str, int]:
    """The folders with a retention rule of their own, with its days, by id."""
    query = select(FOLDER.c.id, FOLDER.c.retention_days)
    rows = await session.execute(query.where(FOLDER.c.owner == owner, FOLDER.c.retention_days.is_not(None)))
    return {row.id: row.retention_days for row in rows}


async def require_folder(session: AsyncSession, owner: str, folder_id: str) -> Folder:
    """One folder, without its count.

    Raises:
        NotFoundError: there is none of that id, or it is another's.
    """
    query = select(FOLDER.c.id, FOLDER.c.name, FOLDER.c.retention_days).where(
        FOLDER.c.owner == owner, FOLDER.c.id == folder_id
    )
    row = (await session.execute(query)).one_or_none()
    if row is None:
        raise NotFoundError("folder", folder_id)
    return Folder(row.id, row.name, retention_days=row.retention_days)


async def insert_folder(session: AsyncSession, owner: str, folder: Folder, at: datetime) -> None:
    values = {"id": folder.id, "owner": owner, "name": folder.name, "created_at": at}
    await session.execute(insert(FOLDER).values(**values, retention_days=folder.retention_days))


async def update_folder(session: AsyncSession, owner: str, folder_id: str, columns: Mapping[str, Any]) -> None:
    """Write these columns of it.

    Raises:
        NotFoundError: there is none of that id, or it is another's.
    """
    await require_folder(session, owner, folder_id)
    await session.execute(update(FOLDER).where(FOLDER.c.id == folder_id).values(**columns))


async def delete_folder(session: AsyncSession, owner: str, folder_id: str) -> tuple[str, ...]:
    """Delete a folder; the conversations that were in it are in none. Their ids.

    Raises:
        NotFoundError: there is none of that id, or it is another's.
    """
    await require_folder(session, owner, folder_id)
    emptied = update(CONVERSATION).where(CONVERSATION.c.owner == owner, CONVERSATION.c.folder_id == folder_id)
    ids = (await session.execute(emptied.values(folder_id=None).returning(CONVERSATION.c.id))).scalars().all()
    await session.execute(delete(FOLDER).where(FOLDER.c.id == folder_id))
    return tuple(ids)


async def load_placements(session: AsyncSession, owner: str, ids: Sequence[str]) -> dict[str, Placement]:
    """Where those of these conversations are in the list that are there, by id."""
    found: dict[str, Placement] = {}
    for start in range(0, len(ids), MAX_IDS):
        named = CONVERSATION.c.id.in_(ids[start : start + MAX_IDS])
        query = select(CONVERSATION.c.id, *PLACEMENT_COLUMNS).where(CONVERSATION.c.owner == owner, named, IN_VIEW)
        found |= {row["id"]: decode_placement(row) for row in (await session.execute(query)).mappings()}
    return found


async def write_placement(session: AsyncSession, owner: str, ids: Sequence[str], columns: Mapping[str, Any]) -> None:
    """Write these columns of these conversations."""
    for start in range(0, len(ids), MAX_IDS):
        named = CONVERSATION.c.id.in_(ids[start : start + MAX_IDS])
        await session.execute(update(CONVERSATION).where(CONVERSATION.c.owner == owner, named).values(**columns))
