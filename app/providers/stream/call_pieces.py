"""Assigns pieces of tool calls in a Chat Completions stream to their calls.

OpenAI numbers the calls of a reply, and the first piece of each has its name. Other servers send no number, number each
call 0, send no id, send the name late or with each piece, or send the arguments as an object. The rules:

- A piece with a known id or number belongs to that call. A piece with neither belongs to the last call.
- A name starts a call if id and number are new or missing. A name with a known number starts a call if the arguments of
  the known call are complete: this handles servers that number each call 0.
- A call whose first pieces have no name waits for its name.

    >>> pieces = CallPieces(ToolCalls())
    >>> pieces.take({"function": {"name": "clock", "arguments": {"zone": "UTC"}}})
    [ToolCallStarted(tool_call_id='call_0', name='clock'), ToolInputReceived(json_text='{"zone":"UTC"}')]
    >>> pieces.take({"function": {"name": "clock", "arguments": "{}"}})
    [PartEnded(), ToolCallStarted(tool_call_id='call_1', name='clock'), ToolInputReceived(json_text='{}')]
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from app.domain.stream.stream_events import StreamEvent
from app.providers.stream.tool_calls import ToolCalls
from app.providers.wire.json_values import FieldError, fields_of, json_text_of, name_kind

_SIGNS: Final = re.compile(r'\\.|["{}\[\]]', re.DOTALL)
_LONE_BACKSLASH: Final = re.compile(r"(?<!\\)(?:\\\\)*\\\Z")
_MAX_DIGITS: Final = 18


@dataclass(frozen=True, slots=True)
class _Piece:
    index: int | None
    call_id: str | None
    name: str
    arguments: str


@dataclass(slots=True)
class _Call:
    number: int
    index: int | None
    call_id: str | None
    name: str = ""
    texts: list[str] = field(default_factory=list[str])
    size: int = 0
    _read: int = 0
    _depth: int = 0
    _opened: bool = False
    _in_string: bool = False
    _backslash: str = ""

    @property
    def is_whole(self) -> bool:
        """Return True if the arguments are a closed object or list. Each character is read only once."""
        self._read_on()
        return self._opened and self._depth == 0

    @property
    def is_open(self) -> bool:
        """Return True if the start of an object or list was received, but not its end."""
        self._read_on()
        return self._opened and self._depth > 0

    def has(self, arguments: str) -> bool:
        """Return True if these are the arguments received so far.

        Lengths are compared first, because joining pieces is slow.
        """
        return len(arguments) == self.size and arguments == "".join(self.texts)

    def add(self, arguments: str) -> None:
        """Add the next piece of the arguments."""
        self.texts.append(arguments)
        self.size += len(arguments)

    def _read_on(self) -> None:
        text = self._backslash + "".join(self.texts[self._read :])
        self._read = len(self.texts)
        self._backslash = "\\" if _LONE_BACKSLASH.search(text) else ""
        for sign in _SIGNS.findall(text):
            if sign == '"':
                self._in_string = not self._in_string
            elif not self._in_string and len(sign) == 1:
                self._opened = True
                self._depth += 1 if sign in "{[" else -1


class CallPieces:
    """The tool calls of one stream, received in pieces."""

    def __init__(self, calls: ToolCalls) -> None:
        self._calls = calls
        self._known: list[_Call] = []
        self._last = 0

    @property
    def last(self) -> int:
        """Return the number, from 0, of the tool call that received the last piece."""
        return self._last

    def take(self, value: object) -> list[StreamEvent]:
        """Read one piece of a tool call, an entry of `tool_calls` in a chunk. Return its stream events.

        Raises:
            FieldError: a field has an unexpected type, the name changes within a call, or the call has ended already.
            TypeError: the piece is no object.
        """
        piece = _read_piece(value)
        call = self._find(piece)
        if call is not None and not _begins_another(call, piece):
            return self._go_on(call, piece)
        if call is None and not (piece.name or piece.call_id or piece.arguments):
            return []
        goes_on = call is not None and self._calls.goes_on(call.number)
        events = self._calls.end(call.number) if call is not None and goes_on else []
        number = len(self._known)
        self._known.append(_Call(number, piece.index, piece.call_id))
        self._calls.wait_for_name(number)
        return events + self._go_on(self._known[-1], piece)

    def _find(self, piece: _Piece) -> _Call | None:
        """Return the known call that a piece may belong to, or None if it starts a new call.

        A piece is assigned by its id, then by its number. A piece without a known id or number may belong to the last
        call.
        """
        last = self._known[-1] if self._known else None
        for call in reversed(self._known):
            if call.call_id is not None and call.call_id == piece.call_id:
                return call
        if piece.index is None:
            return last
        for call in reversed(self._known):
            if call.index == piece.index:
                return call
        goes_on = last is not None and last.index is None and not (piece.name or piece.call_id)
        return last if goes_on else None

    def _go_on(self, call: _Call, piece: _Piece) -> list[StreamEvent]:
        events: list[StreamEvent] = []
        self._last = call.number
        call.call_id = call.call_id or piece.call_id
        begins = bool(piece.name) and not call.name
        has_more = bool(piece.arguments) and not (call.is_whole and call.has(piece.arguments))
        if (begins or has_more) and not self._calls.goes_on(call.number):
            raise FieldError("tool_calls[] continues a call that has ended")
        if begins:
            call.name = piece.name
            events += self._calls.start(call.number, call.call_id or f"call_{call.number}", call.name)
            if self._calls.too_many:
                return events
        elif piece.name and piece.name != call.name:
            raise FieldError("tool_calls[].function.name changes within a call")
        if has_more:
            call.add(piece.arguments)
            events += self._calls.add(call.number, piece.arguments)
        return events


def _begins_another(call: _Call, piece: _Piece) -> bool:
    """Return True if a piece starts a new call, although it has the number of this call or no number."""
    if call.call_id is not None and call.call_id == piece.call_id:
        return False
    has_own_id = call.call_id is not None and piece.call_id is not None
    if not piece.name:
        return has_own_id and bool(piece.arguments) and call.is_whole
    if not call.name:
        return has_own_id
    if piece.index is None or piece.index != call.index:
        return not (call.is_open and piece.name == call.name)
    if has_own_id:
        return True
    if piece.name != call.name:
        return call.is_whole or not call.texts
    return bool(piece.arguments) and call.is_whole and not call.has(piece.arguments)


def _read_piece(value: object) -> _Piece:
    piece = fields_of(value, "tool_calls[]")
    function = fields_of(piece.get("function"), "tool_calls[].function")
    return _Piece(
        _read_index(piece.get("index")),
        _read_id(piece.get("id")),
        _read_name(function.get("name")),
        json_text_of(function.get("arguments"), "tool_calls[].function.arguments"),
    )


def _read_index(value: object) -> int | None:
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= _MAX_DIGITS:
        return int(value)
    if value is None or (isinstance(value, int) and not isinstance(value, bool)):
        return value
    raise FieldError(f"tool_calls[].index is {name_kind(value)} instead of a number")


def _read_id(value: object) -> str | None:
    if value is None or isinstance(value, str):
        return value or None
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise FieldError(f"tool_calls[].id is {name_kind(value)} instead of a text")


def _read_name(value: object) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    raise FieldError(f"tool_calls[].function.name is {name_kind(value)} instead of a text")
