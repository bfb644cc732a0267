"""The log of a run, derived from its state: numbered events that a client can read from any position.

The order of the events: `run`; `status` (awaiting); for each part `part_started` and its text; `usage` (if any);
`status`; the end, which is `done`, `error` or `cancelled`. The text of a tool call is its input, and one more event
follows when it is complete. A tool result is one event. A `retry` comes before the part that was received after its
wait.

An event with text counts its characters, any other event counts 1. The `position` of an event is the sum up to and
including it. A client that has handled an event requests the events after its position. It then gets the rest of each
part as one event.

    >>> from app.domain.run.run import RunStart, RunState
    >>> [event.kind for event in events_after(RunState(RunStart("r1", "p1", "c1", "offline:demo", "hash")), 0)]
    ['run', 'status']
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, assert_never

from app.domain.conversation.lifecycle import Lifecycle
from app.domain.conversation.parts import File, Image, Part, Text, TextFile, Thinking, ToolCall, ToolResult, plain_text
from app.domain.run.growth import Growth
from app.domain.run.run import Canceled, Failed, Retry, RunState, Succeeded, lifecycle_of, sum_usage
from app.domain.usage import Usage

PART_TYPES: dict[type[Part], str] = {
    Text: "text",
    Thinking: "thinking",
    Image: "image",
    File: "file",
    TextFile: "text_file",
    ToolCall: "tool_call",
    ToolResult: "tool_result",
}


@dataclass(frozen=True, slots=True)
class LogEvent:
    """One event in the log of a run. `kind` and the fields of `data` have the names that docs/api.md describes.

    `position` is the position in the log after the event.
    """

    position: int
    kind: str
    data: dict[str, Any]


def events_after(state: RunState, position: int) -> tuple[LogEvent, ...]:
    """Return the events after `position`. The text of each part is one event.

    A position may be beyond the end, if received text was lost when the process ended. Then the last event of a
    finished run is returned.
    """
    found: list[LogEvent] = []
    place = 0
    for entry in _entries(state):
        place += entry.length
        if place > position:
            found.append(entry.event(place, max(0, position - (place - entry.length))))
    if not found and state.outcome is not None and position > place:
        found.append(_end(state).event(place, 0))
    return tuple(found)


def events_of(growth: Growth, state: RunState, end: int) -> tuple[LogEvent, ...]:
    """Return the events that a growth adds to the log.

    `state` is the state after the growth, `end` the end of the earlier log. `events_after(state, end)` has the same
    result. This function is faster in the most frequent case, when only text was appended, because it makes only the
    added entries of the log.
    """
    if not growth.text or growth.parts or state.outcome is not None:
        return events_after(state, end)
    index = growth.kept - 1
    kind = "tool_input" if isinstance(part := state.parts[index], ToolCall) else PART_TYPES[type(part)]
    return (LogEvent(end + len(growth.text), kind, {"index": index, "text": growth.text}),)


@dataclass(frozen=True, slots=True)
class _Entry:
    kind: str
    data: dict[str, Any]
    text: str | None = None

    @property
    def length(self) -> int:
        return 1 if self.text is None else len(self.text)

    def event(self, place: int, skip: int) -> LogEvent:
        data = self.data if self.text is None else {**self.data, "text": self.text[skip:]}
        return LogEvent(place, self.kind, data)


def _entries(state: RunState) -> Iterator[_Entry]:
    start = state.start
    yield _Entry(
        "run",
        {
            "run_id": start.run_id,
            "pair_id": start.pair_id,
            "conversation_id": start.conversation_id,
            "model": start.model,
            "content_hash": start.request_hash,
        },
    )
    yield _Entry("status", {"lifecycle": Lifecycle.AWAITING.value})
    retries = deque(state.retries)
    for index, part in enumerate(state.parts):
        while retries and retries[0].after <= index:
            yield _retry_entry(retries.popleft())
        yield from _part_entries(index, part)
    yield from map(_retry_entry, retries)
    if state.outcome is not None:
        if (usage := sum_usage(state)) is not None:
            yield _Entry("usage", _usage_data(usage))
        yield _Entry("status", {"lifecycle": lifecycle_of(state).value})
        yield _end(state)


def _retry_entry(retry: Retry) -> _Entry:
    return _Entry(
        "retry",
        {
            "attempt": retry.attempt,
            "seconds": retry.seconds,
            "class": retry.reason.error_class.value,
            "message": retry.reason.message,
        },
    )


def _part_entries(index: int, part: Part) -> Iterator[_Entry]:
    started: dict[str, Any] = {"index": index, "type": PART_TYPES[type(part)]}
    match part:
        case Text():
            yield _Entry("part_started", started)
            yield _Entry("text", {"index": index}, part.text)
        case Thinking():
            yield _Entry("part_started", started)
            if part.text:
                yield _Entry("thinking", {"index": index}, part.text)
        case ToolCall():
            yield _Entry("part_started", started | {"tool_call_id": part.tool_call_id, "name": part.name})
            if part.input_json:
                yield _Entry("tool_input", {"index": index}, part.input_json)
            if part.complete:
                yield _Entry(
                    "tool_call",
                    {"index": index, "tool_call_id": part.tool_call_id, "state": "input-available"},
                )
        case ToolResult():
            yield _Entry(
                "tool_result",
                {
                    "index": index,
                    "tool_call_id": part.tool_call_id,
                    "is_error": part.is_error,
                    "seconds": part.seconds,
                    "text": plain_text(part.content),
                    "content": [_content_data(piece) for piece in part.content],
                },
            )
        case Image() | File():
            yield _Entry("part_started", started | {"attachment_id": part.attachment_id})
        case TextFile():
            yield _Entry("part_started", started | {"name": part.name})
            yield _Entry("text", {"index": index}, part.text)
        case _:
            assert_never(part)


def _content_data(piece: Text | Image | File) -> dict[str, Any]:
    return {"type": PART_TYPES[type(piece)], **asdict(piece)}


def _usage_data(usage: Usage) -> dict[str, Any]:
    return {
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cache_read_tokens": usage.cache_read_tokens,
        "cache_write_tokens": usage.cache_write_tokens + usage.cache_write_1h_tokens,
        "reasoning_tokens": usage.reasoning_tokens,
    }


def _end(state: RunState) -> _Entry:
    match state.outcome:
        case Succeeded(stop_reason):
            return _Entry("done", {"stop_reason": stop_reason.value, "conversation_id": state.start.conversation_id})
        case Failed(reason):
            return _Entry(
                "error",
                {"class": reason.error_class.value, "message": reason.message, "next_step": reason.next_step},
            )
        case Canceled():
            return _Entry("cancelled", {})
        case None:
            raise ValueError("a running run has no end yet")
        case _:
            assert_never(state.outcome)
