"""The view of an entry of the trash, with the times of its deletion and its expiry."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal


@dataclass(frozen=True, slots=True)
class TrashEntryView:
    """An entry of the trash: a conversation with `count` pairs, or `count` pairs that were deleted together.

    `title` is the title of the conversation, `snippet` the beginning of the oldest request in the entry. `expires_at`
    is the time when the entry is deleted permanently; null: it remains until the trash is emptied.
    """

    id: str
    kind: Literal["conversation", "pairs"]
    conversation_id: str
    title: str
    snippet: str
    count: int
    deleted_at: datetime
    expires_at: datetime | None
