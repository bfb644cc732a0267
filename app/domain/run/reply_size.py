"""The size of a reply. It has a limit, because a provider that never stops would fill memory and disk.

    >>> measure_event(TextReceived("naïve"))
    6
    >>> cut_event(TextReceived("naïve"), 3)
    TextReceived(text='na')

Each part counts some bytes in addition to its text, so that many empty parts reach the limit too. Tool results have a
separate limit (`rounds.py`).
"""

from __future__ import annotations

from typing import Final

from app.domain.conversation.text_size import MAX_TEXT_BYTES, measure_text
from app.domain.stream.stream_events import (
    PartEnded,
    RedactedThinkingReceived,
    Stopped,
    StreamEvent,
    TextReceived,
    TextWasThinking,
    ThinkingReceived,
    ThinkingSigned,
    ToolCallStarted,
    ToolInputReceived,
    UsageReported,
)

MAX_REPLY_BYTES: Final = MAX_TEXT_BYTES
"""Default limit of a reply in bytes: about twice the longest output of a current model, 128,000 tokens."""
PART_BYTES: Final = 1_000
"""Bytes that each part counts in addition to its text."""


def measure_event(event: StreamEvent) -> int:
    """Return the number of bytes of text (UTF-8) that an event adds to a reply."""
    match event:
        case TextReceived(text) | ThinkingReceived(text) | ToolInputReceived(text):
            return measure_text(text)
        case ThinkingSigned(signature, _):
            return measure_text(signature)
        case RedactedThinkingReceived(data, _):
            return measure_text(data)
        case ToolCallStarted(tool_call_id, name):
            return measure_text(tool_call_id) + measure_text(name)
        case TextWasThinking() | PartEnded() | UsageReported() | Stopped():
            return 0


def cut_event(event: StreamEvent, room: int) -> StreamEvent | None:
    """Return the event with its text cut to at most `room` bytes.

    Return None if the event has no text that can be cut, or if there is no room.
    """
    if not isinstance(event, TextReceived | ThinkingReceived | ToolInputReceived) or room <= 0:
        return None
    text = event.json_text if isinstance(event, ToolInputReceived) else event.text
    return type(event)(text.encode(errors="replace")[:room].decode(errors="ignore"))
