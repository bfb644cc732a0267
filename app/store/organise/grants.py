"""Queries of grants. A grant gives no access while its conversation is in the trash."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

from sqlalchemy import ColumnElement, Select, delete, insert, or_, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.errors import NotFoundError
from app.domain.sharing.grants import Access, Grant, Granted
from app.store.conversation.conversations import select_words
from app.store.conversation.rows import CONVERSATION, PAIR
from app.store.conversation.wanted import IN_VIEW
from app.store.database.mapping import Columns
from app.store.organise.rows_grants import GRANT


async def save_grant(session: AsyncSession, grant: Grant) -> Grant:
    """Keep a grant. One that the person has for this conversation keeps its id, and gets this access."""
    same = GRANT.c.conversation_id == grant.conversation_id, GRANT.c.person_id == grant.person_id
    changed = update(GRANT).where(*same).values(access=grant.access).returning(*GRANT.c)
    if row := (await session.execute(changed)).mappings().one_or_none():
        return _decode(row)
    await session.execute(insert(GRANT).values(**asdict(grant)))
    return grant


async def load_grants_of(session: AsyncSession, owner: str, conversation_id: str) -> tuple[Grant, ...]:
    """Who has access to a conversation of this owner, in the order in which they got it."""
    query = select(GRANT).where(GRANT.c.owner == owner, GRANT.c.conversation_id == conversation_id)
    return tuple(map(_decode, (await session.execute(query.order_by(GRANT.c.created_at, GRANT.c.id))).mappings()))


async def load_granted(session: AsyncSession, person_id: str) -> tuple[Granted, ...]:
    """What others let this person read, the conversation that changed last first."""
    query = _select_granted(GRANT.c.person_id == person_id)
    query = query.order_by(CONVERSATION.c.updated_at.desc(), GRANT.c.id)
    return tuple(map(_decode_granted, (await session.execute(query)).mappings()))


async def load_grant(session: AsyncSession, person_id: str, grant_id: str) -> Granted:
    """What another lets this person read.

    Raises:
        NotFoundError: there is no such grant, it is another person's, or its conversation is in the trash.
    """
    query = _select_granted(GRANT.c.id == grant_id, GRANT.c.person_id == person_id)
    if (row := (await session.execute(query)).mappings().one_or_none()) is None:
        raise NotFoundError("grant", grant_id)
    return _decode_granted(row)


async def delete_grant(session: AsyncSession, actor_id: str, grant_id: str) -> Grant:
    """End a grant, as its owner or as the person who has it.

    Raises:
        NotFoundError: there is none of that id, or it concerns others alone.
    """
    concerned = or_(GRANT.c.owner == actor_id, GRANT.c.person_id == actor_id)
    statement = delete(GRANT).where(GRANT.c.id == grant_id, concerned).returning(*GRANT.c)
    if (row := (await session.execute(statement)).mappings().one_or_none()) is None:
        raise NotFoundError("grant", grant_id)
    return _decode(row)


def _select_granted(*conditions: ColumnElement[bool]) -> Select[Any]:
    opening = select_words(CONVERSATION.c.id, PAIR.c.position).correlate(CONVERSATION).scalar_subquery()
    columns = CONVERSATION.c.title, opening.label("opening"), CONVERSATION.c.updated_at
    return (
        select(*GRANT.c, *columns)
        .join(CONVERSATION, CONVERSATION.c.id == GRANT.c.conversation_id)
        .where(IN_VIEW, *conditions)
    )


def _decode(row: Columns) -> Grant:
    grant = Grant(**{column.name: row[column.name] for column in GRANT.c})
    return replace(grant, access=Access(row["access"]))


def _decode_granted(row: Columns) -> Granted:
    return Granted(_decode(row), row["title"], row["opening"] or "", row["updated_at"])
