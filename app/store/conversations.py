"""Queries of conversations: find, list, write, delete. All that read ask for the owner.

Every query takes a session of `database.Store`, so that several make one transaction:

    conversation = await load_conversation(session, owner, conversation_id)
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, delete, func, insert, or_, select, tuple_, update
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.conversation import Conversation, ConversationKind, ConversationStatus
from app.domain.errors import NotFoundError
from app.store.mapping import decode_conversation, encode_conversation
from app.store.rows import CONVERSATION, MESSAGE, PAIR

SNIPPET_LENGTH = 700
"""Characters of a listing's snippet at most: some more than any list shows."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A conversation in a list. `snippet` is the beginning of its newest request, `opening` that of its oldest."""

    conversation: Conversation
    pair_count: int
    snippet: str
    opening: str


@dataclass(frozen=True, slots=True)
class Cursor:
    """A place in the list: what comes after the conversation that was last changed then and has this id."""

    updated_at: datetime
    conversation_id: str


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which conversations to list. None and an empty text ask for nothing; `text` is looked for in titles and words."""

    kind: ConversationKind | None = None
    status: ConversationStatus | None = None
    agent_id: str | None = None
    text: str = ""


EVERYTHING = Wanted()


async def list_conversations(
    session: AsyncSession, owner: str, *, limit: int, cursor: Cursor | None = None, wanted: Wanted = EVERYTHING
) -> tuple[Listed, ...]:
    """An owner's conversations, the one changed last first."""
    count = _count_pairs(CONVERSATION.c.id).correlate(CONVERSATION).scalar_subquery()
    snippet = _words(CONVERSATION.c.id, PAIR.c.position.desc()).correlate(CONVERSATION).scalar_subquery()
    opening = _words(CONVERSATION.c.id, PAIR.c.position).correlate(CONVERSATION).scalar_subquery()
    place = tuple_(CONVERSATION.c.updated_at, CONVERSATION.c.id)
    query = (
        select(CONVERSATION, count.label("pair_count"), snippet.label("snippet"), opening.label("opening"))
        .where(CONVERSATION.c.owner == owner, *_conditions(wanted))
        .order_by(CONVERSATION.c.updated_at.desc(), CONVERSATION.c.id.desc())
        .limit(limit)
    )
    if cursor is not None:
        query = query.where(place < tuple_(cursor.updated_at, cursor.conversation_id))
    rows = (await session.execute(query)).mappings()
    return tuple(
        Listed(decode_conversation(row), row["pair_count"], row["snippet"] or "", row["opening"] or "") for row in rows
    )


async def describe_listed(session: AsyncSession, owner: str, conversation_id: str) -> Listed:
    """One conversation as a list has it.

    Raises:
        NotFoundError: there is none of that id, or it is another's.
    """
    conversation = await load_conversation(session, owner, conversation_id)
    pair_count = (await session.execute(_count_pairs(conversation_id))).scalar_one()
    snippet = (await session.execute(_words(conversation_id, PAIR.c.position.desc()))).scalar_one_or_none()
    opening = (await session.execute(_words(conversation_id, PAIR.c.position))).scalar_one_or_none()
    return Listed(conversation, pair_count, snippet or "", opening or "")


async def load_conversation(session: AsyncSession, owner: str, conversation_id: str) -> Conversation:
    """One conversation.

    Raises:
        NotFoundError: there is none of that id, or it is another's.
    """
    return (await load_with_revision(session, owner, conversation_id))[0]


async def load_with_revision(session: AsyncSession, owner: str, conversation_id: str) -> tuple[Conversation, int]:
    """One conversation and the revision of its pairs.

    Raises:
        NotFoundError: there is none of that id, or it is another's.
    """
    query = select(CONVERSATION).where(CONVERSATION.c.id == conversation_id, CONVERSATION.c.owner == owner)
    row = (await session.execute(query)).mappings().one_or_none()
    if row is None:
        raise NotFoundError("conversation", conversation_id)
    return decode_conversation(row), row["revision"]


async def insert_conversation(session: AsyncSession, conversation: Conversation) -> None:
    await session.execute(insert(CONVERSATION).values(**encode_conversation(conversation), revision=0))


async def update_conversation(session: AsyncSession, owner: str, conversation_id: str, changes: dict[str, Any]) -> None:
    """Write these columns.

    Raises:
        NotFoundError: there is none of that id, or it is another's.
    """
    statement = update(CONVERSATION).where(CONVERSATION.c.id == conversation_id, CONVERSATION.c.owner == owner)
    changed = await session.execute(statement.values(**changes).returning(CONVERSATION.c.id))
    if changed.one_or_none() is None:
        raise NotFoundError("conversation", conversation_id)


async def next_revision(session: AsyncSession, conversation_id: str, now: datetime) -> int:
    """Count a change to a conversation's pairs; the revision it has from now on."""
    statement = (
        update(CONVERSATION)
        .where(CONVERSATION.c.id == conversation_id)
        .values(revision=CONVERSATION.c.revision + 1, updated_at=now)
        .returning(CONVERSATION.c.revision)
    )
    revision = (await session.execute(statement)).scalar_one_or_none()
    if revision is None:
        raise NotFoundError("conversation", conversation_id)
    return revision


async def delete_conversation(session: AsyncSession, owner: str, conversation_id: str) -> None:
    """Delete a conversation with all that hangs on it. The ledger stays.

    Raises:
        NotFoundError: there is none of that id, or it is another's.
    """
    statement = delete(CONVERSATION).where(CONVERSATION.c.id == conversation_id, CONVERSATION.c.owner == owner)
    if (await session.execute(statement.returning(CONVERSATION.c.id))).one_or_none() is None:
        raise NotFoundError("conversation", conversation_id)


def _count_pairs(conversation_id: str | ColumnElement[str]) -> Select[int]:
    return select(func.count()).where(PAIR.c.conversation_id == conversation_id)


def _words(conversation_id: str | ColumnElement[str], order: ColumnElement[int]) -> Select[str]:
    """The beginning of the first request's text in that order, cut in the database: a paste may have megabytes."""
    return (
        select(func.substr(MESSAGE.c.parts[0]["text"].as_string(), 1, SNIPPET_LENGTH))
        .select_from(PAIR)
        .join(MESSAGE, MESSAGE.c.id == PAIR.c.request_id)
        .where(PAIR.c.conversation_id == conversation_id)
        .order_by(order)
        .limit(1)
    )


def _conditions(wanted: Wanted) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    if wanted.kind is not None:
        conditions.append(CONVERSATION.c.kind == wanted.kind)
    if wanted.status is not None:
        conditions.append(CONVERSATION.c.status == wanted.status)
    if wanted.agent_id is not None:
        conditions.append(CONVERSATION.c.agent_id == wanted.agent_id)
    if wanted.text:
        said = select(MESSAGE.c.conversation_id).where(
            MESSAGE.c.conversation_id == CONVERSATION.c.id, _any_part_contains(wanted.text)
        )
        conditions.append(or_(CONVERSATION.c.title.icontains(wanted.text, autoescape=True), said.exists()))
    return conditions


def _any_part_contains(text: str) -> ColumnElement[bool]:
    """Whether one of a message's parts has these words. SQLite's way; PostgreSQL's is `jsonb_array_elements`."""
    part = func.json_each(MESSAGE.c.parts).table_valued("value")
    words = func.json_extract(part.c.value, "$.text")
    return select(1).select_from(part).where(words.icontains(text, autoescape=True)).exists()
