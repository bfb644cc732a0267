"""The context of a filter: everything that it needs in addition to the pairs.

`Vocabulary` has the existing names, which completion suggests. `FilterScope` adds the choices in the composer and the
reader's clock. The caller creates both; this module reads nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, tzinfo

from app.domain.topics.topics import TopicTree, build_topic_tree


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The names in use. `models` ("provider:model") and `tools` are those that occur in the conversation's pairs.

    `agents` gives each agent's name by its id, `saved` each saved filter by its name.
    """

    topics: TopicTree = field(default_factory=build_topic_tree)
    models: tuple[str, ...] = ()
    agents: Mapping[str, str] = field(default_factory=dict[str, str])
    tools: tuple[str, ...] = ()
    saved: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class Chosen:
    """The choices in the composer: ids of a topic and an agent, and a model as "provider:model"."""

    topic: str | None = None
    model: str | None = None
    agent: str | None = None


@dataclass(frozen=True, slots=True)
class FilterScope:
    """The context for reading a filter. `now` is timezone-aware; `zone` is the reader's, for calendar days."""

    now: datetime
    zone: tzinfo
    vocabulary: Vocabulary = field(default_factory=Vocabulary)
    chosen: Chosen = field(default_factory=Chosen)
