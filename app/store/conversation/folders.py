"""Queries of folders, and the list of conversations that shows them.

    listed = await list_in_folders(session, owner, limit=50, criteria=criteria, opened=("f1",))

Deleted folders are returned only on request. Not here: moving the conversations of a folder to the trash
(`store/trash/trash.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, func, insert, null, select, union_all, update
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.conversation.conversation import ConversationKind
from app.domain.conversation.folders import Folder
from app.domain.errors import NotFoundError
from app.domain.text.pattern import fold
from app.store.conversation.conversations import IN_VIEW
from app.store.conversation.lists import (
    ListCriteria,
    Listed,
    conditions_of,
    decode_listed,
    has_id,
    listed_columns,
    select_folder,
)
from app.store.conversation.rows import CONVERSATION
from app.store.conversation.rows_folders import FOLDER
from app.store.database.damage import UNKNOWN_TIME, Reading, a_text, a_time
from app.store.database.mapping import Columns, a_metadata
from app.store.database.row_names import show_id

UNREADABLE_NAME = "(its name cannot be read)"

_IS_LIVE = FOLDER.c.deleted_at.is_(None)
_COLUMNS = tuple(column.label(f"folder_{column.name}_") for column in FOLDER.c)
"""The columns of a folder, labelled for a query with columns of conversations."""


@dataclass(frozen=True, slots=True)
class FolderOf:
    """A folder with the number of its conversations, without those in the trash."""

    folder: Folder
    count: int


@dataclass(frozen=True, slots=True)
class InFolders:
    """A list of conversations by folder: all folders by name, and conversations, the most recently changed one first.

    `rest`: the conversations in no folder. `filed`: those of the opened folders, by folder. Each has at most one
    conversation more than the limit, so that the caller knows if there are others.
    """

    folders: tuple[FolderOf, ...]
    rest: tuple[Listed, ...]
    filed: dict[str, tuple[Listed, ...]]


async def load_folders(session: AsyncSession, owner: str) -> tuple[FolderOf, ...]:
    """Return an owner's folders by name, without deleted folders."""
    query = select(*_COLUMNS, _count()).where(FOLDER.c.owner == owner, _IS_LIVE)
    return _sort_folders((await session.execute(query)).mappings())


async def load_folder(session: AsyncSession, owner: str, folder_id: str, *, deleted: bool = False) -> FolderOf:
    """Return one folder. With `deleted`, return a deleted folder instead.

    Raises:
        NotFoundError: this owner has no folder with that id in this state.
    """
    state = ~_IS_LIVE if deleted else _IS_LIVE
    query = select(*_COLUMNS, _count()).where(FOLDER.c.id == folder_id, FOLDER.c.owner == owner, state)
    row = (await session.execute(query)).mappings().one_or_none()
    if row is None:
        raise NotFoundError("folder", folder_id)
    return _decode(row)


async def load_name_of_folder(session: AsyncSession, owner: str, conversation_id: str) -> str:
    """Return the name of the folder of a conversation, "" if it is in none or the name cannot be read."""
    query = select(FOLDER.c.id, FOLDER.c.name).join(CONVERSATION, CONVERSATION.c.folder_id == FOLDER.c.id)
    query = query.where(CONVERSATION.c.id == conversation_id, FOLDER.c.owner == owner, _IS_LIVE)
    row = (await session.execute(query)).mappings().one_or_none()
    return "" if row is None else Reading("folder", show_id(row["id"])).take("name", row["name"], a_text, "")


async def list_in_folders(
    session: AsyncSession, owner: str, *, limit: int, criteria: ListCriteria, opened: Sequence[str]
) -> InFolders:
    """Return an owner's folders, the conversations in no folder, and those in the folders `opened`, in one statement.

    The statement starts from a list of ids: of conversations, and of folders. Each row has a conversation or a folder.
    """
    order = (CONVERSATION.c.updated_at.desc(), CONVERSATION.c.id.desc())
    mine = (CONVERSATION.c.owner == owner, IN_VIEW)
    rest = select(CONVERSATION.c.id).where(*mine, *conditions_of(replace(criteria, folder_id="")))
    ids = [select(rest.order_by(*order).limit(limit + 1).subquery().c.id, null().label("folder"))]
    if opened:
        place = func.row_number().over(partition_by=CONVERSATION.c.folder_id, order_by=order).label("place")
        filed = select(CONVERSATION.c.id, place).where(
            *mine, CONVERSATION.c.folder_id.in_(opened), select_folder().exists(), *conditions_of(criteria)
        )
        numbered = filed.subquery()
        ids.append(select(numbered.c.id, null()).where(numbered.c.place <= limit + 1))
    ids.append(select(null(), FOLDER.c.id).where(FOLDER.c.owner == owner, _IS_LIVE))
    named = union_all(*ids).subquery()
    rows_of = named.outerjoin(CONVERSATION, CONVERSATION.c.id == named.c.id)
    query = (
        select(CONVERSATION, *listed_columns(), *_COLUMNS, _count())
        .select_from(rows_of.outerjoin(FOLDER, FOLDER.c.id == named.c.folder))
        .order_by(*order)
    )
    rows = (await session.execute(query)).mappings().all()
    listed = [decode_listed(row) for row in rows if row["id"] is not None and has_id(CONVERSATION, row)]
    by_folder: dict[str, list[Listed]] = {}
    for one in listed:
        by_folder.setdefault(one.conversation.folder_id or "", []).append(one)
    return InFolders(
        _sort_folders(row for row in rows if row["folder_id_"] is not None),
        tuple(by_folder.pop("", ())),
        {folder_id: tuple(found) for folder_id, found in by_folder.items()},
    )


async def insert_folder(session: AsyncSession, folder: Folder) -> None:
    values = {
        "id": folder.id,
        "owner": folder.owner,
        "name": folder.name,
        "metadata_json": folder.metadata_json,
        "created_at": folder.created_at,
        "updated_at": folder.updated_at,
        "deleted_at": None,
    }
    await session.execute(insert(FOLDER), values)


async def update_folder(session: AsyncSession, owner: str, folder_id: str, changes: dict[str, Any]) -> None:
    """Write these columns of an existing folder."""
    await session.execute(update(FOLDER).where(FOLDER.c.id == folder_id, FOLDER.c.owner == owner).values(**changes))


async def set_folder_deleted(session: AsyncSession, owner: str, folder_id: str, at: datetime | None) -> None:
    """Delete a folder, or restore it if `at` is None.

    Raises:
        NotFoundError: this owner has no folder with that id, or it already is in that state.
    """
    state = ~_IS_LIVE if at is None else _IS_LIVE
    statement = update(FOLDER).where(FOLDER.c.id == folder_id, FOLDER.c.owner == owner, state).values(deleted_at=at)
    if (await session.execute(statement.returning(FOLDER.c.id))).one_or_none() is None:
        raise NotFoundError("folder", folder_id)


def _count() -> ColumnElement[int]:
    filed = CONVERSATION.alias("filed")
    query = select(func.count()).where(
        filed.c.folder_id == FOLDER.c.id,
        filed.c.owner == FOLDER.c.owner,
        filed.c.kind == ConversationKind.AGENT,
        filed.c.deleted_at.is_(None),
    )
    return query.correlate(FOLDER).scalar_subquery().label("folder_count")


def _sort_folders(rows: Any) -> tuple[FolderOf, ...]:
    found = [one for row in rows if (one := _decode(row)).folder.id]
    return tuple(sorted(found, key=lambda one: (fold(one.folder.name), one.folder.id)))


def _decode(row: Columns) -> FolderOf:
    """Decode a folder. Its id is "" if it cannot be read."""
    take = (reading := Reading("folder", show_id(row["folder_id_"]))).take
    folder = Folder(
        id=take("id", row["folder_id_"], a_text, ""),
        owner=row["folder_owner_"],
        name=take("name", row["folder_name_"], a_text, UNREADABLE_NAME),
        created_at=take("created_at", row["folder_created_at_"], a_time, UNKNOWN_TIME),
        updated_at=take("updated_at", row["folder_updated_at_"], a_time, UNKNOWN_TIME),
        metadata_json=take("metadata_json", row["folder_metadata_json_"], a_metadata, ""),
    )
    return FolderOf(replace(folder, damage=tuple(reading.damage)) if reading.damage else folder, row["folder_count"])
