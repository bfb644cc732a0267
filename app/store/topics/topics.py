"""Queries of topics: the tree of an owner, and the number of pairs under each topic.

`domain/topics/topic_rules.py` decides which changes of a tree are allowed. A caller must read and write the tree in one
transaction.
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
from app.store.topics.rows_topics import TOPIC

UNREADABLE_NAME = "(its name cannot be read)"
NO_TOPIC = "it refers to a topic that does not exist"
"""The reason of the damage if the topic of a pair has no row."""


async def load_topics(session: AsyncSession, owner: str) -> tuple[Topic, ...]:
    """Return an owner's topics, with siblings in their manual order."""
    return tuple(filed.topic for filed in await load_filed_topics(session, owner))


async def load_filed_topics(session: AsyncSession, owner: str) -> tuple[FiledTopic, ...]:
    """Return an owner's topics with their places among siblings and their times.

    A name that cannot be read is `UNREADABLE_NAME`. A topic without a readable id is left out and logged. A topic whose
    parent is missing, or is a descendant of the topic, becomes a root.
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
    """Return the topics with a missing parent, and one topic of each cycle."""
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
    """Count the pairs directly under each topic. Topics without pairs are left out."""
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
    """Return the ids of the pairs filed under these topics, by conversation."""
    query = select(PAIR.c.conversation_id, PAIR.c.id).where(
        PAIR.c.topic.in_(topic_ids), PAIR.c.owner == owner, PAIR.c.deleted_at.is_(None)
    )
    found: dict[str, list[str]] = {}
    for conversation_id, pair_id in await session.execute(query):
        found.setdefault(conversation_id, []).append(pair_id)
    return {conversation_id: tuple(pair_ids) for conversation_id, pair_ids in found.items()}


async def insert_topics(session: AsyncSession, owner: str, topics: Sequence[FiledTopic]) -> None:
    """Insert topics. Parents must come before their children."""
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
    """Write these columns of an existing topic."""
    await session.execute(update(TOPIC).where(TOPIC.c.id == topic_id).values(**changes))


async def arrange_topics(session: AsyncSession, topic_ids: Sequence[str]) -> None:
    """Store the order of sibling topics, which is the order of `topic_ids`."""
    if topic_ids:
        statement = update(TOPIC).where(TOPIC.c.id == bindparam("of_topic")).values(place=bindparam("to_place"))
        places = [{"of_topic": topic_id, "to_place": place} for place, topic_id in enumerate(topic_ids)]
        await session.execute(statement, places)


async def touch_topic(session: AsyncSession, owner: str, topic_id: str, now: datetime) -> None:
    """Store the time when a pair was filed under a topic.

    Raises:
        NotFoundError: this owner has no topic with that id.
    """
    statement = update(TOPIC).where(TOPIC.c.id == topic_id, TOPIC.c.owner == owner).values(used_at=now)
    if (await session.execute(statement.returning(TOPIC.c.id))).one_or_none() is None:
        raise NotFoundError("topic", topic_id)


async def delete_topic(session: AsyncSession, owner: str, topic_id: str) -> None:
    """Delete a topic, and remove it from its pairs. The caller has checked that all its pairs are in the trash."""
    filed = update(PAIR).where(PAIR.c.topic == topic_id, PAIR.c.owner == owner)
    await session.execute(filed.values(topic=None))
    await session.execute(delete(TOPIC).where(TOPIC.c.id == topic_id, TOPIC.c.owner == owner))
