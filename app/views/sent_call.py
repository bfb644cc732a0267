"""A recorded provider call as shown: its content when it left."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class SentMessageView:
    """A message of a call. `content_length` counts characters; `sha256` is that of the message as JSON."""

    message_index: int
    role: str
    content_length: int
    has_tool_calls: bool
    sha256: str


@dataclass(frozen=True, slots=True)
class SentCallView:
    """A provider call. `number` counts the calls of its run from 1.

    `messages` is None when its words were deleted for good: only its hashes are left.
    """

    id: str
    run_id: str
    number: int
    purpose: str
    model: str
    url: str
    sent_at: datetime
    body_sha256: str
    body_bytes: int
    messages: tuple[SentMessageView, ...] | None


@dataclass(frozen=True, slots=True)
class SentCallsView:
    """All calls that were made for a pair, its earlier versions included, the oldest first."""

    calls: tuple[SentCallView, ...]
