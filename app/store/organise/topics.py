"""Queries of topics: the tree of an owner, and how many pairs are filed where.

What may be done to a tree is decided by `domain/topics/topic_rules.py`; whoever writes does so in the transaction that
read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, delete, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.errors import NotFoundError
from app.domain.topics.topic_rules import FiledTopic
from app.domain.topics.topics import Topic
from app.store.conversation.conversations import not_in_trash
from app.store.conversation.rows import PAIR
from app.store.database.damage import UNKNOWN_TIME, Reading, a_number, a_text, a_text_or_none, a_time
from app.store.database.row_names import show_id
from app.store.organise.rows_topics import TOPIC

UNREADABLE_NAME = "(its name cannot be read)"
NO_TOPIC = "it names a topic that is not there"
"""The reason of a pair whose topic has no row."""


async def load_topics(session: AsyncSession, owner: str) -> tuple[Topic, ...]:
    """An owner's topics, siblings in the order arranged by hand."""
    return tuple(filed.topic for filed in await load_filed_topics(session, owner))


async def load_filed_topics(session: AsyncSession, owner: str) -> tuple[FiledTopic, ...]:
    """As `load_topics`, with what is known of each besides.

    A name that cannot be read is `UNREADABLE_NAME`. A topic without a readable id is left out
    and logged. A topic whose parent is not there, or is below it, is a root.
    """
    query = select(TOPIC).where(TOPIC.c.owner == owner).order_by(TOPIC.c.place, TOPIC.c.created_at)
    rows = (await session.execute(query)).mappings()
    filed = [one for row in rows if (one := _decode(row)).topic.id]
    roots = _find_lost_roots({one.topic.id: one.topic.parent_id for one in filed})
    return tuple(
        replace(one, topic=replace(one.topic, parent_id=None)) if one.topic.id in roots else one for one in filed
    )


def _decode(row: Any) -> FiledTopic:
    take = Reading("topic", show_id(row["id"])).take
    topic = Topic(
        take("id", row["id"], a_text, ""),
        take("name", row["name"], a_text, UNREADABLE_NAME),
        take("parent_id", row["parent_id"], a_text_or_none, None),
    )
    return FiledTopic(
        topic,
        take("place", row["place"], a_number, 0),
        take("created_at", row["created_at"], a_time, UNKNOWN_TIME),
        take("used_at", row["used_at"], a_time, UNKNOWN_TIME),
    )


def _find_lost_roots(parents: dict[str, str | None]) -> frozenset[str]:
    """The topics whose parent is not there, and of those that are each other's ancestors one."""
    roots = {topic for topic, parent in parents.items() if parent is not None and parent not in parents}
    sound = set[str]()
    for topic in parents:
        climbed = list[str]()
        at: str | None = topic
        while at is not None and at not in sound and at not in roots:
            if at in climbed:
                roots.add(at)
                break
            climbed.append(at)
            at = parents[at]
        sound.update(climbed)
    return frozenset(roots)


async def count_filed(session: AsyncSession, owner: str) -> dict[str, int]:
    """How many pairs are filed under each topic itself. Topics without one are not in it."""
    query = (
        select(PAIR.c.topic, func.count().label("pairs"))
        .where(
            PAIR.c.topic.is_not(None),
            PAIR.c.owner == owner,
            PAIR.c.deleted_at.is_(None),
            not_in_trash(PAIR.c.conversation_id),
        )
        .group_by(PAIR.c.topic)
    )
    return {row.topic: row.pairs for row in await session.execute(query) if isinstance(row.topic, str)}


async def load_filed_pairs(session: AsyncSession, owner: str, topic_ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The pairs filed under these topics, by their conversation."""
    query = select(PAIR.c.conversation_id, PAIR.c.id).where(
        PAIR.c.topic.in_(topic_ids), PAIR.c.owner == owner, PAIR.c.deleted_at.is_(None)
    )
    found: dict[str, list[str]] = {}
    for conversation_id, pair_id in await session.execute(query):
        found.setdefault(conversation_id, []).append(pair_id)
    return {conversation_id: tuple(pair_ids) for conversation_id, pair_ids in found.items()}


async def insert_topics(session: AsyncSession, owner: str, topics: Sequence[FiledTopic]) -> None:
    """New topics, parents before their children."""
    rows: list[dict[str, Any]] = [
        {
            "id": filed.topic.id,
            "owner": owner,
            "name": filed.topic.name,
            "parent_id": filed.topic.parent_id,
            "place": filed.place,
            "created_at": filed.created_at,
            "used_at": filed.used_at,
        }
        for filed in topics
    ]
    if rows:
        await session.execute(insert(TOPIC), rows)


async def update_topic(session: AsyncSession, topic_id: str, changes: dict[str, Any]) -> None:
    """Write these columns of a topic that is there."""
    await session.execute(update(TOPIC).where(TOPIC.c.id == topic_id).values(**changes))


async def arrange_topics(session: AsyncSession, topic_ids: Sequence[str]) -> None:
    """Put siblings into this order."""
    if topic_ids:
        statement = update(TOPIC).where(TOPIC.c.id == bindparam("of_topic")).values(place=bindparam("to_place"))
        places = [{"of_topic": topic_id, "to_place": place} for place, topic_id in enumerate(topic_ids)]
        await session.execute(statement, places)


async def touch_topic(session: AsyncSession, owner: str, topic_id: str, now: datetime) -> None:
    """Note that a pair is filed under a topic now.

    Raises:
        NotFoundError: there is none of that id, or it is another's.
    """
    statement = update(TOPIC).where(TOPIC.c.id == topic_id, TOPIC.c.owner == owner).values(used_at=now)
    if (await session.execute(statement.returning(TOPIC.c.id))).one_or_none() is None:
        raise NotFoundError("topic", topic_id)


async def delete_topic(session: AsyncSession, owner: str, topic_id: str) -> None:
    """Delete a topic that no pair is filed under. Pairs that were, and are in the trash, come back without a topic."""
    filed = update(PAIR).where(PAIR.c.topic == topic_id, PAIR.c.owner == owner)
    await session.execute(filed.values(topic=None))
    await session.execute(delete(TOPIC).where(TOPIC.c.id == topic_id, TOPIC.c.owner == owner))
