"""The view of an entry of the trash, with the times of its deletion and its expiry."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from app.views.conversation.conversation import cut_snippet


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


def describe_entry(  # noqa: PLR0913 - the fields of an entry
    *,
    entry_id: str,
    kind: Literal["conversation", "pairs"],
    conversation_id: str,
    title: str,
    words: str,
    count: int,
    deleted_at: datetime,
    days: int | None,
) -> TrashEntryView:
    """Return the view of an entry. `days` is how long the trash keeps it; None: until the trash is emptied.

    `words` is the text of the oldest request, from which the snippet is cut.
    """
    expires_at = None if days is None else deleted_at + timedelta(days=days)
    return TrashEntryView(entry_id, kind, conversation_id, title, cut_snippet(words), count, deleted_at, expires_at)
