"""Tool calls that arrive in turns, brought into sequence: a later one is held back until the earlier is complete.

Vendors number the calls of one reply and may, by their protocols, send pieces of several in turns; our events are
sequential. The first call streams through, pieces of others wait.

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
from app.domain.stream_events import PartEnded, StreamEvent, ToolCallStarted, ToolInputReceived
from app.providers.wire.json_values import label_of

MAX_HELD = 1_000_000
"""Characters that are held back until their turn comes."""


@dataclass(slots=True)
class _Pending:
    tool_call_id: str = ""
    name: str = ""
    pieces: list[str] = field(default_factory=list[str])
    has_input: bool = False
    ended: bool = False


class ToolCalls:
    """The calls of one stream by the number (or id) the vendor gives them."""

    def __init__(self) -> None:
        self._waiting: dict[object, _Pending] = {}
        self._count = 0
        self._unnamed = 0
        self._held = 0

    @property
    def any(self) -> bool:
        """True once a call began."""
        return self._count > 0

    @property
    def too_many(self) -> bool:
        """True once more than `MAX_CALLS` began. The decoder then ends the stream."""
        return self._count > MAX_CALLS

    @property
    def open(self) -> bool:
        """True while a call is not complete."""
        return bool(self._waiting)

    @property
    def unnamed(self) -> int:
        """The number of calls that ended without a name. They gave no event."""
        return self._unnamed

    def wait_for_name(self, number: object) -> None:
        """A call has its place among the others, and begins with `start`."""
        self._waiting[number] = _Pending()

    def start(self, number: object, tool_call_id: str, name: str) -> list[StreamEvent]:
        """A call begins.

        Raises:
            FieldError: its name or its id is no text, empty or too long.
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
        """More input of an open call."""
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
        """Count a text that is held back.

        Raises:
            ProviderError: there is too much of it.
        """
        self._held += len(text)
        if self._held > MAX_HELD:
            raise ProviderError(failure(ErrorClass.TOO_LONG, f"More than {MAX_HELD:,} characters came out of order."))

    def end(self, number: object) -> list[StreamEvent]:
        """A call is complete; the next one continues."""
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
                    events.append(ToolInputReceived("{}"))  # no arguments: still JSON
                events.append(PartEnded())
            del self._waiting[first]
            events += self._release()
        return events

    def end_all(self) -> list[StreamEvent]:
        """Every call is complete."""
        return [event for number in list(self._waiting) if number in self._waiting for event in self.end(number)]

    def goes_on(self, number: object) -> bool:
        """True between the beginning and the end of a call."""
        return number in self._waiting

    def has_input(self, number: object) -> bool:
        """True once some input of a call came."""
        return self._waiting[number].has_input

    def _is_first(self, number: object) -> bool:
        return number == next(iter(self._waiting))

    def _release(self) -> list[StreamEvent]:
        """The events of the first call, with all that it gathered while it waited."""
        call = next(iter(self._waiting.values()), None)
        if call is None or not call.name:
            return []
        events: list[StreamEvent] = [ToolCallStarted(call.tool_call_id, call.name)]
        if call.pieces:
            events.append(ToolInputReceived("".join(call.pieces)))
            call.pieces.clear()
        return events
