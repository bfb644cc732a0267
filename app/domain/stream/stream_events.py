"""The events of a provider's stream, the same for all vendors: facts about the received data, in order.

Parts come one after the other: a part is finished when the next one starts (or at `PartEnded`), so a reply only grows
at its end. If the wire format of a vendor interleaves tool calls, its adapter holds back the later call until the
earlier one is complete.

A stream ends with exactly one `Stopped`. A stream without it was cut off, which is a failure of class `stream`.

    >>> join_text([TextReceived("Hel"), TextReceived("lo"), Stopped(StopReason.END)])
    [TextReceived(text='Hello'), Stopped(reason=<StopReason.END: 'end'>)]
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from app.domain.usage import Usage


class StopReason(StrEnum):
    """The reason why a model stopped. Inview itself sets only `tool_limit`: too many tool calls."""

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
    """The event that more text of the reply arrived."""

    text: str


@dataclass(frozen=True, slots=True)
class ThinkingReceived:
    """The event that more reasoning of the model arrived."""

    text: str


@dataclass(frozen=True, slots=True)
class TextWasThinking:
    """The event that all text so far was reasoning: an end tag of reasoning came without a start tag."""


@dataclass(frozen=True, slots=True)
class ThinkingSigned:
    """The event with the signature of the current thinking part. Only the provider `vendor` accepts this signature."""

    signature: str
    vendor: str


@dataclass(frozen=True, slots=True)
class RedactedThinkingReceived:
    """The event with reasoning that the vendor does not reveal: opaque `data`, which must be sent back unchanged."""

    data: str
    vendor: str


@dataclass(frozen=True, slots=True)
class ToolCallStarted:
    """The event that the model started to call a tool."""

    tool_call_id: str
    name: str


@dataclass(frozen=True, slots=True)
class ToolInputReceived:
    """The event that more of the input of the current tool call arrived, as JSON text."""

    json_text: str


@dataclass(frozen=True, slots=True)
class PartEnded:
    """The event that the current part is finished.

    Content that arrives later starts a new part, even if it is of the same kind.
    """


@dataclass(frozen=True, slots=True)
class UsageReported:
    """The event with the token counters of this call so far. Each report replaces the previous one.

    - `usage`: the counters; None if no count is valid. Then the previous report still applies.
    - `fault`: names the fields of the report that are not valid counts; None if all are valid.
    """

    usage: Usage | None
    fault: str | None = None


@dataclass(frozen=True, slots=True)
class Stopped:
    """The event that the provider reported the reply as complete."""

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
    """Return the same events, with consecutive events of text, thinking or tool input joined to one."""
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
