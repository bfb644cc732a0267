"""Topics: the tree that a person uses to sort pairs.

A pair has the id of its topic, so renaming a topic changes no pair.

Not here: how a filter finds topics by name (`filters/evaluation/lowering.py`).

    >>> tree = build_topic_tree([Topic("1", "AI"), Topic("2", "Planning", parent_id="1")])
    >>> tree.paths["2"], tree.subtree("1")
    (('AI', 'Planning'), ('1', '2'))
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from app.domain.errors import InputError

PATH_SEPARATOR = " > "
UNKNOWN_TOPIC = "unknown topic"


@dataclass(frozen=True, slots=True)
class Topic:
    """One topic. Its `parent_id` is None if it is at the root of the tree."""

    id: str
    name: str
    parent_id: str | None = None


@dataclass(frozen=True, slots=True)
class TopicTree:
    """All topics of an owner. `paths` has the names from the root to each topic, `children` the ids of its children."""

    paths: Mapping[str, tuple[str, ...]]
    children: Mapping[str, tuple[str, ...]]

    def subtree(self, topic_id: str) -> tuple[str, ...]:
        """Return the ids of the topic and all its descendants."""
        found = [topic_id]
        for topic in found:  # `found` grows during this loop, so all descendants are visited, breadth first
            found += self.children.get(topic, ())
        return tuple(found)

    def path_text(self, topic_id: str) -> str:
        """Return the path as text, such as `AI > Planning`. A topic that no longer exists is "unknown topic"."""
        return PATH_SEPARATOR.join(self.paths.get(topic_id, (UNKNOWN_TOPIC,)))


def build_topic_tree(topics: Iterable[Topic] = ()) -> TopicTree:
    """Build the tree of these topics. Siblings keep the given order.

    Raises:
        InputError: a parent is missing, or topics are each other's ancestors.
    """
    by_id = {topic.id: topic for topic in topics}
    children: dict[str, tuple[str, ...]] = {}
    paths: dict[str, tuple[str, ...]] = {}
    for topic in by_id.values():
        if topic.parent_id is not None:
            children[topic.parent_id] = (*children.get(topic.parent_id, ()), topic.id)
        for ancestor in reversed(_unnamed_ancestors(topic, by_id, paths)):
            above = () if ancestor.parent_id is None else paths[ancestor.parent_id]
            paths[ancestor.id] = (*above, ancestor.name)
    in_order = {topic_id: paths[topic_id] for topic_id in by_id}
    return TopicTree(MappingProxyType(in_order), MappingProxyType(children))


def _unnamed_ancestors(
    topic: Topic, by_id: Mapping[str, Topic], paths: Mapping[str, tuple[str, ...]]
) -> tuple[Topic, ...]:
    """Return the topic and its ancestors that have no entry in `paths` yet, from the topic upwards."""
    climbed: dict[str, Topic] = {}
    while topic.id not in paths:
        if topic.id in climbed:
            raise InputError("topics", f"{topic.name!r} is its own ancestor. Choose another parent.")
        climbed[topic.id] = topic
        if topic.parent_id is None:
            break
        if topic.parent_id not in by_id:
            raise InputError("topics", f"{topic.name!r} has a parent that does not exist: {topic.parent_id!r}.")
        topic = by_id[topic.parent_id]
    return tuple(climbed.values())
