"""Queries of conversations: load, write, delete. A caller finds only conversations of the given owner.

Every query takes a session of `database.Store`, so that several queries can share a transaction:

    conversation = await load_conversation(session, owner, conversation_id)

Not here: conversations as entries of a list (`lists.py`), and those with all that a send or a page needs (`heads.py`).
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from functools import cache
from typing import Any

import structlog
from sqlalchemy import ColumnElement, Select, bindparam, delete, func, insert, select, type_coerce, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.sql.dml import ReturningUpdate
from sqlalchemy.types import NullType

from app.domain.conversation.conversation import Conversation, ConversationKind
from app.domain.conversation.damage import DamagedRowError
from app.domain.errors import NotFoundError
from app.store.agents.agents import answers
from app.store.agents.rows_agents import AGENT
from app.store.attachments.attachments import delete_taken, list_used
from app.store.conversation.rows import CONVERSATION, MESSAGE, PAIR, first_text
from app.store.database.damage import Reading, a_number, a_text
from app.store.database.mapping import decode_conversation, encode_conversation

log = structlog.get_logger()

MAX_IDS = 10_000
"""Maximum number of ids in one SQL statement."""

IN_VIEW = CONVERSATION.c.deleted_at.is_(None)
"""The condition that a conversation is not in the trash."""


def not_in_trash(conversation_id: ColumnElement[str]) -> ColumnElement[bool]:
    """Return the condition that this conversation is not in the trash."""
    return conversation_id.not_in(select(CONVERSATION.c.id).where(CONVERSATION.c.deleted_at.is_not(None)))


async def load_conversation(session: AsyncSession, owner: str, conversation_id: str) -> Conversation:
    """Return one conversation.

    Raises:
        NotFoundError: no conversation of this owner has that id.
    """
    return (await load_with_revision(session, owner, conversation_id))[0]


async def load_with_revision(session: AsyncSession, owner: str, conversation_id: str) -> tuple[Conversation, int]:
    """Return one conversation and the revision of its pairs.

    Raises:
        NotFoundError: no conversation of this owner has that id.
    """
    values = {"conversation": conversation_id, "of_owner": owner}
    row = (await session.execute(select_conversation(), values)).mappings().one_or_none()
    return await decode_found(session, conversation_id, row)


async def decode_found(session: AsyncSession, conversation_id: str, row: Any | None) -> tuple[Conversation, int]:
    """Decode a row of `select_conversation`, as `load_with_revision` does. `row` is None if the query found nothing.

    Raises:
        NotFoundError: no conversation of this owner has that id.
    """
    if row is None:
        raise await explain_missing(session, conversation_id)
    require_order(row)
    return decode_conversation(row), row["revision"]


async def explain_missing(session: AsyncSession, conversation_id: str) -> NotFoundError | DamagedRowError:
    """Return the error for a conversation that was not found: it may exist with an owner that cannot be read."""
    row = (await session.execute(select(CONVERSATION).where(CONVERSATION.c.id == conversation_id))).mappings().first()
    if row is None:
        log.warning("a conversation is missing", conversation_id=conversation_id)
    if row is None or isinstance(row["owner"], str):
        return NotFoundError("conversation", conversation_id)
    reading = Reading("conversation", conversation_id)
    reading.take("owner", row["owner"], a_text, "")
    return DamagedRowError(reading.damage[0])


def select_order(conversation_id: ColumnElement[str]) -> tuple[ColumnElement[Any], ...]:
    """Select the highest position and the highest revision of a conversation's pairs.

    A damaged position or revision counts as the highest, because SQLite sorts damaged values after numbers.
    """
    return tuple(
        select(type_coerce(func.max(PAIR.c[name]), NullType()))
        .where(PAIR.c.conversation_id == conversation_id)
        .correlate(CONVERSATION)
        .scalar_subquery()
        .label(f"last_{name}")
        for name in ("position", "revision")
    )


def require_order(row: Any) -> None:
    """Check that the order of a conversation's pairs can be read.

    Raises:
        DamagedRowError: a position or revision cannot be read, so the content of a send is unknown.
    """
    of_pairs = Reading("pair", f"of {row['id']}")
    for name in ("position", "revision"):
        of_pairs.take(name, row[f"last_{name}"], lambda stored: None if stored is None else a_number(stored), None)
    here = Reading("conversation", row["id"])
    here.take("revision", row["revision"], a_number, 0)
    for damage in (*here.damage, *of_pairs.damage):
        raise DamagedRowError(damage)


@cache
def select_conversation() -> Select[Any]:
    """Build the query of `load_with_revision` once. Its parameters are `conversation` and `of_owner`."""
    mine = CONVERSATION.c.id == bindparam("conversation"), CONVERSATION.c.owner == bindparam("of_owner")
    return select(CONVERSATION, *select_order(CONVERSATION.c.id)).where(*mine, IN_VIEW)


async def list_derived(session: AsyncSession, conversation_id: str) -> tuple[str, ...]:
    """Return the ids of the child conversations (kind `tool`) of a conversation, of their children, and so on."""
    return tuple((await session.execute(select_derived(conversation_id))).scalars())


def select_derived(conversation_id: str) -> Select[str]:
    """Return the query of `list_derived`."""
    tool = CONVERSATION.c.kind == ConversationKind.TOOL
    nearest = select(CONVERSATION.c.id).where(CONVERSATION.c.parent_id == conversation_id, tool).cte(recursive=True)
    further = select(CONVERSATION.c.id).join(nearest, CONVERSATION.c.parent_id == nearest.c.id).where(tool)
    return select(nearest.union(further).c.id)


async def load_last_agent(session: AsyncSession, owner: str) -> str | None:
    """Return the id of the agent of the most recently changed chat.

    Return None if the chat has no agent, or if the agent was deleted.
    """
    newest = (
        select(CONVERSATION.c.agent_id)
        .where(CONVERSATION.c.owner == owner, CONVERSATION.c.kind == ConversationKind.AGENT, IN_VIEW)
        .order_by(CONVERSATION.c.updated_at.desc(), CONVERSATION.c.id.desc())
        .limit(1)
    )
    return (await session.execute(select(AGENT.c.id).where(answers(owner, newest.scalar_subquery())))).scalar()


async def insert_conversation(session: AsyncSession, conversation: Conversation) -> None:
    await session.execute(insert(CONVERSATION), encode_conversation(conversation) | {"revision": 0})


async def update_conversation(session: AsyncSession, owner: str, conversation_id: str, changes: dict[str, Any]) -> None:
    """Write these columns of a conversation.

    Raises:
        NotFoundError: no conversation of this owner has that id.
    """
    statement = update(CONVERSATION).where(CONVERSATION.c.id == conversation_id, CONVERSATION.c.owner == owner)
    changed = await session.execute(statement.returning(CONVERSATION.c.id), changes)
    if changed.one_or_none() is None:
        raise NotFoundError("conversation", conversation_id)


async def next_revision(session: AsyncSession, conversation_id: str, now: datetime | None) -> int:
    """Increase the revision of a conversation after a change of its pairs, and return the new revision.

    `now` is the time of a new message, which moves the conversation to the top of the list. With None, as for a mark or
    a topic, the conversation keeps its place in the list.
    """
    return (await next_revisions(session, (conversation_id,), now))[conversation_id]


async def next_revisions(
    session: AsyncSession, conversation_ids: Collection[str], now: datetime | None
) -> dict[str, int]:
    """Do the same as `next_revision` for several conversations, and return their new revisions by id."""
    values: dict[str, Any] = {"conversations": list(conversation_ids)}
    if now is not None:
        values["at"] = now
    rows = await session.execute(_count_changes(dated=now is not None), values)
    revisions = {row.id: row.revision for row in rows}
    for conversation_id in conversation_ids:
        if conversation_id not in revisions:
            raise NotFoundError("conversation", conversation_id)
    return revisions


@cache
def _count_changes(*, dated: bool) -> ReturningUpdate[str, int]:
    """Build the statement of `next_revisions` once."""
    changes: dict[str, Any] = {"revision": CONVERSATION.c.revision + 1}
    if dated:
        changes["updated_at"] = bindparam("at")
    these = CONVERSATION.c.id.in_(bindparam("conversations", expanding=True))
    return update(CONVERSATION).where(these).values(**changes).returning(CONVERSATION.c.id, CONVERSATION.c.revision)


async def delete_conversation_forever(session: AsyncSession, owner: str, conversation_id: str) -> None:
    """Delete a conversation permanently, whether it is in the trash or not, with its data and its child conversations.

    The ledger keeps its entries.

    Raises:
        NotFoundError: no conversation of this owner has that id.
    """
    ids = (conversation_id, *await list_derived(session, conversation_id))
    used = await list_used(session, ids)
    statement = delete(CONVERSATION).where(CONVERSATION.c.id.in_(ids), CONVERSATION.c.owner == owner)
    gone = set((await session.execute(statement.returning(CONVERSATION.c.id))).scalars())
    if conversation_id not in gone:
        raise NotFoundError("conversation", conversation_id)
    await delete_taken(session, owner, ids, used)


async def load_first_request(
    session: AsyncSession, owner: str, conversation_id: str, most: int, *, before: int | None = None
) -> str:
    """Return at most `most` characters of the first request of a conversation; "" if there is none, or no text in it.

    `before`: only pairs with a lower position count.
    """
    query = (
        select(first_text(MESSAGE.c.parts, most))
        .select_from(PAIR)
        .join(MESSAGE, MESSAGE.c.id == PAIR.c.request_id)
        .where(PAIR.c.conversation_id == conversation_id, PAIR.c.owner == owner, PAIR.c.deleted_at.is_(None))
        .order_by(PAIR.c.position)
        .limit(1)
    )
    if before is not None:
        query = query.where(PAIR.c.position < before)
    return (await session.execute(query)).scalar_one_or_none() or ""
