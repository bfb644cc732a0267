"""The content of the topic picker: the rows for a query, and the form of one topic. Pure functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from app.domain.topics.topics import PATH_SEPARATOR
from app.runs.topics.topic_commands import TopicChanges
from app.views.topics.topic import TopicView

NO_TOPIC: Final = "No topic"


@dataclass(frozen=True, slots=True)
class TopicTreeRow:
    """A row of the picker of topics: a topic, the choice "no topic", or a row that creates a topic.

    - `id`: "" unless the row is a topic.
    - `create`: the path of the topic that the row creates, otherwise "".
    - `path` has the names of the topic and of those above it.
    - `count`: its number of pairs; `count_title` explains this number.
    - `label`: the name of the row for screen readers.
    - `change`: the name of its button, "" if it has no button.
    """

    id: str
    name: str
    path: str = ""
    label: str = ""
    depth: int = 0
    chosen: bool = False
    count: str = ""
    count_title: str = ""
    change: str = ""
    create: str = ""


@dataclass(frozen=True, slots=True)
class TopicParent:
    """A topic that can be chosen as the parent of the edited topic."""

    id: str
    path: str


@dataclass(frozen=True, slots=True)
class TopicFormView:
    """The form of a topic. `parents` are the topics that can be its parent.

    `first` and `last`: the topic is the first or last of its siblings. `held` is the reason why it cannot be deleted,
    "" if it can.
    """

    id: str
    name: str
    path: str
    parent_id: str
    parents: tuple[TopicParent, ...]
    first: bool
    last: bool
    held: str


def list_rows(topics: Sequence[TopicView], query: str, chosen: str) -> tuple[TopicTreeRow, ...]:
    """Return the topic picker's rows. The row of the topic `chosen` (an id; "": "no topic") is marked.

    Without a query: the row "no topic", then the tree of all topics. With a query: the topics whose paths contain all
    words of the query, and a row that creates the topic that the query names, unless it exists.
    """
    words = query.lower().split()
    if not words:
        nothing = TopicTreeRow("", NO_TOPIC, label=NO_TOPIC, chosen=not chosen)
        return (nothing, *(_row(topic, topic.name, topic.depth, chosen) for topic in topics))
    found = [topic for topic in topics if all(word in topic.path.lower() for word in words)]
    rows = tuple(_row(topic, topic.path, 0, chosen) for topic in found)
    path = PATH_SEPARATOR.join(name.strip() for name in query.split(">") if name.strip())
    if not path or any(topic.path.lower() == path.lower() for topic in topics):
        return rows
    return (*rows, TopicTreeRow("", f"Create “{path}”", label=f"Create {path}", create=path))


def describe_form(topics: Sequence[TopicView], topic_id: str) -> TopicFormView | None:
    """Return the content of the form that edits a topic; None if the topic no longer exists."""
    topic = find_topic(topics, topic_id)
    if topic is None:
        return None
    siblings = _siblings(topics, topic)
    below = any(one.parent_id == topic.id for one in topics)
    held = "Pairs are filed under this topic" if topic.count else "There are topics below this topic" if below else ""
    return TopicFormView(
        topic.id,
        topic.name,
        topic.path,
        topic.parent_id or "",
        tuple(TopicParent(one.id, one.path) for one in topics if not _is_within(one, topic)),
        first=siblings[0] is topic,
        last=siblings[-1] is topic,
        held=held,
    )


def find_topic(topics: Sequence[TopicView], topic_id: object) -> TopicView | None:
    """Return the topic with this id, None if there is none."""
    return next((topic for topic in topics if topic.id == topic_id), None)


def place_beside(topics: Sequence[TopicView], topic: TopicView, by: int) -> TopicChanges:
    """Return the changes that move a topic one place up (`by` is -1) or down (1) among its siblings."""
    siblings = _siblings(topics, topic)
    # The index of the sibling that follows the topic after the move: the previous one, or the second after the topic.
    at = siblings.index(topic) + (-1 if by < 0 else 2)
    return {"before": siblings[at].id if 0 <= at < len(siblings) else None}


def place_at(topics: Sequence[TopicView], target: TopicView, place: str) -> TopicChanges:
    """Return the changes that move a topic above the target ("before"), below it ("after") or under it ("into")."""
    if place == "into":
        return {"parent_id": target.id, "before": None}
    if place == "before":
        return {"parent_id": target.parent_id, "before": target.id}
    return {"parent_id": target.parent_id, "before": _next_of(topics, target)}


def _next_of(topics: Sequence[TopicView], topic: TopicView) -> str | None:
    siblings = _siblings(topics, topic)
    at = siblings.index(topic) + 1
    return siblings[at].id if at < len(siblings) else None


def _siblings(topics: Sequence[TopicView], topic: TopicView) -> list[TopicView]:
    """Return the siblings of a topic and the topic itself, in order."""
    return [one for one in topics if one.parent_id == topic.parent_id]


def _is_within(topic: TopicView, other: TopicView) -> bool:
    return f"{topic.path}{PATH_SEPARATOR}".startswith(f"{other.path}{PATH_SEPARATOR}")


def _row(topic: TopicView, name: str, depth: int, chosen: str) -> TopicTreeRow:
    alone = topic.total == topic.count
    pairs = f"{topic.count} {'pair' if topic.count == 1 else 'pairs'}"
    return TopicTreeRow(
        topic.id,
        name,
        topic.path,
        f"{topic.path}, {pairs}{'' if alone else f', {topic.total} including topics below'}",
        depth,
        chosen=topic.id == chosen,
        count=f"{topic.count}" if alone else f"{topic.count} / {topic.total}",
        count_title="Pairs" if alone else "Pairs, and pairs including topics below",
        change=f"Change {topic.path}",
    )
