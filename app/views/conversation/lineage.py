"""Views of lineage: the conversations derived from a conversation with their status, and its own origin."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

LineageKind = Literal["fork", "title", "summary", "delegated", "compared", "keep_warm", "other"]
LineageStatus = Literal["pending", "streaming", "completed", "failed"]


@dataclass(frozen=True, slots=True)
class AncestorView:
    """The origin of a conversation. `position`: the pair there that it was made for; null if it was not recorded.

    `title` is the beginning of its first request if it has no title.
    """

    conversation_id: str
    title: str
    position: int | None


@dataclass(frozen=True, slots=True)
class DescendantView:
    """A derived conversation and its status. A fork is `completed` as soon as it exists.

    `characters` is the number of characters of its reply so far. `chunk_count` is the number of chunks that the
    provider sent, known while the reply is running; `last_chunk_at` is the time of the last chunk, or of the end of the
    reply.
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


@dataclass(frozen=True, slots=True)
class LineageView:
    """The lineage in both directions. `origin` is null if the conversation has none; `items` are newest first."""

    origin: AncestorView | None
    items: tuple[DescendantView, ...]
