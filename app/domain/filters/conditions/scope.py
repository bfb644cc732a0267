"""The scope of a filter: all that it needs besides the pairs, such as names, time zone and the present.

`Vocabulary` is what there is to name (completion offers it), `Scope` adds what is chosen in the composer and the
reader's clock. Both are made by whoever asks; nothing here is read from anywhere.
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
    """What the composer has chosen: ids of a topic and an agent, and a model as "provider:model"."""

    topic: str | None = None
    model: str | None = None
    agent: str | None = None


@dataclass(frozen=True, slots=True)
class Scope:
    """Where and when a filter is read. `now` is aware; `zone` is the reader's, for calendar days."""

    now: datetime
    zone: tzinfo
    vocabulary: Vocabulary = field(default_factory=Vocabulary)
    chosen: Chosen = field(default_factory=Chosen)
