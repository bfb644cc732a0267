"""Puts interleaved tool calls into sequence: a later call is held back until the earlier one is complete.

Vendors number the calls of one reply, and their protocols allow interleaved pieces of several calls. Stream events are
sequential: pieces of the first open call are passed on at once, pieces of other calls wait.

    >>> calls = ToolCalls()
    >>> calls.start(0, "a", "clock"), calls.start(1, "b", "weather"), calls.add(0, "{}")
    ([ToolCallStarted(tool_call_id='a', name='clock')], [], [ToolInputReceived(json_text='{}')])
    >>> [type(event).__name__ for event in calls.end(0)]
    ['PartEnded', 'ToolCallStarted']
"""

from __future__ import annotations

from dataclasses import dataclass, field

from app.domain.errors import ErrorClass, ProviderError, failure
from app.domain.run.rounds import MAX_CALLS
from app.domain.stream.stream_events import PartEnded, StreamEvent, ToolCallStarted, ToolInputReceived
from app.providers.wire.json_values import label_of

MAX_HELD = 1_000_000
"""Maximum characters of a stream that are held back."""


@dataclass(slots=True)
class _Pending:
    tool_call_id: str = ""
    name: str = ""
    pieces: list[str] = field(default_factory=list[str])
    has_input: bool = False
    ended: bool = False


class ToolCalls:
    """The tool calls of one stream, by the vendor's number or id.

    `start`, `add` and `end` return the events that can be passed on now.
    """

    def __init__(self) -> None:
        self._waiting: dict[object, _Pending] = {}
        self._count = 0
        self._unnamed = 0
        self._held = 0

    @property
    def any(self) -> bool:
        """Return True if a tool call has started."""
        return self._count > 0

    @property
    def too_many(self) -> bool:
        """Return True if more than `MAX_CALLS` calls have started. The decoder then ends the stream."""
        return self._count > MAX_CALLS

    @property
    def open(self) -> bool:
        """Return True while a tool call is not complete."""
        return bool(self._waiting)

    @property
    def unnamed(self) -> int:
        """Return the number of calls that ended without a name. No events are returned for them."""
        return self._unnamed

    def wait_for_name(self, number: object) -> None:
        """Reserve a place in the sequence for a call whose name is not known yet. `start` starts the call later."""
        self._waiting[number] = _Pending()

    def start(self, number: object, tool_call_id: str, name: str) -> list[StreamEvent]:
        """Start the tool call with this number, whose id and name are known now.

        Raises:
            FieldError: the name or the id is no text, empty or too long.
        """
        label_of(name, "the name of a tool call")
        label_of(tool_call_id, "the id of a tool call")
        self._count += 1
        if self.too_many:
            self._waiting.pop(number, None)
            return []
        call = self._waiting.setdefault(number, _Pending())
        call.tool_call_id, call.name = tool_call_id, name
        return self._release() if self._is_first(number) else []

    def add(self, number: object, json_text: str) -> list[StreamEvent]:
        """Add a piece of the input, which is JSON text, to an open call."""
        call = self._waiting[number]
        if not json_text:
            return []
        call.has_input = True
        if call.name and self._is_first(number):
            return [ToolInputReceived(json_text)]
        self.hold(json_text)
        call.pieces.append(json_text)
        return []

    def hold(self, text: str) -> None:
        """Count the characters of a text that is held back. The number of all such characters is limited.

        Raises:
            ProviderError: the held text has more than `MAX_HELD` characters.
        """
        self._held += len(text)
        if self._held > MAX_HELD:
            raise ProviderError(failure(ErrorClass.TOO_LONG, f"More than {MAX_HELD:,} characters came out of order."))

    def end(self, number: object) -> list[StreamEvent]:
        """End a call. If it is the first open one, return its end and the events of the calls that waited for it."""
        self._waiting[number].ended = True
        events: list[StreamEvent] = []
        while self._waiting:
            first = next(iter(self._waiting))
            call = self._waiting[first]
            if not call.ended:
                break
            if not call.name:
                self._unnamed += 1
            else:
                if not call.has_input:
                    events.append(ToolInputReceived("{}"))  # a call without arguments needs JSON too
                events.append(PartEnded())
            del self._waiting[first]
            events += self._release()
        return events

    def end_all(self) -> list[StreamEvent]:
        """End all open tool calls, and return the events that follow from this."""
        return [event for number in list(self._waiting) if number in self._waiting for event in self.end(number)]

    def goes_on(self, number: object) -> bool:
        """Return True if this tool call was started, or reserved by `wait_for_name`, and has not ended."""
        return number in self._waiting

    def has_input(self, number: object) -> bool:
        """Return True if a part of the input of this tool call was received."""
        return self._waiting[number].has_input

    def _is_first(self, number: object) -> bool:
        return number == next(iter(self._waiting))

    def _release(self) -> list[StreamEvent]:
        """Return the start of the first open call, with the input that the call received while it was held back."""
        call = next(iter(self._waiting.values()), None)
        if call is None or not call.name:
            return []
        events: list[StreamEvent] = [ToolCallStarted(call.tool_call_id, call.name)]
        if call.pieces:
            events.append(ToolInputReceived("".join(call.pieces)))
            call.pieces.clear()
        return events
