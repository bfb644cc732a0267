"""Conversations as entries of a list, with their number of pairs and the beginnings of their texts.

    listed = await list_conversations(session, owner, limit=50, criteria=ListCriteria(folder_id=""))
    listed[0].snippet

Searches for words are in `store/index/search.py`, the list of the trash in `store/trash/trash.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, Table, case, func, select, tuple_
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.conversation.conversation import Conversation, ConversationKind, ConversationStatus
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.errors import NotFoundError
from app.store.conversation.conversations import IN_VIEW, MAX_IDS
from app.store.conversation.rows import CONVERSATION, MESSAGE, PAIR, first_text, first_words
from app.store.conversation.rows_comparison import COMPARISON
from app.store.conversation.rows_folders import FOLDER
from app.store.database.damage import Reading, a_text
from app.store.database.mapping import decode_conversation
from app.store.database.row_names import show_id

SNIPPET_LENGTH = 700
"""Maximum characters of a snippet in a list. No list shows more."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A conversation as an entry of a list.

    - `snippet`, `opening`: the beginnings of its newest and its oldest request. The request of an open comparison
      counts as the newest.
    - `compared`: the number of replies in an open comparison.
    - `failed`: the newest reply failed, and no comparison is open.
    """

    conversation: Conversation
    pair_count: int
    snippet: str
    opening: str
    compared: int = 0
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Cursor:
    """The last conversation of a page of the list, by its time of change and id. The next page starts after it."""

    updated_at: datetime
    conversation_id: str


@dataclass(frozen=True, slots=True)
class ListCriteria:
    """Conditions for a list of conversations. A condition of None does not apply.

    `agent_id` "" selects conversations without an agent, `folder_id` "" those in no folder. Searches for words are in
    `store/index/search.py`.
    """

    kind: ConversationKind | None = None
    status: ConversationStatus | None = None
    agent_id: str | None = None
    folder_id: str | None = None


EVERYTHING = ListCriteria()


async def list_conversations(
    session: AsyncSession, owner: str, *, limit: int, cursor: Cursor | None = None, criteria: ListCriteria = EVERYTHING
) -> tuple[Listed, ...]:
    """Return an owner's conversations, the most recently changed one first."""
    place = tuple_(CONVERSATION.c.updated_at, CONVERSATION.c.id)
    query = (
        select_listed(CONVERSATION.c.owner == owner, *conditions_of(criteria))
        .order_by(CONVERSATION.c.updated_at.desc(), CONVERSATION.c.id.desc())
        .limit(limit)
    )
    if cursor is not None:
        query = query.where(place < tuple_(cursor.updated_at, cursor.conversation_id))
    rows = (await session.execute(query)).mappings()
    return tuple(decode_listed(row) for row in rows if has_id(CONVERSATION, row))


async def describe_listed(session: AsyncSession, owner: str, conversation_id: str) -> Listed:
    """Return one conversation as an entry of a list.

    Raises:
        NotFoundError: no conversation of this owner has that id.
    """
    found = await list_named(session, owner, (conversation_id,))
    if conversation_id not in found:
        raise NotFoundError("conversation", conversation_id)
    return found[conversation_id]


async def list_named(session: AsyncSession, owner: str, ids: Sequence[str]) -> dict[str, Listed]:
    """Return these conversations, by id. Missing ones are left out."""
    if not ids:
        return {}
    rows = (await session.execute(_select_named(owner, ids))).mappings()
    return {row["id"]: decode_listed(row) for row in rows}


def _select_named(owner: str, ids: Sequence[str]) -> Select[Any]:
    """Select conversations by their ids.

    `coalesce` keeps SQLite from using the index of owners, with which it would read all conversations of this owner.
    """
    theirs = func.coalesce(CONVERSATION.c.owner, "") == owner
    return select_listed(theirs, CONVERSATION.c.id.in_(ids))


def select_listed(*conditions: ColumnElement[bool]) -> Select[Any]:
    """Return the query for conversations with the columns that `decode_listed` needs, without those in the trash."""
    return select(CONVERSATION, *listed_columns()).where(IN_VIEW, *conditions)


def listed_columns() -> tuple[ColumnElement[Any], ...]:
    """Return the columns that `decode_listed` needs besides those of the conversation."""
    count = count_pairs(CONVERSATION.c.id).correlate(CONVERSATION).scalar_subquery()
    snippet = select_words(CONVERSATION.c.id, PAIR.c.position.desc()).correlate(CONVERSATION).scalar_subquery()
    opening = select_words(CONVERSATION.c.id, PAIR.c.position).correlate(CONVERSATION).scalar_subquery()
    newest = select_newest_lifecycle(CONVERSATION.c.id).correlate(CONVERSATION).scalar_subquery()
    open_here = (COMPARISON.c.conversation_id == CONVERSATION.c.id, COMPARISON.c.closed_at.is_(None))
    stored: ColumnElement[Any] = COMPARISON.c.runs
    runs = func.json_array_length(case((func.json_valid(stored) == 1, stored), else_="[]"))
    text = func.substr(COMPARISON.c.text, 1, SNIPPET_LENGTH)
    return (
        count.label("pair_count"),
        snippet.label("snippet"),
        opening.label("opening"),
        newest.label("newest_lifecycle"),
        select(runs).where(*open_here).correlate(CONVERSATION).scalar_subquery().label("compared"),
        select(text).where(*open_here).correlate(CONVERSATION).scalar_subquery().label("compared_text"),
        select_folder().scalar_subquery().label("in_folder"),
    )


def select_folder() -> Select[str]:
    """Return the query for the folder of a conversation, unless the folder was deleted."""
    here = (FOLDER.c.id == CONVERSATION.c.folder_id, FOLDER.c.owner == CONVERSATION.c.owner)
    return select(FOLDER.c.id).where(*here, FOLDER.c.deleted_at.is_(None)).correlate(CONVERSATION)


def decode_listed(row: Any) -> Listed:
    """Decode a conversation with the columns of `listed_columns`. It has no folder if its folder was deleted."""
    compared_text, opening, snippet = (_text_or_nothing(row[name]) for name in ("compared_text", "opening", "snippet"))
    snippet, compared = compared_text or snippet, row["compared"] or 0
    failed = row["newest_lifecycle"] == Lifecycle.ERROR.value and not compared
    return Listed(
        replace(decode_conversation(row), folder_id=row["in_folder"]),
        row["pair_count"],
        snippet,
        opening or compared_text,
        compared,
        failed=failed,
    )


def has_id(table: Table, row: Any) -> bool:
    """Return True if the id of this row can be read. Otherwise log the damage; the caller leaves out the row."""
    reading = Reading(table.name, show_id(row["id"]))
    reading.take("id", row["id"], a_text, "")
    return not reading.damage


def _text_or_nothing(stored: Any) -> str:
    return stored if isinstance(stored, str) else ""


def count_pairs(conversation_id: str | ColumnElement[str]) -> Select[int]:
    """Return the query for the number of pairs of a conversation, without deleted ones."""
    return select(func.count()).where(PAIR.c.conversation_id == conversation_id, PAIR.c.deleted_at.is_(None))


def select_words(conversation_id: str | ColumnElement[str], order: ColumnElement[int]) -> Select[str]:
    """Return the query for the beginning of one request of a conversation: the first one in this `order`.

    The database cuts the text, because a pasted text may have megabytes.
    """
    return (
        select(first_words(MESSAGE.c.parts, SNIPPET_LENGTH))
        .select_from(PAIR)
        .join(MESSAGE, MESSAGE.c.id == PAIR.c.request_id)
        .where(PAIR.c.conversation_id == conversation_id, PAIR.c.deleted_at.is_(None))
        .order_by(order)
        .limit(1)
    )


def select_newest_lifecycle(conversation_id: str | ColumnElement[str]) -> Select[str]:
    """Return the query for the lifecycle of the newest pair of a conversation."""
    return (
        select(PAIR.c.lifecycle)
        .where(PAIR.c.conversation_id == conversation_id, PAIR.c.deleted_at.is_(None))
        .order_by(PAIR.c.position.desc())
        .limit(1)
    )


async def load_titles(session: AsyncSession, owner: str, ids: Sequence[str]) -> dict[str, str]:
    """Return the titles of these conversations, by id. Missing ones are left out."""
    titles: dict[str, str] = {}
    for start in range(0, len(ids), MAX_IDS):
        some = ids[start : start + MAX_IDS]
        query = select(CONVERSATION.c.id, CONVERSATION.c.title).where(
            CONVERSATION.c.owner == owner, CONVERSATION.c.id.in_(some)
        )
        titles |= {row.id: _text_or_nothing(row.title) for row in await session.execute(query)}
    return titles


async def load_reply_words(session: AsyncSession, ids: Sequence[str]) -> dict[str, str]:
    """Return the beginning of the newest reply of each conversation, by the conversation's id.

    A conversation whose newest reply has no text is left out.
    """
    if not ids:
        return {}
    newest = (
        select(first_text(MESSAGE.c.parts, SNIPPET_LENGTH))
        .select_from(PAIR)
        .join(MESSAGE, MESSAGE.c.id == PAIR.c.reply_id)
        .where(PAIR.c.conversation_id == CONVERSATION.c.id, PAIR.c.deleted_at.is_(None))
        .order_by(PAIR.c.position.desc())
        .limit(1)
        .correlate(CONVERSATION)
        .scalar_subquery()
    )
    rows = await session.execute(select(CONVERSATION.c.id, newest.label("words")).where(CONVERSATION.c.id.in_(ids)))
    return {row.id: row.words for row in rows if isinstance(row.words, str)}


def conditions_of(criteria: ListCriteria) -> list[ColumnElement[bool]]:
    """Return the SQL conditions for the conversations that meet these criteria."""
    conditions: list[ColumnElement[bool]] = []
    if criteria.kind is not None:
        conditions.append(CONVERSATION.c.kind == criteria.kind)
    if criteria.status is not None:
        conditions.append(CONVERSATION.c.status == criteria.status)
    if criteria.agent_id is not None:
        conditions.append(CONVERSATION.c.agent_id.is_not_distinct_from(criteria.agent_id or None))
    if criteria.folder_id is not None:
        is_filed = select_folder().exists()
        conditions += [CONVERSATION.c.folder_id == criteria.folder_id, is_filed] if criteria.folder_id else [~is_filed]
    return conditions
