"""Looks up names in a filter: to the ids and names that pairs carry.

>>> from app.domain.filters.language.quoting import read_pattern
>>> find_models(("anthropic:claude-sonnet-4-5", "offline:demo"), read_pattern("claude*"))
('anthropic:claude-sonnet-4-5',)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from app.domain.filters.language.syntax import Topic
from app.domain.pattern import Pattern
from app.domain.topics.topics import TopicTree


def find_topics(tree: TopicTree, topic: Topic) -> tuple[str, ...]:
    """The topics meant, with their descendants if those are asked for.

    A name alone means every topic that bears it. A path means the one from the root, else the only topic whose path
    ends so; if several do, it means none (see `ambiguous_topics`). With stars all that match are meant.
    """
    found = () if ambiguous_topics(tree, topic) else _from_root_or_ending_so(tree, topic)
    if topic.below:
        return tuple(dict.fromkeys(below for topic_id in found for below in tree.subtree(topic_id)))
    return found


def ambiguous_topics(tree: TopicTree, topic: Topic) -> tuple[str, ...]:
    """The topics between which a path without stars cannot decide; none if it means one, or nothing."""
    names_several = len(topic.names) == 1 or not all(name.is_literal for name in topic.names)
    found = () if names_several else _from_root_or_ending_so(tree, topic)
    return found if len({tree.paths[topic_id] for topic_id in found}) > 1 else ()


def find_models(models: Iterable[str], pattern: Pattern) -> tuple[str, ...]:
    """The models whose own name, or "provider:name", is the pattern."""
    return tuple(model for model in models if pattern.matches(model) or pattern.matches(model.partition(":")[2]))


def find_agents(agents: Mapping[str, str], pattern: Pattern) -> tuple[str, ...]:
    """The ids of the agents whose name is the pattern."""
    return tuple(agent_id for agent_id, name in agents.items() if pattern.matches(name))


def find_tools(tools: Iterable[str], pattern: Pattern) -> tuple[str, ...]:
    """The tools whose name is the pattern."""
    return tuple(tool for tool in tools if pattern.matches(tool))


def _from_root_or_ending_so(tree: TopicTree, topic: Topic) -> tuple[str, ...]:
    steps = len(topic.names)
    ending_so = tuple(topic_id for topic_id, path in tree.paths.items() if _ends_so(path, topic.names))
    from_root = tuple(topic_id for topic_id in ending_so if len(tree.paths[topic_id]) == steps)
    return from_root if from_root and steps > 1 and all(name.is_literal for name in topic.names) else ending_so


def _ends_so(path: tuple[str, ...], names: tuple[Pattern, ...]) -> bool:
    return len(path) >= len(names) and all(
        pattern.matches(name) for pattern, name in zip(reversed(names), reversed(path), strict=False)
    )
