"""Views of topics: the whole tree as a flat list, each topic with its path and the numbers of its pairs.

Parents come before their children. Siblings are in the manual order or sorted by last use, the latest first. A use of a
topic also counts as a use of the topics above it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from app.domain.settings.preferences import TopicOrder
from app.domain.topics.topic_rules import FiledTopic
from app.domain.topics.topics import TopicTree, build_topic_tree


@dataclass(frozen=True, slots=True)
class TopicView:
    """One topic. `depth` is 0 at the root. `count` is the number of pairs filed under it.

    `total` also includes the pairs of all topics below it.
    """

    id: str
    name: str
    path: str
    parent_id: str | None
    depth: int
    count: int
    total: int
    created_at: datetime
    used_at: datetime


@dataclass(frozen=True, slots=True)
class TopicsView:
    """All topics of an owner, and the order of siblings."""

    items: tuple[TopicView, ...]
    order: TopicOrder


def describe_topics(topics: Sequence[FiledTopic], counts: Mapping[str, int], order: TopicOrder) -> TopicsView:
    """Describe all topics for the HTTP API, sorted by `order`. `topics` has siblings in the manual order.

    `counts` has the number of pairs of each topic by its id.
    """
    tree = build_topic_tree(filed.topic for filed in topics)
    by_id = {filed.topic.id: filed for filed in topics}
    lines = _in_order(tree, [filed.topic.id for filed in topics if filed.topic.parent_id is None])
    totals = {topic_id: counts.get(topic_id, 0) for topic_id in by_id}
    used = {topic_id: filed.used_at for topic_id, filed in by_id.items()}
    for topic_id in reversed(lines):  # children before their parents
        if (parent := by_id[topic_id].topic.parent_id) is not None:
            totals[parent] += totals[topic_id]
            used[parent] = max(used[parent], used[topic_id])
    if order is TopicOrder.RECENT:
        lines = _in_order(tree, [topic_id for topic_id in lines if len(tree.paths[topic_id]) == 1], used)
    items = tuple(
        TopicView(
            id=topic_id,
            name=by_id[topic_id].topic.name,
            path=tree.path_text(topic_id),
            parent_id=by_id[topic_id].topic.parent_id,
            depth=len(tree.paths[topic_id]) - 1,
            count=counts.get(topic_id, 0),
            total=totals[topic_id],
            created_at=by_id[topic_id].created_at,
            used_at=by_id[topic_id].used_at,
        )
        for topic_id in lines
    )
    return TopicsView(items, order)


def _in_order(tree: TopicTree, roots: Iterable[str], used: Mapping[str, datetime] | None = None) -> list[str]:
    """List the ids of the topics, parents before children. There is no recursion, because a tree may be deep.

    `used` has the time of the last use by id; None: siblings stay in their order.
    """

    def arrange(siblings: Iterable[str]) -> list[str]:
        return list(siblings) if used is None else sorted(siblings, key=used.__getitem__, reverse=True)

    found: list[str] = []
    waiting = arrange(roots)[::-1]
    while waiting:
        topic_id = waiting.pop()
        found.append(topic_id)
        waiting += arrange(tree.children.get(topic_id, ()))[::-1]
    return found
