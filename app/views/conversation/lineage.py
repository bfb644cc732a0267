"""Lineage as shown: what was derived from a conversation and how far it is, and what it was derived from itself."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

LineageKind = Literal["fork", "title", "summary", "delegated", "compared", "keep_warm", "other"]
LineageStatus = Literal["pending", "streaming", "completed", "failed"]


@dataclass(frozen=True, slots=True)
class AncestorView:
    """Where it comes from. `position`: the pair there that it was made for; null where nobody noted it.

    `title` is the beginning of its first request where it has none.
    """

    conversation_id: str
    title: str
    position: int | None


@dataclass(frozen=True, slots=True)
class DescendantView:
    """Something derived, and how far it is. A fork is `completed` as soon as it is there.

    `characters` are those of its reply so far. `chunk_count` is how often the provider sent something for it, known as
    long as the reply is on; `last_chunk_at` when it did so last, or when the reply ended.
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
    """Both ways: `origin` null for what comes from nowhere; `items` are the newest first."""

    origin: AncestorView | None
    items: tuple[DescendantView, ...]
