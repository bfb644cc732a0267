"""Queries of the pairs of all conversations of an owner, newest first, for a filter over all of them.

What a filter asks of a pair's own columns is asked of the database; the rest is asked of the pairs in memory
(`domain/filters/conditions/selection.py`), a batch at a time, so that a page costs a bounded amount of work.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

import orjson
from sqlalchemy import ColumnElement, Select, String, and_, bindparam, func, insert, or_, select, true
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.conversation.conversation import ConversationKind, Pair
from app.domain.errors import NotFoundError
from app.domain.filters.conditions.condition import CompareNumber, CompareTime, Condition, Has, OneOf
from app.store.conversation.pairs import NOT_DELETED, load_pairs_by_id
from app.store.conversation.rows import CONVERSATION, MESSAGE, PAIR
from app.store.conversation.rows_source import PAIR_SOURCE
from app.store.conversation.wanted import IN_VIEW
from app.store.index.filter_queries import COMPARE, KEYS, listed


@dataclass(frozen=True, slots=True)
class PairPlace:
    """A place in the list of all pairs: what comes after the pair that was first sent then and has this id."""

    created_at: datetime
    pair_id: str


@dataclass(frozen=True, slots=True)
class Source:
    """Which pair another one is a copy of. It may have been changed or deleted since."""

    conversation_id: str
    pair_id: str
    version: int
    copied_at: datetime


async def load_newest(
    session: AsyncSession, owner: str, cheap: Sequence[Condition], place: PairPlace | None, limit: int
) -> tuple[Pair, ...]:
    """Some pairs of a person's conversations that these conditions hold for, newest first. Not those in the trash."""
    query = (
        select(PAIR.c.id)
        .join(CONVERSATION, CONVERSATION.c.id == PAIR.c.conversation_id)
        .where(PAIR.c.owner == owner, NOT_DELETED, IN_VIEW, CONVERSATION.c.kind == ConversationKind.AGENT)
        .where(*map(_read, cheap))
        .order_by(PAIR.c.created_at.desc(), PAIR.c.id.desc())
        .limit(limit)
    )
    if place is not None:
        same = and_(PAIR.c.created_at == place.created_at, PAIR.c.id < place.pair_id)
        query = query.where(or_(PAIR.c.created_at < place.created_at, same))
    ids = tuple((await session.execute(query)).scalars())
    pairs = {pair.id: pair for pair in await load_pairs_by_id(session, owner, ids)} if ids else {}
    return tuple(pairs[pair_id] for pair_id in ids if pair_id in pairs)


async def select_all_names(session: AsyncSession, owner: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The models and the tools that occur in an owner's pairs, each in alphabetical order."""
    models = (await session.execute(select(PAIR.c.model).where(PAIR.c.owner == owner).distinct())).scalars()
    part = func.json_each(MESSAGE.c.parts).table_valued("value", name="part")
    name = func.json_extract(part.c.value, "$.name")
    is_call = func.json_extract(part.c.value, "$.type") == "tool_call"
    called = select(name).select_from(MESSAGE.join(part, true())).where(MESSAGE.c.owner == owner, is_call)
    tools = (await session.execute(called.distinct())).scalars()
    return tuple(sorted(models)), tuple(sorted(tools))


async def load_titles(session: AsyncSession, owner: str, conversation_ids: Sequence[str]) -> dict[str, str]:
    """What these conversations are called."""
    table = CONVERSATION.c
    query = select(table.id, table.title).where(table.owner == owner, table.id.in_(listed(conversation_ids)))
    return {row.id: row.title for row in await session.execute(query)}


async def insert_sources(session: AsyncSession, owner: str, sources: Sequence[tuple[str, Source]]) -> None:
    """Note of copies, by their ids, which pairs they are copies of."""
    rows: list[dict[str, Any]] = [
        {
            "pair_id": pair_id,
            "owner": owner,
            "source_conversation_id": source.conversation_id,
            "source_pair_id": source.pair_id,
            "source_version": source.version,
            "copied_at": source.copied_at,
        }
        for pair_id, source in sources
    ]
    if rows:
        await session.execute(insert(PAIR_SOURCE), rows)


async def load_source(session: AsyncSession, owner: str, pair_id: str) -> Source:
    """Which pair this one is a copy of.

    Raises:
        NotFoundError: it is a copy of none, or another's.
    """
    table = PAIR_SOURCE.c
    query = select(PAIR_SOURCE).where(table.pair_id == pair_id, table.owner == owner)
    row = (await session.execute(query)).mappings().one_or_none()
    if row is None:
        raise NotFoundError("source of pair", pair_id)
    return Source(row["source_conversation_id"], row["source_pair_id"], row["source_version"], row["copied_at"])


async def load_source_places(session: AsyncSession, owner: str, pair_ids: Sequence[str]) -> dict[str, tuple[str, int]]:
    """Where the pairs stand that these are copies of: conversation and position, by the copy's id. Not those gone."""
    rows = await session.execute(_select_sources(), {"of_owner": owner, "pairs": orjson.dumps(list(pair_ids)).decode()})
    return {row.pair_id: (row.conversation_id, row.position) for row in rows}


@cache
def _select_sources() -> Select[Any, Any, Any]:
    """What `load_source_places` asks, and so every open page after each reply: made once."""
    wanted = func.json_each(bindparam("pairs", type_=String())).table_valued("value", name="wanted")
    mine = PAIR_SOURCE.c.owner == bindparam("of_owner"), PAIR_SOURCE.c.pair_id.in_(select(wanted.c.value))
    return (
        select(PAIR_SOURCE.c.pair_id, PAIR.c.conversation_id, PAIR.c.position)
        .join(PAIR, PAIR.c.id == PAIR_SOURCE.c.source_pair_id)
        .join(CONVERSATION, CONVERSATION.c.id == PAIR.c.conversation_id)
        .where(*mine, NOT_DELETED, IN_VIEW)
    )


def _read(condition: Condition) -> ColumnElement[bool]:
    match condition:
        case CompareTime(op, instant):
            return COMPARE[op](PAIR.c.created_at, instant)
        case CompareNumber(_, op, stars):
            return COMPARE[op](PAIR.c.stars, stars)
        case OneOf(key, values):
            return and_(KEYS[key].is_not(None), KEYS[key].in_(listed(values)))
        case Has():
            return PAIR.c.flagged
        case _:
            raise ValueError(f"{condition} asks for more than a pair's own columns.")
