"""What a provider's stream says, in one vocabulary for all vendors: past facts, in order.

Parts are sequential: a part is finished when the next one starts (or at `PartEnded`), so a reply only ever grows at
its end. An adapter whose wire interleaves tool calls holds the later one back until the earlier is complete.

A stream ends with exactly one `Stopped`. One that ends without it was cut, and is a failure of class `stream`.

    >>> join_text([TextReceived("Hel"), TextReceived("lo"), Stopped(StopReason.END)])
    [TextReceived(text='Hello'), Stopped(reason=<StopReason.END: 'end'>)]
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from app.domain.usage import Usage


class StopReason(StrEnum):
    """Why a model stopped, said by the provider; the last is Inview's own word for a reply that called too much."""

    END = "end"
    MAX_TOKENS = "max_tokens"
    STOP_SEQUENCE = "stop_sequence"
    TOOL_CALLS = "tool_calls"
    CONTENT_FILTER = "content_filter"
    REFUSAL = "refusal"
    REPETITION = "repetition"
    PAUSE = "pause"
    TOOL_LIMIT = "tool_limit"


@dataclass(frozen=True, slots=True)
class TextReceived:
    """Some more words of the reply."""

    text: str


@dataclass(frozen=True, slots=True)
class ThinkingReceived:
    """Some more reasoning."""

    text: str


@dataclass(frozen=True, slots=True)
class TextWasThinking:
    """All words so far were reasoning: its end was marked, and its beginning was not."""


@dataclass(frozen=True, slots=True)
class ThinkingSigned:
    """The signature of the thinking now open, valid for `vendor`."""

    signature: str
    vendor: str


@dataclass(frozen=True, slots=True)
class RedactedThinkingReceived:
    """Reasoning that the vendor keeps to itself: opaque `data` to be sent back as it is."""

    data: str
    vendor: str


@dataclass(frozen=True, slots=True)
class ToolCallStarted:
    """The model began to call a tool."""

    tool_call_id: str
    name: str


@dataclass(frozen=True, slots=True)
class ToolInputReceived:
    """Some more of the open tool call's input, as JSON text."""

    json_text: str


@dataclass(frozen=True, slots=True)
class PartEnded:
    """The open part is finished; what comes next starts another, even of the same kind."""


@dataclass(frozen=True, slots=True)
class UsageReported:
    """The counters of this call so far: each report replaces the one before it.

    `fault` says what of the report is no count, None if all is. `usage` None: without that nothing is left of it, and
    what was reported before stays.
    """

    usage: Usage | None
    fault: str | None = None


@dataclass(frozen=True, slots=True)
class Stopped:
    """The provider says that the reply is complete."""

    reason: StopReason


StreamEvent = (
    TextReceived
    | ThinkingReceived
    | TextWasThinking
    | ThinkingSigned
    | RedactedThinkingReceived
    | ToolCallStarted
    | ToolInputReceived
    | PartEnded
    | UsageReported
    | Stopped
)


def join_text(events: Iterable[StreamEvent]) -> list[StreamEvent]:
    """The same events with runs of adjacent text, thinking or tool input joined: one read, one event."""
    joined: list[StreamEvent] = []
    pieces: list[str] = []
    kind: type[TextReceived | ThinkingReceived | ToolInputReceived] | None = None

    def flush() -> None:
        if kind is not None:
            joined.append(kind("".join(pieces)))
            pieces.clear()

    for event in events:
        if isinstance(event, TextReceived | ThinkingReceived | ToolInputReceived):
            if type(event) is not kind:
                flush()
                kind = type(event)
            pieces.append(event.json_text if isinstance(event, ToolInputReceived) else event.text)
        else:
            flush()
            kind = None
            joined.append(event)
    flush()
    return joined
