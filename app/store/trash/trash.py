"""Queries of the trash: conversations and pairs that can be restored or deleted permanently.

An entry is a conversation, or the pairs that were deleted from a conversation at the same time. The deleted pairs of a
conversation in the trash are not an entry. When the conversation is restored, they stay deleted and become an entry.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import ColumnElement, Select, Table, and_, delete, func, literal, select, tuple_, union_all, update
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.conversation.conversation import ConversationKind
from app.domain.errors import NotFoundError
from app.store.conversation.conversations import IN_VIEW, list_derived
from app.store.conversation.lists import SNIPPET_LENGTH, count_pairs, select_words
from app.store.conversation.rows import CONVERSATION, MESSAGE, PAIR, first_words
from app.store.conversation.rows_folders import FOLDER
from app.store.database.damage import UNKNOWN_TIME, Reading, a_time
from app.store.database.row_names import show_id

EntryKind = Literal["conversation", "pairs"]


@dataclass(frozen=True, slots=True)
class TrashEntry:
    """An entry of the trash. `id` is the id of the conversation, or of the oldest pair.

    `words` is the beginning of the text of its first pair, `count` the number of pairs.
    """

    id: str
    kind: EntryKind
    conversation_id: str
    title: str
    words: str
    count: int
    deleted_at: datetime


@dataclass(frozen=True, slots=True)
class TrashPlace:
    """The last entry of a page of the list, by its time of deletion and id. The next page starts after it."""

    deleted_at: datetime
    entry_id: str


async def put_conversation(session: AsyncSession, owner: str, conversation_id: str, now: datetime) -> None:
    """Move a conversation with its child conversations to the trash.

    Raises:
        NotFoundError: this owner has no conversation with that id, or it is in the trash already.
    """
    ids = (conversation_id, *await list_derived(session, conversation_id))
    statement = update(CONVERSATION).where(CONVERSATION.c.id.in_(ids), CONVERSATION.c.owner == owner, IN_VIEW)
    put = (await session.execute(statement.values(deleted_at=now).returning(CONVERSATION.c.id))).scalars()
    if conversation_id not in set(put):
        raise NotFoundError("conversation", conversation_id)


async def take_conversation(session: AsyncSession, entry: TrashEntry) -> None:
    """Restore a conversation from the trash, with the child conversations that were deleted together with it."""
    ids = (entry.id, *await list_derived(session, entry.id))
    here = (CONVERSATION.c.id.in_(ids), _same_time(CONVERSATION, entry.id, entry.deleted_at))
    await session.execute(update(CONVERSATION).where(*here).values(deleted_at=None))


async def put_folder(session: AsyncSession, owner: str, folder_id: str, now: datetime) -> tuple[str, ...]:
    """Move the conversations of a folder, with their child conversations, to the trash. Return their ids."""
    ids = _with_derived(select(CONVERSATION.c.id).where(*_in_folder(owner, folder_id), IN_VIEW))
    statement = update(CONVERSATION).where(CONVERSATION.c.id.in_(ids), CONVERSATION.c.owner == owner, IN_VIEW)
    return tuple((await session.execute(statement.values(deleted_at=now).returning(CONVERSATION.c.id))).scalars())


async def take_folder(session: AsyncSession, owner: str, folder_id: str) -> tuple[str, ...]:
    """Restore the conversations that were moved to the trash when their folder was deleted. Return their ids.

    Call it before the folder itself is restored: the time of its deletion selects them.
    """
    together = (
        CONVERSATION.c.deleted_at == select(FOLDER.c.deleted_at).where(FOLDER.c.id == folder_id).scalar_subquery()
    )
    ids = _with_derived(select(CONVERSATION.c.id).where(*_in_folder(owner, folder_id), together))
    here = (CONVERSATION.c.id.in_(ids), CONVERSATION.c.owner == owner, together)
    restored = update(CONVERSATION).where(*here).values(deleted_at=None).returning(CONVERSATION.c.id)
    return tuple((await session.execute(restored)).scalars())


async def list_in_folder(session: AsyncSession, owner: str, folder_id: str) -> tuple[str, ...]:
    """Return the ids of the conversations of a folder and of their child conversations, without the trash."""
    ids = _with_derived(select(CONVERSATION.c.id).where(*_in_folder(owner, folder_id), IN_VIEW))
    return tuple((await session.execute(ids)).scalars())


async def list_chats_in_folder(session: AsyncSession, owner: str, folder_id: str) -> tuple[str, ...]:
    """Return the ids of the conversations of a folder, without child conversations and the trash."""
    chats = select(CONVERSATION.c.id).where(*_in_folder(owner, folder_id), IN_VIEW)
    return tuple((await session.execute(chats.where(CONVERSATION.c.kind == ConversationKind.AGENT))).scalars())


def _in_folder(owner: str, folder_id: str) -> tuple[ColumnElement[bool], ...]:
    return CONVERSATION.c.owner == owner, CONVERSATION.c.folder_id == folder_id


def _with_derived(chats: Select[str]) -> Select[str]:
    """Select these conversations, their child conversations, the children of those, and so on."""
    found = chats.cte(recursive=True)
    child = CONVERSATION.alias("child")
    further = select(child.c.id).join(found, child.c.parent_id == found.c.id)
    return select(found.union(further.where(child.c.kind == ConversationKind.TOOL)).c.id)


async def list_entries(  # noqa: PLR0913 - owner, page and conditions
    session: AsyncSession,
    owner: str,
    *,
    limit: int | None = None,
    place: TrashPlace | None = None,
    conversation_id: str | None = None,
    before: datetime | None = None,
) -> tuple[TrashEntry, ...]:
    """Return the entries of the trash, newest first.

    - `place`: start after this place.
    - `conversation_id`: only pairs of this conversation.
    - `before`: only entries that were deleted earlier than this time. An entry whose time is unknown is then left out.
    """
    kinds = [_select_pairs(owner, conversation_id)]
    if conversation_id is None:
        kinds.append(_select_conversations(owner))
    found = union_all(*kinds).subquery()
    entry = found.c
    query = select(found).order_by(entry.deleted_at.desc(), entry.id.desc()).limit(limit)
    if place is not None:
        query = query.where(tuple_(entry.deleted_at, entry.id) < tuple_(place.deleted_at, place.entry_id))
    if before is not None:
        query = query.where(entry.deleted_at < before)
    rows = (await session.execute(query)).mappings()
    named = [row for row in rows if isinstance(row["id"], str) and isinstance(row["conversation_id"], str)]
    # SQLite compares values of any types, so a damaged value may count as lower than every time.
    return tuple(_decode(row) for row in named if before is None or isinstance(row["deleted_at"], datetime))


async def find_entry(session: AsyncSession, owner: str, entry_id: str) -> TrashEntry:
    """Return the entry with this id, or the entry that contains the pair with this id.

    Raises:
        NotFoundError: the trash has no such entry.
    """
    pair = select(PAIR.c.conversation_id, PAIR.c.deleted_at).where(PAIR.c.id == entry_id, PAIR.c.owner == owner)
    found = (await session.execute(pair)).one_or_none()
    query = _select_conversations(owner, CONVERSATION.c.id == entry_id)
    if found is not None:
        query = _select_pairs(owner, found.conversation_id, _same_time(PAIR, entry_id, found.deleted_at))
    row = (await session.execute(query)).mappings().one_or_none()
    if row is None:
        raise NotFoundError("entry of the trash", entry_id)
    return _decode(row)


def _decode(row: Any) -> TrashEntry:
    """Decode an entry. It can be restored even if its time cannot be read: see `_same_time`."""
    title, words = (row[name] if isinstance(row[name], str) else "" for name in ("title", "words"))
    deleted_at = Reading(row["kind"], show_id(row["id"])).take("deleted_at", row["deleted_at"], a_time, UNKNOWN_TIME)
    return TrashEntry(row["id"], row["kind"], row["conversation_id"], title, words, row["count"], deleted_at)


def _same_time(table: Table, entry_id: str, deleted_at: Any) -> ColumnElement[bool]:
    """Return the condition for rows deleted at the same time as an entry. If the time is unknown: the entry alone."""
    is_known = isinstance(deleted_at, datetime) and deleted_at != UNKNOWN_TIME
    return table.c.deleted_at == deleted_at if is_known else table.c.id == entry_id


async def load_pair_ids(session: AsyncSession, entry: TrashEntry) -> tuple[str, ...]:
    """Return the ids of the pairs of an entry, oldest first."""
    here = and_(PAIR.c.conversation_id == entry.conversation_id, _same_time(PAIR, entry.id, entry.deleted_at))
    return tuple((await session.execute(select(PAIR.c.id).where(here).order_by(PAIR.c.position))).scalars())


async def delete_pairs(session: AsyncSession, pair_ids: Sequence[str]) -> None:
    """Delete pairs permanently, with their messages and all other rows that belong to them."""
    await session.execute(delete(PAIR).where(PAIR.c.id.in_(pair_ids)))


async def list_owners(session: AsyncSession) -> tuple[str, ...]:
    """Return the owners with an entry in the trash."""
    deleted = [select(table.c.owner).where(table.c.deleted_at.is_not(None)) for table in (CONVERSATION, PAIR)]
    return tuple((await session.execute(select(union_all(*deleted).subquery().c.owner).distinct())).scalars())


def _select_conversations(owner: str, *conditions: ColumnElement[bool]) -> Any:
    """Select the conversations in the trash, without child conversations that were deleted with their parent."""
    parent = CONVERSATION.alias("parent")
    together = select(1).where(
        parent.c.id == CONVERSATION.c.parent_id,
        parent.c.deleted_at == CONVERSATION.c.deleted_at,
        CONVERSATION.c.kind == "tool",
    )
    return select(
        CONVERSATION.c.id,
        literal("conversation").label("kind"),
        CONVERSATION.c.id.label("conversation_id"),
        CONVERSATION.c.title,
        _or_nothing(select_words(CONVERSATION.c.id, PAIR.c.position)).label("words"),
        count_pairs(CONVERSATION.c.id).correlate(CONVERSATION).scalar_subquery().label("count"),
        CONVERSATION.c.deleted_at,
    ).where(CONVERSATION.c.owner == owner, CONVERSATION.c.deleted_at.is_not(None), ~together.exists(), *conditions)


def _select_pairs(owner: str, conversation_id: str | None, *conditions: ColumnElement[bool]) -> Any:
    """Select deleted pairs of conversations that are not in the trash, grouped by conversation and time of deletion."""
    here = [PAIR.c.owner == owner, PAIR.c.deleted_at.is_not(None), *conditions]
    if conversation_id is not None:
        here.append(PAIR.c.conversation_id == conversation_id)
    group = (
        select(
            PAIR.c.conversation_id,
            PAIR.c.deleted_at,
            func.count().label("count"),
            func.min(PAIR.c.position).label("first"),
        )
        .where(*here)
        .group_by(PAIR.c.conversation_id, PAIR.c.deleted_at)
        .subquery()
    )
    oldest = PAIR.alias("oldest")
    return (
        select(
            oldest.c.id,
            literal("pairs").label("kind"),
            group.c.conversation_id,
            CONVERSATION.c.title,
            func.coalesce(first_words(MESSAGE.c.parts, SNIPPET_LENGTH), "").label("words"),
            group.c.count,
            group.c.deleted_at,
        )
        .join(CONVERSATION, and_(CONVERSATION.c.id == group.c.conversation_id, IN_VIEW))
        .join(oldest, and_(oldest.c.conversation_id == group.c.conversation_id, oldest.c.position == group.c.first))
        .join(MESSAGE, MESSAGE.c.id == oldest.c.request_id)
    )


def _or_nothing(words: Any) -> Any:
    return func.coalesce(words.correlate(CONVERSATION).scalar_subquery(), "")
