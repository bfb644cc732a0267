"""Commands for topics: list, create, rename, move, arrange, delete.

    topic = await create_topic(ctx, LOCAL_OWNER, "AI > Planning")

Every command reads, decides and writes in one transaction. Pairs name their topic by id, so a command changes no pair.
Pages that show a pair of a renamed or moved topic are notified.

Not here: filing pairs under a topic (`mark_commands.py`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from types import MappingProxyType

from sqlalchemy.ext.asyncio import AsyncSession
from typing_extensions import TypedDict

from app.domain.errors import ConflictError, InputError, NotFoundError
from app.domain.settings.preferences import TopicOrder
from app.domain.text.pattern import fold
from app.domain.topics.topic_rules import (
    MAX_TOPICS,
    FiledTopic,
    TopicNames,
    clean_name,
    read_path,
    require_free,
    require_move,
)
from app.domain.topics.topics import Topic, build_topic_tree
from app.runs.app_context import AppContext
from app.runs.runtime.event_bus import PairsChanged
from app.runs.runtime.ids import new_id, now
from app.runs.runtime.shielded import shielded
from app.store.settings.preferences import load_preferences
from app.store.topics import topics
from app.views.topics.topic import TopicsView, describe_topics

NO_TIMES: Mapping[TopicNames, tuple[datetime, datetime]] = MappingProxyType({})


class TopicChanges(TypedDict, total=False):
    """Changes of a topic.

    - `parent_id`: the new parent; None: the topic moves to the top level.
    - `before`: the sibling that will follow the topic; None: the topic becomes the last sibling.
    """

    name: str
    parent_id: str | None
    before: str | None


async def list_topics(ctx: AppContext, owner: str, order: TopicOrder | None = None) -> TopicsView:
    """List an owner's topics with their numbers of pairs.

    `order` is the order of the topics; None: that of the preferences.
    """
    async with ctx.store.read() as session:
        topic_order = order or (await load_preferences(session, owner)).topic_order
        filed = await topics.load_filed_topics(session, owner)
        return describe_topics(filed, await topics.count_filed(session, owner), topic_order)


@shielded
async def create_topic(ctx: AppContext, owner: str, path: str) -> str:
    """Create the topic with this path and all missing topics above it, each as the last sibling. Return its id.

    Raises:
        InputError: the path is invalid.
        ConflictError: there are too many topics.
    """
    names = read_path(path)
    async with ctx.store.write() as session:
        return (await make_topics(session, owner, [names]))[names]


async def make_topics(
    session: AsyncSession,
    owner: str,
    paths: Sequence[TopicNames],
    times: Mapping[TopicNames, tuple[datetime, datetime]] = NO_TIMES,
) -> Mapping[TopicNames, str]:
    """Find or create the topics of these paths, as `create_topic` does. Return their ids by path.

    The caller has checked the paths. `times` are the times of creation and last use for topics that are created; a path
    without an entry gets the current time.

    Raises:
        ConflictError: there are too many topics.
    """
    filed = list(await topics.load_filed_topics(session, owner))
    by_path = {
        tuple(map(fold, path)): topic for topic, path in build_topic_tree(one.topic for one in filed).paths.items()
    }
    places: Counter[str | None] = Counter()
    for one in filed:
        places[one.topic.parent_id] = max(places[one.topic.parent_id], one.place + 1)
    at = now()
    made: list[FiledTopic] = []
    for path in paths:
        above: str | None = None
        for depth, name in enumerate(path, start=1):
            key = tuple(map(fold, path[:depth]))
            if key not in by_path:
                by_path[key] = new_id()
                made.append(
                    FiledTopic(Topic(by_path[key], name, above), places[above], *times.get(path[:depth], (at, at)))
                )
                places[above] += 1
            above = by_path[key]
    if made and len(filed) + len(made) > MAX_TOPICS:
        raise ConflictError(f"You have {len(filed):,} topics. The maximum is {MAX_TOPICS:,}. Delete some empty ones.")
    await topics.insert_topics(session, owner, made)
    return {path: by_path[tuple(map(fold, path))] for path in paths}


@shielded
async def change_topic(ctx: AppContext, owner: str, topic_id: str, changes: TopicChanges) -> None:
    """Rename a topic, move it, or change its place among its siblings.

    Raises:
        NotFoundError: this owner has no such topic or parent.
        InputError: the name is invalid, a topic would be too deep, or `before` is not a sibling.
        ConflictError: a sibling has this name, or the topic would be below itself.
    """
    async with ctx.store.write() as session:
        filed = await topics.load_filed_topics(session, owner)
        known = [one.topic for one in filed]
        before = _require(known, topic_id)
        name = clean_name(changes["name"]) if "name" in changes else before.name
        parent_id = changes.get("parent_id", before.parent_id)
        tree = build_topic_tree(known)
        moves = parent_id != before.parent_id
        if moves:
            if parent_id is not None:
                _require(known, parent_id)
            require_move(tree, topic_id, parent_id)
        require_free(known, name, parent_id, besides=topic_id)
        place = _last_place(filed, parent_id) if moves else next(one.place for one in filed if one.topic is before)
        written = {**({"name": name} if "name" in changes else {}), **({"parent_id": parent_id} if moves else {})}
        # Write only the changed fields, because the others may be unreadable.
        await topics.update_topic(session, topic_id, {**written, "place": place})
        if "before" in changes:
            siblings = [one.id for one in known if one.parent_id == parent_id and one.id != topic_id]
            siblings.insert(_place_before(siblings, changes["before"]), topic_id)
            await topics.arrange_topics(session, siblings)
        reads_differently = tree.subtree(topic_id) if moves or name != before.name else ()
        touched = await topics.load_filed_pairs(session, owner, reads_differently)
    for conversation_id, pair_ids in touched.items():
        ctx.event_bus.publish(owner, conversation_id, PairsChanged(pair_ids))


@shielded
async def delete_topic(ctx: AppContext, owner: str, topic_id: str) -> None:
    """Delete a topic that is empty.

    Raises:
        NotFoundError: this owner has no such topic.
        ConflictError: pairs are filed under it, or it has topics below it.
    """
    async with ctx.store.write() as session:
        known = await topics.load_topics(session, owner)
        topic = _require(known, topic_id)
        below = sum(one.parent_id == topic_id for one in known)
        filed = (await topics.count_filed(session, owner)).get(topic_id, 0)
        if filed or below:
            held = [_count(filed, "pair"), _count(below, "topic")]
            raise ConflictError(
                f"Topic {topic.name!r} still has {' and '.join(filter(None, held))}. Move them first: only an "
                "empty topic can be deleted."
            )
        await topics.delete_topic(session, owner, topic_id)


async def use_topic(session: AsyncSession, owner: str, topic_id: str) -> None:
    """Record that a pair was filed under the topic now.

    Raises:
        NotFoundError: this owner has no such topic.
    """
    await topics.touch_topic(session, owner, topic_id, now())


def _require(known: Sequence[Topic], topic_id: str) -> Topic:
    for topic in known:
        if topic.id == topic_id:
            return topic
    raise NotFoundError("topic", topic_id)


def _place_before(siblings: Sequence[str], before: str | None) -> int:
    if before is None:
        return len(siblings)
    if before not in siblings:
        raise InputError("before", f"{before!r} is not another topic under the same parent. Choose one of those.")
    return siblings.index(before)


def _last_place(filed: Sequence[FiledTopic], parent_id: str | None) -> int:
    return max((one.place for one in filed if one.topic.parent_id == parent_id), default=-1) + 1


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}" if number else ""
