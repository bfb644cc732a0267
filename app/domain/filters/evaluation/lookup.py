"""Looks up the names in a filter, and returns the ids and names that match, in the form that is stored with the pairs.

>>> from app.domain.filters.language.quoting import read_pattern
>>> find_models(("anthropic:claude-sonnet-4-5", "offline:demo"), read_pattern("claude*"))
('anthropic:claude-sonnet-4-5',)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from app.domain.filters.language.syntax import TopicTerm
from app.domain.text.pattern import Pattern
from app.domain.topics.topics import TopicTree


def find_topics(tree: TopicTree, topic: TopicTerm) -> tuple[str, ...]:
    """Return the ids of the topics that match a path and, if the filter includes descendants, of their descendants.

    - A single name matches every topic with that name.
    - A path without stars matches the topic at this path from the root. If there is none, the path matches the topic
      whose full path ends with it. If several full paths end with this path, no topic matches (see `ambiguous_topics`).
    - A path with stars matches all topics that fit.
    """
    found = () if ambiguous_topics(tree, topic) else _from_root_or_ending_so(tree, topic)
    if topic.below:
        return tuple(dict.fromkeys(below for topic_id in found for below in tree.subtree(topic_id)))
    return found


def ambiguous_topics(tree: TopicTree, topic: TopicTerm) -> tuple[str, ...]:
    """Return the topics whose full paths end with this path, if there are several; empty otherwise.

    A single name or a path with stars is never ambiguous: it may match several topics.
    """
    names_several = len(topic.names) == 1 or not all(name.is_literal for name in topic.names)
    found = () if names_several else _from_root_or_ending_so(tree, topic)
    return found if len({tree.paths[topic_id] for topic_id in found}) > 1 else ()


def find_models(models: Iterable[str], pattern: Pattern) -> tuple[str, ...]:
    """Return the models whose name matches the pattern, with or without the provider in front of it."""
    return tuple(model for model in models if pattern.matches(model) or pattern.matches(model.partition(":")[2]))


def find_agents(agents: Mapping[str, str], pattern: Pattern) -> tuple[str, ...]:
    """Return the ids of the agents whose name matches the pattern."""
    return tuple(agent_id for agent_id, name in agents.items() if pattern.matches(name))


def find_tools(tools: Iterable[str], pattern: Pattern) -> tuple[str, ...]:
    """Return the tools whose name matches the pattern."""
    return tuple(tool for tool in tools if pattern.matches(tool))


def _from_root_or_ending_so(tree: TopicTree, topic: TopicTerm) -> tuple[str, ...]:
    steps = len(topic.names)
    ending_so = tuple(topic_id for topic_id, path in tree.paths.items() if _ends_so(path, topic.names))
    from_root = tuple(topic_id for topic_id in ending_so if len(tree.paths[topic_id]) == steps)
    return from_root if from_root and steps > 1 and all(name.is_literal for name in topic.names) else ending_so


def _ends_so(path: tuple[str, ...], names: tuple[Pattern, ...]) -> bool:
    return len(path) >= len(names) and all(
        pattern.matches(name) for pattern, name in zip(reversed(names), reversed(path), strict=False)
    )
