"""Views of lineage: the origin of a conversation, and its forks and child conversations with their status."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

LineageKind = Literal["fork", "title", "summary", "delegated", "compared", "keep_warm", "other"]
LineageStatus = Literal["pending", "streaming", "completed", "failed"]


@dataclass(frozen=True, slots=True)
class AncestorView:
    """The origin of a conversation: the conversation from which it was made, for example by a fork.

    `title` is the title of the origin or, without one, the beginning of its first request. `position` is the position,
    in the origin, of the pair after which the fork was made or that caused the child call; null: not recorded.
    """

    conversation_id: str
    title: str
    position: int | None


@dataclass(frozen=True, slots=True)
class DescendantView:
    """A fork or a child conversation with its status. A fork is `completed` from the start.

    - `characters`: the number of characters of its reply so far.
    - `chunk_count`: the number of chunks that the provider sent; null: unknown, as for a reply that another process is
      driving, or that was interrupted.
    - `last_chunk_at`: the time of the last chunk or, if that is unknown, of the end of the reply.
    - `progress_percentage`: the share of the work that is done: 0 before the first chunk, 100 when it is completed;
      null: unknown.
    """

    conversation_id: str
    kind: LineageKind
    status: LineageStatus
    title: str
    model: str | None
    agent_id: str | None
    position: int | None
    characters: int
    chunk_count: int | None
    last_chunk_at: datetime | None
    created_at: datetime
    ended_at: datetime | None
    progress_percentage: int | None = None


@dataclass(frozen=True, slots=True)
class LineageView:
    """The lineage of a conversation: its `origin` (null: none), and `items`, its forks and child conversations.

    The newest item is first.
    """

    origin: AncestorView | None
    items: tuple[DescendantView, ...]
