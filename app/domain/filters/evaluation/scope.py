"""The context of a filter: everything that its meaning depends on, except the pairs.

`Vocabulary` has the existing names, which completion suggests. `FilterScope` adds the choices in the composer, the
current time and the reader's time zone. The caller creates both; this module reads nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, tzinfo

from app.domain.topics.topics import TopicTree, build_topic_tree


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The names that a filter can use.

    `models` ("provider:model") and `tools` are those that occur in the pairs of the conversation. `agents` maps ids of
    agents to names, `saved` maps names of saved filters to their texts.
    """

    topics: TopicTree = field(default_factory=build_topic_tree)
    models: tuple[str, ...] = ()
    agents: Mapping[str, str] = field(default_factory=dict[str, str])
    tools: tuple[str, ...] = ()
    saved: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class Chosen:
    """The choices in the composer: the id of a topic, the id of an agent, and a model as "provider:model"."""

    topic: str | None = None
    model: str | None = None
    agent: str | None = None


@dataclass(frozen=True, slots=True)
class FilterScope:
    """The context of a filter. `now` is timezone-aware. `zone` is the reader's time zone, for calendar days."""

    now: datetime
    zone: tzinfo
    vocabulary: Vocabulary = field(default_factory=Vocabulary)
    chosen: Chosen = field(default_factory=Chosen)
