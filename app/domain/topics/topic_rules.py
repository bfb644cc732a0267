"""Rules for the names of topics and for their places in the tree. The tree itself is in `topics.py`.

A name cannot contain `>`, so a person can type a path in the form that is shown. Names are compared without case, as in
filters.

    >>> read_path("AI >Planning")
    ('AI', 'Planning')
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from app.domain.errors import ConflictError, InputError
from app.domain.text.pattern import fold
from app.domain.topics.topics import Topic, TopicTree

MAX_NAME = 80
"""Maximum number of characters of a topic's name."""
MAX_LEVELS = 20
"""Maximum number of levels in the tree of topics."""
MAX_TOPICS = 5_000
"""Maximum number of topics of an owner: the picker shows all of them."""

TopicNames = tuple[str, ...]
"""The names of the topics along a path, from the root."""

_STEP = ">"
_BELOW = "..."


@dataclass(frozen=True, slots=True)
class FiledTopic:
    """A topic in the list of topics. `place` is its position among its siblings.

    `used_at` is the time when a pair was last filed under it.
    """

    topic: Topic
    place: int
    created_at: datetime
    used_at: datetime


def clean_name(name: str) -> str:
    """Return the name without blanks around it.

    Raises:
        InputError: the name is invalid.
    """
    cleaned = name.strip()
    if not cleaned:
        raise InputError("name", "is blank. Give the topic a name.")
    if len(cleaned) > MAX_NAME:
        raise InputError("name", f"has {len(cleaned)} characters. The maximum for a topic name is {MAX_NAME}.")
    if not cleaned.isprintable():
        raise InputError("name", "has a line break or another invisible character. Write it on one line.")
    if _STEP in cleaned:
        raise InputError("name", f'has a "{_STEP}", which separates the names of a path. Choose another character.')
    if cleaned.endswith(_BELOW):
        raise InputError("name", f'ends in "{_BELOW}", which means "and below" in a filter. Leave it out.')
    return cleaned


def read_path(text: str) -> TopicNames:
    """Return the names in a path such as `AI > Planning`.

    Raises:
        InputError: one of the names is invalid, or there are too many.
    """
    try:
        names = tuple(map(clean_name, text.split(_STEP)))
        require_levels(len(names))
    except InputError as error:
        raise InputError("path", f"has a name that {error.reason}" if error.field == "name" else error.reason) from None
    return names


def find_topic(tree: TopicTree, path: Iterable[str]) -> str | None:
    """Return the id of the topic at this path from the root, ignoring case, or None if there is none."""
    folded = tuple(map(fold, path))
    return next((topic for topic, names in tree.paths.items() if tuple(map(fold, names)) == folded), None)


def require_free(topics: Iterable[Topic], name: str, parent_id: str | None, besides: str | None = None) -> None:
    """Refuse a name that another topic under the same parent has. The topic with the id `besides` may have the name.

    Raises:
        ConflictError: another topic has the name.
    """
    for topic in topics:
        if topic.parent_id == parent_id and topic.id != besides and fold(topic.name) == fold(name):
            raise ConflictError(
                f"A topic named {topic.name!r} already exists here. Choose another name, or use that topic."
            )


def require_move(tree: TopicTree, topic_id: str, parent_id: str | None) -> None:
    """Refuse a move of a topic below itself or one of its subtopics, or to a place where the tree would be too deep.

    Raises:
        ConflictError: the new parent is the topic itself or below it.
        InputError: the tree would have too many levels.
    """
    below = tree.subtree(topic_id)
    if parent_id in below:
        raise ConflictError(
            f"{tree.path_text(topic_id)!r} cannot be moved below itself. Choose a topic that is not one of its "
            "subtopics."
        )
    above = 0 if parent_id is None else len(tree.paths[parent_id])
    height = max(len(tree.paths[topic]) for topic in below) - len(tree.paths[topic_id]) + 1
    require_levels(above + height)


def require_levels(levels: int) -> None:
    """Refuse a path with too many levels.

    Raises:
        InputError: the path has too many levels.
    """
    if levels > MAX_LEVELS:
        raise InputError(
            "parent_id", f"would have {levels} levels. The maximum is {MAX_LEVELS}. Choose a topic higher up."
        )
